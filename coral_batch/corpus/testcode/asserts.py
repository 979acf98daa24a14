"""Convert the asserts of data sets to JSON cases if possible, else to a test file.

An assert becomes a JSON case if it calls the function under test with JSON values and compares the
result with another by ``==``. Tuples, sets, keys that are not strings, infinite and complex numbers
are not JSON. An expected boolean needs a test file: by ``==`` 1 is True, by the rules for JSON
cases it is not (`coral_batch/verdicts/compare.py`). By these rules a result True fails a case that
expects 1, and a tuple passes a case that expects a list.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Collection, Sequence
from typing import Any

from coral_batch.corpus.sources.rows import Lost
from coral_batch.corpus.testcode.crossing import check_crossing
from coral_batch.records.problem import Case

Statements = Sequence[ast.stmt]


Checks = tuple[tuple[Case, ...], str | None]
"""How a program is tested: the fields `cases` and `tests` of a `Problem`, one of them empty."""


def checks(
    function: str,
    tests: Sequence[Statements],
    setup: Statements = (),
    preamble: Statements = (),
    aliases: Collection[str] = (),
) -> Checks:
    """Return cases if every test can be one, else a test file.

    Args:
        function: name of the function under test.
        tests: the statements of each test, at least one.
        setup: statements that come before those of every test.
        preamble: statements of the test file, before its tests.
        aliases: other names that the preamble gives the function or its module.

    Raises:
        Lost: a test passes the function a value that cannot leave the test's process, or catches
            its exceptions.
    """
    called = {function, *aliases}
    check_crossing(called, [*preamble, *setup, *(node for test in tests for node in test)])
    cases = tuple(filter(None, (_as_case(test, called) for test in tests)))
    if len(cases) == len(tests):
        return cases, None
    return (), test_file(function, tests, setup, preamble)


def check_asserts(statements: Statements, problem: str) -> None:
    """Check that statements assert something, or expect an exception.

    Raises:
        Lost: they do not; `problem` says so.
    """
    for part in (part for statement in statements for part in ast.walk(statement)):
        raises = isinstance(part, ast.Call) and ast.unparse(part.func).endswith("raises")
        if raises or isinstance(part, ast.Assert):
            return
    raise Lost("untestable", problem)


def test_file(
    function: str,
    tests: Sequence[Statements],
    setup: Statements = (),
    preamble: Statements = (),
) -> str:
    """Write a test file in the form of `Problem.tests`; the arguments are those of `checks`.

    Tests are named by number: ``test_1``, ``test_2``.
    """
    parts = [f"from {function} import {function}\n"]
    parts += [ast.unparse(statement) + "\n" for statement in preamble]
    for number, test in enumerate(tests, start=1):
        # A test may hold a string of several lines, which indenting the text would change.
        definition = ast.parse(f"def test_{number}(): pass").body[0]
        assert isinstance(definition, ast.FunctionDef)
        definition.body = [*setup, *test]
        parts.append(ast.unparse(definition) + "\n")
    return "\n\n".join(parts)


def _as_case(test: Statements, called: Collection[str]) -> Case | None:
    """Return a test as a case; None if it cannot be one."""
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
            if is_json(inputs) and is_json(expected) and not has_truth(expected):
                return Case(tuple(inputs), expected)
    return None


def is_json(value: Any) -> bool:
    """Whether a value from `ast.literal_eval` survives JSON unchanged."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
        return repr(json.loads(text)) == repr(value)
    except (TypeError, ValueError, RecursionError):
        return False


def has_truth(value: Any) -> bool:
    """Whether a JSON value is or contains a boolean."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return isinstance(value, bool) or any(map(has_truth, inner))
