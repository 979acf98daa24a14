r"""Read MBPP as Google Research publishes it (Austin et al. 2021, arXiv:2108.07732).

``mbpp.jsonl`` has all tasks, ``sanitized-mbpp.json`` those that were verified by hand. Lines of
programs end in ``\r\n`` there and are read as ``\n``. ``challenge_test_list`` and ``source_file``
are not used. Each assert of a task is a JSON case or a test, see
`coral_batch.corpus.testcode.asserts`. The tasks have no bugs.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coral_batch.corpus.sources.names import bound, definitions, loaded
from coral_batch.corpus.sources.programs import parse, parse_program
from coral_batch.corpus.sources.rows import Lost, Row, make_problem, read_problems
from coral_batch.corpus.testcode.asserts import check_asserts, checks
from coral_batch.records.problem import DroppedProblem, Problem
from coral_batch.verdicts.functions import as_module, newlines
from coral_batch.verdicts.inside import syntax


@dataclass(frozen=True)
class Task:
    """A task's program, the function under test and its parsed tests.

    Attributes:
        code: the program.
        function: the one name of the program that the tests use.
        setup: statements that come before every test.
        tests: the statements of each test.
    """

    code: str
    function: str
    setup: list[ast.stmt]
    tests: list[list[ast.stmt]]


def read(path: Path) -> tuple[list[Problem], list[DroppedProblem]]:
    """Read every task; ``mbpp_601`` is the problem of task 601."""

    def make(name: str, row: Row) -> Problem:
        task = examine(row)
        parse_program(task.code, task.function)
        cases, tests = checks(task.function, task.tests, task.setup)
        text = newlines(row["prompt"] if "prompt" in row else row["text"]).strip()
        return make_problem(
            name,
            task.function,
            as_module(task.code),
            docstring=text,
            cases=cases,
            tests=tests,
        )

    return read_problems(path, schema_of, lambda row: f"mbpp_{row['task_id']}", make)


def schema_of(row: Mapping[str, Any]) -> str:
    """Return the schema of a row of the full or the sanitized data set."""
    return "mbpp_sanitized" if "prompt" in row else "mbpp"


def examine(row: Row) -> Task:
    """Find the function that a task's tests call.

    Raises:
        Lost: there are no tests, the program or a test does not parse, or the tests need more than
            one name of the program (a class, or one of its imports), or none: they call the
            function from another process.
    """
    code = newlines(row["code"])
    tree = parse(code)
    if not row["test_list"]:
        raise Lost("untested", "its list of tests is empty")
    before = "\n".join(row["test_imports"]) if "prompt" in row else row["test_setup_code"]
    try:
        setup, *tests = (syntax.parse(newlines(one)) for one in (before, *row["test_list"]))
    except SyntaxError as error:
        raise Lost("unparseable", f"a test does not parse: {error}") from None
    for test in tests:
        helpers = definitions(setup, loaded(test), "")
        check_asserts([*test.body, *helpers], "a test asserts nothing")
    needed = sorted((loaded(setup, *tests) - bound(*setup.body)) & bound(*tree.body))
    if len(needed) != 1:
        raise Lost("untestable", f"the tests use {', '.join(needed) or 'nothing'} of the program")
    return Task(code, needed[0], setup.body, [test.body for test in tests])
