"""Asserts of data sets: as JSON cases where those say the same, else as a test file.

An assert is a JSON case when it calls the function under test with values that JSON can hold and
compares the result by ``==`` with another. Tuples, sets, keys that are no text, infinite numbers
and complex ones are no such values. Nor is a truth value that is expected: by ``==`` 1 is True, by
the rules for JSON cases it is not (`coral_batch/verdicts/compare.py`). For the same reason a result
True fails a case that expects 1; and a tuple passes one that expects a list.
"""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from coral_batch.corpus.sources.programs import check_imports, imported
from coral_batch.corpus.sources.rows import Lost
from coral_batch.records.problem import Case

Statements = Sequence[ast.stmt]

_BITS = 14_000
"""A longer number may have more than the 4,300 digits that Python writes."""


@dataclass(frozen=True)
class Checks:
    """How a program is tested: the fields `cases` and `tests` of a `Problem`, one of them empty."""

    cases: tuple[Case, ...] = ()
    tests: str | None = None


def checks(
    function: str,
    tests: Mapping[str, Statements],
    setup: Statements = (),
    preamble: Statements = (),
    aliases: Collection[str] = (),
) -> Checks:
    """Return cases if each of the tests is one, else a test file.

    Args:
        function: name of the function under test.
        tests: name -> statements of each test, at least one.
        setup: statements that come before those of every test.
        preamble: statements of the test file, before its tests.
        aliases: further names that the preamble gives the function, or its module.

    Raises:
        Lost: a test gives the function what cannot leave the test's process, or catches its
            exceptions.
    """
    called = {function, *aliases}
    check_crossing(called, [*preamble, *setup, *(node for test in tests.values() for node in test)])
    cases = [_as_case(test, called) for test in tests.values()]
    found = tuple(case for case in cases if case is not None)
    if len(found) == len(tests):
        return Checks(cases=found)
    return Checks(tests=test_file(function, tests, setup, preamble))


def numbered(tests: Iterable[Statements]) -> dict[str, Statements]:
    """Name tests by their number: ``test_1``, ``test_2``."""
    return {f"test_{number}": test for number, test in enumerate(tests, start=1)}


def test_file(
    function: str,
    tests: Mapping[str, Statements],
    setup: Statements = (),
    preamble: Statements = (),
) -> str:
    """Write a test file in the form of `Problem.tests`; the arguments are those of `checks`."""
    parts = [f"from {function} import {function}\n"]
    parts += [ast.unparse(statement) + "\n" for statement in preamble]
    for name, test in tests.items():
        # A test may hold a string of several lines, which indenting the text would change.
        definition = ast.parse(f"def {name}(): pass").body[0]
        assert isinstance(definition, ast.FunctionDef)
        definition.body = [*setup, *test]
        parts.append(ast.unparse(definition) + "\n")
    return "\n\n".join(parts)


def check_crossing(called: Collection[str], statements: Statements) -> None:
    """Check that tests can run apart from the program: with data alone and what the jail has.

    Args:
        called: the names of the function.
        statements: those of the test file.

    Raises:
        Lost: an argument is a function, a class, an instance of a class of the test file or bytes,
            there is a complex number or one that Python does not write in decimal digits, an
            exception of the function is caught, or a package is imported that the jail lacks.
    """
    check_imports(imported(ast.Module([*statements], [])), "the tests import")
    check_uncaught(called, statements)
    classes = {node.name for node in statements if isinstance(node, ast.ClassDef)}
    functions = {node.name for node in statements if isinstance(node, ast.FunctionDef)}
    variables = set().union(*(_names(statement, ast.Store) for statement in statements))
    callables = (classes | functions | _BUILT_IN) - variables
    for node in (part for statement in statements for part in ast.walk(statement)):
        if isinstance(node, ast.Constant) and isinstance(node.value, complex):
            raise Lost("untestable", "a test holds a complex number")
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, int)
            and node.value.bit_length() > _BITS
        ):
            raise Lost("untestable", "a test holds a number of thousands of digits")
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in called
        ):
            for part in _parts([*node.args, *(keyword.value for keyword in node.keywords)]):
                made = part.func if isinstance(part, ast.Call) else None
                if isinstance(part, ast.Lambda) or (
                    isinstance(part, ast.Name) and part.id in callables
                ):
                    raise Lost("untestable", f"a test gives {node.func.id} a function or a class")
                if isinstance(part, ast.Constant) and isinstance(part.value, bytes):
                    raise Lost("untestable", f"a test gives {node.func.id} bytes")
                if isinstance(made, ast.Name) and made.id in classes:
                    raise Lost(
                        "untestable", f"a test gives {node.func.id} an instance of {made.id}"
                    )


def check_uncaught(called: Collection[str], statements: Statements) -> None:
    """Check that no test catches an exception of a function: it is raised in another process.

    Args:
        called: the names of the function.
        statements: those of the test file.

    Raises:
        Lost: there is a ``try`` or ``suppress`` around a call of it, or around one of a parameter,
            which may be the function, as in ``raises(lambda: f(0))``.
    """
    parts = [part for statement in statements for part in ast.walk(statement)]
    functions = [part for part in parts if isinstance(part, ast.FunctionDef)]
    calling = {*called}
    while more := {one.name for one in functions if loaded(*one.body) & calling} - calling:
        calling |= more
    parameters = {part.arg for part in parts if isinstance(part, ast.arg)}
    for part in parts:
        inside = ast.Module(_guarded(part), [])
        calls = {ast.unparse(one.func) for one in ast.walk(inside) if isinstance(one, ast.Call)}
        if loaded(inside) & calling or calls & parameters:
            raise Lost(
                "untestable",
                "a test catches an exception of the function under test by try or suppress: only "
                "pytest.raises knows one",
            )


