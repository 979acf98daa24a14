"""Read a folder in QuixBugs' layout: a bundled corpus or a QuixBugs checkout.

The layout: ``correct_python_programs/NAME.py``, ``json_testcases/NAME.json`` (one
``[inputs, expected]`` per line), ``python_testcases/test_NAME.py``, ``python_testcases/node.py``
and ``python_programs/NAME.py`` (buggy, its docstring a string at module level after the function).
Without a folder of buggy programs the problems have no bugs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from coral_batch.corpus.sources import programs
from coral_batch.corpus.sources.rows import Lost, make_problem, read_cases, read_text
from coral_batch.corpus.testcode.crossing import check_uncaught
from coral_batch.errors import CoralError
from coral_batch.records.problem import Case, DroppedProblem, Problem
from coral_batch.verdicts.functions import Definition

_BUGGY = "python_programs"
_CORRECT = "correct_python_programs"
_CASES = "json_testcases"
_TESTS = "python_testcases"
# The module that test files import, and the suffix of QuixBugs' drivers: neither is a problem.
SUPPORT = "node"
_DRIVER = "_test"
# The problem whose cases have a tolerance as their second argument, as in QuixBugs' test file.
_TOLERANT = "sqrt"


def read(path: Path) -> tuple[list[Problem], list[DroppedProblem]]:
    """Read every problem of the folder `path`, sorted by name; none is dropped.

    Raises:
        CoralError: a folder or file is missing, a program does not parse or has no function of its
            name, a buggy one equals the correct one, a case line is not ``[inputs, expected]``, a
            problem has neither cases nor a test file, or a test file has tests that are not plain
            functions or that catch exceptions of a program.
    """
    if not (path / _CORRECT).is_dir():
        raise CoralError(
            "the corpus folder is not in QuixBugs' layout",
            file=path,
            field=_CORRECT,
            found="no such folder",
            expected=f"the folders {_CORRECT} and {_CASES} or {_TESTS}; with bugs, {_BUGGY}",
            action="set the path in params.yaml (corpus.sources or linteval) to such a folder",
        )
    names = {
        file.stem
        for folder in (_CORRECT, _BUGGY)
        for file in (path / folder).glob("*.py")
        if file.stem not in (SUPPORT, "__init__") and not _is_driver(file)
    }
    if not names:
        raise CoralError("the corpus has no program", file=path / _CORRECT, expected="NAME.py")
    return [_read_problem(path, name) for name in sorted(names)], []


def _is_driver(file: Path) -> bool:
    """Whether a file tests another program by hand, as QuixBugs has them: NAME_test.py."""
    if not file.stem.endswith(_DRIVER):
        return False
    return f"def {file.stem}(" not in file.read_text("utf-8", "replace")


def _read_problem(path: Path, name: str) -> Problem:
    buggy = None
    reference, docstring = _read_program(path / _CORRECT / f"{name}.py", name)
    if (path / _BUGGY).is_dir():
        buggy, docstring = _read_program(path / _BUGGY / f"{name}.py", name)
    if buggy is not None:
        with _using(path / _BUGGY / f"{name}.py"):
            programs.check_changed(programs.parse(buggy), programs.parse(reference))
    cases_file = path / _CASES / f"{name}.json"
    cases = read_cases(cases_file) if cases_file.exists() else ()
    if name == _TOLERANT:
        cases = tuple(map(_with_tolerance, cases))
    tests, support = None, {}
    if not cases:
        file = path / _TESTS / f"test_{name}.py"
        tests = read_text(file)
        with _using(file):
            tree = programs.parse(tests, "the test file")
            _check_plain(tree)
            check_uncaught({name}, tree.body)
        node = path / _TESTS / f"{SUPPORT}.py"
        support = {SUPPORT: read_text(node)} if node.exists() else {}
    with _using(path / _CORRECT / f"{name}.py"):
        return make_problem(
            name,
            name,
            reference,
            buggy=buggy,
            docstring=docstring,
            cases=cases,
            tests=tests,
            support=support,
        )


def _with_tolerance(case: Case) -> Case:
    """Set the tolerance of a case of numbers to its second argument, a float above 0."""
    match case.inputs:
        case (number, float() as tolerance) if tolerance > 0:
            if all(type(value) in (int, float) for value in (number, case.expected)):
                return replace(case, tolerance=tolerance)
    return case


@contextmanager
def _using(file: Path) -> Iterator[None]:
    """Turn `Lost` into a `CoralError`: in this layout no problem is dropped."""
    try:
        yield
    except Lost as lost:
        raise CoralError(
            "a file of the corpus cannot be used", file=file, found=lost.detail
        ) from None


def _check_plain(tree: ast.Module) -> None:
    """Check that every test of a file is a function that it defines by ``def`` at its top level.

    Raises:
        Lost: a test is in a class or a block, or is asynchronous, and would not run.
    """
    for node in ast.walk(tree):
        if not isinstance(node, Definition) or not node.name.lower().startswith("test"):
            continue
        if not isinstance(node, ast.FunctionDef) or node not in tree.body:
            where = ast.unparse(node).partition("\n")[0].rstrip(":")
            raise Lost("untestable", f"{where}: only plain test functions are read")


def _read_program(file: Path, name: str) -> tuple[str, str]:
    """Return the code without module-level strings, and the first of those strings.

    QuixBugs keeps docstrings and alternative solutions in such strings.
    """
    source = read_text(file)
    with _using(file):
        tree = programs.parse_function(source, name)
    lines: list[str | None] = list(source.split("\n"))
    strings = []
    for node in tree.body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            if isinstance(node.value.value, str):
                strings.append(node.value.value)
            assert node.end_lineno is not None
            for index in range(node.lineno - 1, node.end_lineno):
                lines[index] = None
    code = "\n".join(line for line in lines if line is not None)
    return code.strip("\n").rstrip() + "\n", strings[0].strip() if strings else ""
