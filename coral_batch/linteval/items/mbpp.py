r"""Read MBPP: JSONL as Google Research publishes it (Austin et al. 2021, arXiv:2108.07732).

Lines end in ``\r\n`` and are read as ``\n``. The asserts of ``test_list`` become a test file with
one function each, every one with ``test_setup_code`` before it, in the form that the jail judges:
the function under test is called from outside its process. Rows whose tests need more than one
name of the program (a class, or one of its imports) have no such form and are handed back as
dropped. ``challenge_test_list`` and the task's text are not used. Nothing is run here.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

from coral_batch.corpus.sources.text import read_text
from coral_batch.errors import CoralError
from coral_batch.lake import strictjson
from coral_batch.lake.schemas import first_error, validator
from coral_batch.linteval.items.limits import check_text
from coral_batch.records.items import Candidate, Dropped
from coral_batch.verdicts.inside import syntax


def read_mbpp(file: Path) -> tuple[list[Candidate], list[Dropped]]:
    """Read every row, in the file's order.

    Returns:
        The programs with their tests, and those that do not parse or whose tests the jail cannot
        run.

    Raises:
        CoralError: the file is empty, a line is not JSON, a row breaks ``schemas/mbpp.schema.json``
            or holds text that no program can (see `check_text`), or a task id comes twice.
    """
    check = validator("mbpp")
    first: dict[int, int] = {}
    candidates, dropped = [], []
    for number, line in enumerate(read_text(file).split("\n"), start=1):
        if not line.strip():
            continue
        row = strictjson.parse(line, file, f"line {number}")
        error = first_error(check, row, f"line {number}")
        if error is not None:
            raise CoralError("a row is not in MBPP's format", file=file, **error)
        check_text(row["code"], file, f"line {number}, code")
        for test in (row["test_setup_code"], *row["test_list"]):
            check_text(test, file, f"line {number}, tests")
        if row["task_id"] in first:
            raise CoralError(
                "two rows have one task id",
                file=file,
                field=f"line {number}, task_id",
                found=row["task_id"],
                expected=f"another id than that of line {first[row['task_id']]}",
            )
        first[row["task_id"]] = number
        found = _candidate(row)
        if isinstance(found, Candidate):
            candidates.append(found)
        else:
            dropped.append(found)
    if not first:
        raise CoralError("the data set is empty", file=file, expected="at least one row")
    return candidates, dropped


def _candidate(row: dict[str, Any]) -> Candidate | Dropped:
    source = f"mbpp {row['task_id']}"
    code = _newlines(row["code"])
    try:
        tree = syntax.parse(code)
    except SyntaxError as error:
        return Dropped(source, "unparseable", str(error))
    try:
        setup = syntax.parse(_newlines(row["test_setup_code"]))
        tests = [syntax.parse(_newlines(test)) for test in row["test_list"]]
    except SyntaxError as error:
        return Dropped(source, "untestable", f"a test is no Python: {error}")
    used = _names(setup, ast.Load).union(*(_names(test, ast.Load) for test in tests))
    needed = sorted(used & _global_names(tree))
    if len(needed) != 1:
        detail = f"the tests use {', '.join(needed) or 'nothing'} of the program"
        return Dropped(source, "untestable", detail)
    (function,) = needed
    return Candidate(source, code, function=function, tests=_test_file(function, setup, tests))


def _test_file(function: str, setup: ast.Module, tests: list[ast.Module]) -> str:
    """Write the test file in the form of `Problem.tests`."""
    parts = [f"from {function} import {function}\n"]
    for number, test in enumerate(tests, start=1):
        # A test may hold a string of several lines, which indenting the text would change.
        definition = ast.parse(f"def test_{number}(): pass").body[0]
        assert isinstance(definition, ast.FunctionDef)
        definition.body = [*setup.body, *test.body]
        parts.append(ast.unparse(definition) + "\n")
    return "\n\n".join(parts)


def _global_names(tree: ast.Module) -> set[str]:
    """Return the names that a module binds: functions, classes, imports, variables."""
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        else:
            names |= _names(node, ast.Store)
    return names


def _names(tree: ast.AST, context: type[ast.expr_context]) -> set[str]:
    return {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, context)
    }


def _newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
