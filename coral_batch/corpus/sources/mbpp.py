r"""Tasks of MBPP (Austin et al. 2021, arXiv:2108.07732), in both published forms.

``mbpp.jsonl`` has all of them, ``sanitized-mbpp.json`` those that were verified by hand. Lines of
programs end in ``\r\n`` there and are read as ``\n``. ``challenge_test_list`` and ``source_file``
are not used. Nothing is run here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coral_batch.corpus.sources.asserts import bound, loaded
from coral_batch.corpus.sources.programs import parse
from coral_batch.corpus.sources.rows import Form, Lost, read_rows
from coral_batch.verdicts.functions import newlines
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
        tree: the program.
        function: the one name of the program that the tests use.
        setup: statements that come before every test.
        tests: the statements of each test.
    """

    tree: ast.Module
    function: str
    setup: list[ast.stmt]
    tests: list[list[ast.stmt]]


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
    return Tested(tree, needed[0], setup.body, [test.body for test in tests])
