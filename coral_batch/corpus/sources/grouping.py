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
from coral_batch.corpus.sources.rows import Lost

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


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


def by_function(tests: Sequence[Test], names: Names, module: ast.Module) -> dict[str, Checks]:
    """Return function -> its cases or tests, in the order in which tests first call them.

    Args:
        tests: the tests.
        names: by what names they call functions of the program.
        module: what else the test file binds: imports, variables, helpers.

    Raises:
        Lost: a test calls no function of the program or several, uses a class of it or a function
            that is defined otherwise than by ``def``, or gives it what cannot cross.
    """
    groups: dict[str, dict[str, Test]] = {}
    for test in tests:
        group = groups.setdefault(_function(test, names, module), {})
        if test.name in group:
            raise Lost("untestable", f"two tests are called {test.name}")
        group[test.name] = test
    return {function: _checks(function, group, names, module) for function, group in groups.items()}


def _function(test: Test, names: Names, module: ast.Module) -> str:
    """Return the one function that a test calls."""
    around = definitions(module, loaded(*test.statements), "")
    used = _used(names, [*test.statements, *around])
    defined = {node.name: node for node in names.program.body if isinstance(node, Definition)}
    called = sorted(used & defined.keys())
    for name in called:
        if not isinstance(defined[name], ast.FunctionDef):
            raise Lost("untestable", f"{test.name} uses {name}, which is no plain function")
    missing = sorted(used - bound(names.program))
    if missing:
        raise Lost(
            "untestable", f"{test.name} uses {missing[0]}, which the program does not define"
        )
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


def _used(names: Names, statements: Sequence[ast.stmt]) -> set[str]:
    """Return the names of the program that statements use."""
    read = loaded(*statements)
    used = {names.functions[name] for name in read & names.functions.keys()}
    return used | _attributes(names, statements)


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
    return checks(function, tests, preamble=preamble, aliases=aliases)