def _guarded(node: ast.AST) -> list[ast.stmt]:
    """Return the statements whose exceptions a statement catches."""
    if isinstance(node, ast.Try | ast.TryStar) and node.handlers:
        return node.body
    if isinstance(node, ast.With) and any(
        "suppress(" in ast.unparse(item.context_expr) for item in node.items
    ):
        return node.body
    return []


_BUILT_IN = frozenset(name for name, value in vars(builtins).items() if callable(value))


def _parts(nodes: Iterable[ast.expr]) -> Iterator[ast.expr]:
    """Yield expressions, those in lists, tuples, sets and dicts one by one."""
    for node in nodes:
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            yield from _parts(node.elts)
        elif isinstance(node, ast.Dict):
            yield from _parts([*filter(None, node.keys), *node.values])
        else:
            yield node


def _as_case(test: Statements, called: Collection[str]) -> Case | None:
    """Return the case that a test is; None if it is none."""
    match list(test):
        case [
            ast.Assert(
                test=ast.Compare(
                    left=ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]),
                    ops=[ast.Eq()],
                    comparators=[result],
                )
            )
        ] if name in called:
            try:
                inputs = [ast.literal_eval(argument) for argument in arguments]
                expected = ast.literal_eval(result)
            except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                return None
            if is_json(inputs) and is_json(expected, truth=False):
                return Case(tuple(inputs), expected)
    return None


def is_json(value: Any, truth: bool = True) -> bool:
    """Whether JSON holds a value as it is.

    Args:
        value: what `ast.literal_eval` returned.
        truth: whether truth values are let through.
    """
    if value is None or isinstance(value, bool):
        return value is None or truth
    if isinstance(value, str):
        return value.isascii() or _is_text(value)
    if isinstance(value, int | float):
        return math.isfinite(value) if isinstance(value, float) else True
    if isinstance(value, list):
        return all(is_json(item, truth) for item in value)
    if isinstance(value, dict):
        return all(
            isinstance(key, str) and _is_text(key) and is_json(item, truth)
            for key, item in value.items()
        )
    return False


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def loaded(*trees: ast.AST) -> set[str]:
    """Return the names that trees read."""
    return set().union(*(_names(tree, ast.Load) for tree in trees))


def bound(tree: ast.Module) -> set[str]:
    """Return the names that a module binds: functions, classes, imports, variables."""
    return set().union(*map(_bound, tree.body))


def _given(tree: ast.Module) -> list[set[str]]:
    """Return the names that each statement of a module gives: it binds them or changes their value.

    ``TABLE["a"] = 1`` changes the table, and an expression, as ``TABLE.append(1)``, may change all
    that it and the functions that it calls read. What stands below ``if __name__`` changes nothing,
    since no program that is tested is the main one.
    """
    reads = {
        node.name: loaded(*node.body) for node in tree.body if isinstance(node, ast.FunctionDef)
    }
    return [_bound(node) | _changed(node, reads) for node in tree.body]


def definitions(tree: ast.Module, names: set[str], without: str) -> list[ast.stmt]:
    """Return the statements of a module that give names, and what those need, in their order.

    An import of all that a module has may give any name.

    Args:
        tree: the module.
        names: the names wanted; those that the module does not bind are left aside.
        without: the function whose definition stays out.
    """
    gives = _given(tree)
    wanted = set(names)
    kept: set[int] = set()
    while True:
        more = {
            number
            for number, node in enumerate(tree.body)
            if number not in kept
            and not (isinstance(node, ast.FunctionDef) and node.name == without)
            and gives[number] & {*wanted, "*"}
        }
        if not more:
            return [tree.body[number] for number in sorted(kept)]
        kept |= more
        wanted |= loaded(*(tree.body[number] for number in more))


_DEFINITION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IMPORT = (ast.Import, ast.ImportFrom)


def _bound(node: ast.stmt) -> set[str]:
    """Return the names that a statement at module level binds, in its blocks as well."""
    if isinstance(node, _DEFINITION):
        return {node.name}
    found = _names(node, ast.Store)
    for part in ast.walk(node):
        if isinstance(part, _DEFINITION):
            found.add(part.name)
        elif isinstance(part, _IMPORT):
            found |= {(alias.asname or alias.name).split(".")[0] for alias in part.names}
    return found


def _changed(node: ast.stmt, reads: Mapping[str, set[str]]) -> set[str]:
    """Return the names whose values a statement may change; `reads`: what functions read."""
    if isinstance(node, _DEFINITION) or (isinstance(node, ast.If) and "__name__" in loaded(node)):
        return set()
    found: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Subscript | ast.Attribute) and not isinstance(part.ctx, ast.Load):
            changed = loaded(part.value)
        elif isinstance(part, ast.Expr):
            read = loaded(part)
            changed = read.union(*(reads[name] for name in read & reads.keys()))
        else:
            continue
        found |= changed
    return found


def _names(tree: ast.AST, context: type[ast.expr_context]) -> set[str]:
    return {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, context)
    }
