"""Asserts of data sets: as JSON cases where those say the same, else as a test file.

An assert is a JSON case when it calls the function under test with values that JSON can hold and
compares the result by ``==`` with another. Tuples, sets, keys that are no text, infinite numbers
and complex ones are no such values. Nor is a truth value that is expected: by ``==`` 1 is True, by
the rules for JSON cases it is not (`coral_batch/verdicts/compare.py`). For the same reason a result
True fails a case that expects 1; and a tuple passes one that expects a list.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Collection, Sequence
from typing import Any

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
    """Return cases if each of the tests is one, else a test file.

    Args:
        function: name of the function under test.
        tests: the statements of each test, at least one.
        setup: statements that come before those of every test.
        preamble: statements of the test file, before its tests.
        aliases: further names that the preamble gives the function, or its module.

    Raises:
        Lost: a test gives the function what cannot leave the test's process, or catches its
            exceptions.
    """
    called = {function, *aliases}
    check_crossing(called, [*preamble, *setup, *(node for test in tests for node in test)])
    cases = tuple(filter(None, (_as_case(test, called) for test in tests)))
    if len(cases) == len(tests):
        return cases, None
    return (), test_file(function, tests, setup, preamble)


def test_file(
    function: str,
    tests: Sequence[Statements],
    setup: Statements = (),
    preamble: Statements = (),
) -> str:
    """Write a test file in the form of `Problem.tests`; the arguments are those of `checks`.

    Tests are called by their number: ``test_1``, ``test_2``.
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
            if is_json(inputs) and is_json(expected) and not has_truth(expected):
                return Case(tuple(inputs), expected)
    return None


def is_json(value: Any) -> bool:
    """Whether JSON holds a value, which `ast.literal_eval` returned, as it is."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
        return repr(json.loads(text)) == repr(value)
    except (TypeError, ValueError, RecursionError):
        return False


def has_truth(value: Any) -> bool:
    """Whether a value of JSON is a truth value, or holds one."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return isinstance(value, bool) or any(map(has_truth, inner))
