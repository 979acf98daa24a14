r"""Read MBPP as Google Research publishes it (Austin et al. 2021, arXiv:2108.07732).

``mbpp.jsonl`` has all tasks, ``sanitized-mbpp.json`` those that were verified by hand. Lines of
programs end in ``\r\n`` there and are read as ``\n``. ``challenge_test_list`` and ``source_file``
are not used. Each assert of a task is a JSON case or a test, see
`coral_batch.corpus.testcode.asserts`. The tasks have no bugs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coral_batch.corpus.sources.names import bound, loaded
from coral_batch.corpus.sources.problems import make_problem
from coral_batch.corpus.sources.programs import parse, parse_program
from coral_batch.corpus.sources.rows import Form, Lost, find_file, gather, read_rows
from coral_batch.corpus.testcode.asserts import checks, numbered
from coral_batch.records.problem import DroppedProblem, Problem
from coral_batch.verdicts.functions import as_module, newlines
from coral_batch.verdicts.inside import syntax

_ALL = Form("mbpp", "MBPP", further=False)
_SANITIZED = Form("mbpp_sanitized", "the sanitized MBPP")


@dataclass(frozen=True)
class Task:
    """A row of MBPP.

    Attributes:
        id: number of the task.
        place: where it stands in the file, e.g. ``line 3``.
        text: the task in words.
        code: the program.
        setup: statements that come before every test.
        tests: asserts.
    """

    id: int
    place: str
    text: str
    code: str
    setup: str
    tests: tuple[str, ...]


@dataclass(frozen=True)
class Tested:
    """What the tests of a task call, and the tests parsed.

    Attributes:
        function: the one name of the program that the tests use.
        setup: statements that come before every test.
        tests: the statements of each test.
    """

    function: str
    setup: list[ast.stmt]
    tests: list[list[ast.stmt]]


def read(path: Path, origin: str) -> tuple[list[Problem], list[DroppedProblem]]:
    """Read every task, in the file's order; ``mbpp_601`` is the problem of task 601.

    Returns:
        The problems, and the tasks whose program or tests the jail cannot run.

    Raises:
        CoralError: see `read_tasks`, or no problem is left.
    """

    def make(name: str, task: Task) -> Problem:
        found = examine(task)
        parse_program(task.code, found.function)
        tested = checks(found.function, numbered(found.tests), found.setup)
        return make_problem(
            name,
            found.function,
            as_module(task.code),
            origin,
            docstring=task.text.strip(),
            cases=tested.cases,
            tests=tested.tests,
        )

    file = find_file(path, ".jsonl", ".json", ".jsonl.gz")
    return gather(file, ((f"mbpp_{task.id}", task) for task in read_tasks(file)), make)


def read_tasks(file: Path) -> Iterator[Task]:
    """Read every task, in the file's order.

    Raises:
        CoralError: see `read_rows`.
    """
    for place, row in read_rows(file, _form):
        sanitized = "prompt" in row
        setup = "\n".join(row["test_imports"]) if sanitized else row["test_setup_code"]
        yield Task(
            row["task_id"],
            place,
            newlines(row["prompt" if sanitized else "text"]),
            newlines(row["code"]),
            newlines(setup),
            tuple(newlines(test) for test in row["test_list"]),
        )


def _form(row: Mapping[str, Any]) -> Form:
    return _SANITIZED if "prompt" in row else _ALL


def examine(task: Task) -> Tested:
    """Find out what the tests of a task call.

    Raises:
        Lost: there are no tests, the program or a test does not parse, or the tests need more than
            one name of the program (a class, or one of its imports), or none: the function under
            test is called from outside its process.
    """
    tree = parse(task.code)
    if not task.tests:
        raise Lost("untested", "its list of tests is empty")
    try:
        setup = syntax.parse(task.setup)
        tests = [syntax.parse(test) for test in task.tests]
    except SyntaxError as error:
        raise Lost("unparseable", f"a test does not parse: {error}") from None
    for test in tests:
        if not any(isinstance(node, ast.Assert) for node in ast.walk(test)):
            raise Lost("untestable", "a test asserts nothing")
    needed = sorted(loaded(setup, *tests) & bound(tree))
    if len(needed) != 1:
        raise Lost("untestable", f"the tests use {', '.join(needed) or 'nothing'} of the program")
    return Tested(needed[0], setup.body, [test.body for test in tests])
