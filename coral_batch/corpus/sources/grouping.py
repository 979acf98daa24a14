"""Tests of a module's functions, told apart by the function that each calls.

In the jail one function is under test: it is called from another process, where the tests run, and
nothing else of its module is there. So each test calls one function. The module's imports and
variables that tests use are written into the test file.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from coral_batch.corpus.sources.asserts import Checks, bound, checks, definitions, loaded
from coral_batch.corpus.sources.programs import Definition
from coral_batch.corpus.sources.rows import Lost


@dataclass(frozen=True)
class Test:
    """A test before it is written.

    Attributes:
        name: the name of its function, ``test*``.
        statements: the function's body.
    """

    name: str
    statements: Sequence[ast.stmt]


@dataclass(frozen=True)
class Names:
    """By what names tests call functions of a program.

    Attributes:
        program: the program's syntax tree.
        functions: name in the tests -> name in the program, of what is imported by name.
        modules: names in the tests of the program's module.
    """

    program: ast.Module
    functions: Mapping[str, str] = field(default_factory=dict)
    modules: frozenset[str] = frozenset()


@dataclass(frozen=True)
class TestFile:
    """The tests of a program.

    Attributes:
        tests: the tests.
        names: by what names they call functions of the program.
        module: what else the test file binds: imports, variables, helpers.
    """

    tests: Sequence[Test]
    names: Names
    module: ast.Module


def by_function(file: TestFile) -> dict[str, Checks]:
    """Return function -> its cases or tests, in the order in which tests first call them.

    Raises:
        Lost: a test calls no function of the program or several, uses a class of it or a function
            that is defined otherwise than by ``def``, gives it what cannot cross, or catches its
            exceptions.
    """
    groups: dict[str, dict[str, Test]] = {}
    for test in file.tests:
        group = groups.setdefault(function_of(test, file), {})
        check_new(test, group)
        group[test.name] = test
    return {
        function: _checks(function, group, file.names, file.module)
        for function, group in groups.items()
    }


def check_new(test: Test, others: Mapping[str, Test]) -> None:
    """Check that no other test has the name of one.

    Raises:
        Lost: one has.
    """
    if test.name in others:
        raise Lost("untestable", f"two tests are called {test.name}")


def function_of(test: Test, file: TestFile) -> str:
    """Return the one function that a test calls.

    Raises:
        Lost: as in `by_function`.
    """
    names = file.names
    around = definitions(file.module, loaded(*test.statements), "")
    used = used_of(test, file)
    defined = {node.name: node for node in names.program.body if isinstance(node, Definition)}
    called = sorted(used & defined.keys())
    for name in called:
        if not isinstance(defined[name], ast.FunctionDef):
            raise Lost("untestable", f"{test.name} uses {name}, which is no plain function")
    data = sorted(_attributes(names, [*test.statements, *around]) - defined.keys())
    if data:
        raise Lost("untestable", f"{test.name} uses {data[0]} of the module: import it by its name")
    if len(called) != 1:
        told = " and ".join(called) or "no function"
        raise Lost(
            "untestable",
            f"{test.name} calls {told} of the program: a test calls one function, since only one "
            "can be under test",
        )
    return called[0]


def used_of(test: Test, file: TestFile) -> set[str]:
    """Return the names of the program that a test uses.

    Raises:
        Lost: the program does not define one of them.
    """
    names = file.names
    statements = [*test.statements, *definitions(file.module, loaded(*test.statements), "")]
    read = loaded(*statements)
    used = {names.functions[name] for name in read & names.functions.keys()}
    used |= _attributes(names, statements)
    missing = sorted(used - bound(names.program))
    if missing:
        raise Lost(
            "untestable", f"{test.name} uses {missing[0]}, which the program does not define"
        )
    return used


def _attributes(names: Names, statements: Sequence[ast.stmt]) -> set[str]:
    """Return the names that statements use as attributes of the program's module."""
    return {
        node.attr
        for statement in statements
        for node in ast.walk(statement)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in names.modules
    }


def _checks(function: str, group: Mapping[str, Test], names: Names, module: ast.Module) -> Checks:
    """Write the tests of one function."""
    statements = [statement for test in group.values() for statement in test.statements]
    own = definitions(module, loaded(*statements), "")
    aliases = [alias for alias, name in names.functions.items() if name == function]
    others = loaded(*statements, *own) & names.functions.keys() - set(aliases)
    if any(names.functions[other] != other for other in others):
        raise Lost("untestable", f"{', '.join(sorted(others))}: imported under another name")
    lines = [f"from {function} import {function} as {alias}" for alias in aliases]
    lines = [line for line in lines if not line.endswith(f" {function} as {function}")]
    lines += [
        f"import {function} as {alias}"
        for alias in sorted(names.modules & loaded(*statements, *own))
    ]
    preamble = [
        *definitions(names.program, others, function),
        *ast.parse("\n".join(lines)).body,
        *own,
    ]
    tests = {name: test.statements for name, test in group.items()}
    return checks(function, tests, preamble=preamble, aliases=[*aliases, *names.modules])
