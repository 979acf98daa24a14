"""Read a folder of Python files with tests: a user's own programs.

``NAME.py`` is a correct program. Its tests are ``test_NAME.py`` or ``NAME_test.py``, beside it or
in ``tests/``, in pytest's style (`coral_batch.corpus.sources.pytestfiles` says what is read);
without such a file, the examples in its docstrings (`coral_batch.corpus.sources.doctests`).
``NAME.buggy.py`` beside it, or ``buggy/NAME.py``, is the same program with a bug; without one the
problem has none. A program whose tests call several functions gives a problem for each.

The files are a user's own and can be mended, so what cannot be read is an error, except for a
program without tests, and tests without a program, which are dropped.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from coral_batch.corpus.sources.asserts import definitions
from coral_batch.corpus.sources.doctests import parse_doctests
from coral_batch.corpus.sources.grouping import by_function
from coral_batch.corpus.sources.problems import make_problem
from coral_batch.corpus.sources.programs import (
    check_changed,
    parse,
    parse_program,
    take_docstring,
)
from coral_batch.corpus.sources.pytestfiles import parse_tests
from coral_batch.corpus.sources.rows import Lost
from coral_batch.corpus.sources.text import read_text
from coral_batch.errors import CoralError
from coral_batch.records.problem import DroppedProblem, Problem

_BUGGY, _TESTS = "buggy", "tests"
_NO_PROGRAMS = ("__init__", "conftest", "setup")


def read(path: Path, origin: str) -> tuple[list[Problem], list[DroppedProblem]]:
    """Read every program of the folder `path`, sorted by name.

    A problem is called NAME, or NAME_FUNCTION where the tests call several functions.

    Returns:
        The problems, and the programs without tests and tests without a program.

    Raises:
        CoralError: there is no such folder or program, or a program, its tests or its bug cannot
            be used; the message says which and why.
    """
    if not path.is_dir():
        raise CoralError("no folder of programs here", file=path, expected="a folder with NAME.py")
    names = [file.stem for file in sorted(path.glob("*.py")) if is_program(file)]
    bugs = _bugs(path)
    for name, file in bugs.items():
        if name not in names:
            raise CoralError("a bug without its program", file=file, expected=f"{name}.py")
    problems, dropped = [], []
    for name in names:
        made = _problems(path / f"{name}.py", _test_file(path, name), bugs.get(name), origin)
        problems += made
        if not made:
            dropped.append(
                DroppedProblem(name, "untested", "no test file and no example in a docstring")
            )
    if not problems:
        raise CoralError(
            "the folder has no program with tests",
            file=path,
            found=", ".join(names) or "no programs",
            expected="NAME.py with test_NAME.py beside it or in tests/, or examples in docstrings",
        )
    alone = [file for file in _test_files(path) if tested_by(file) not in names]
    return problems, dropped + [
        DroppedProblem(file.stem, "untested", f"tests without {tested_by(file)}.py")
        for file in alone
    ]


def is_program(file: Path) -> bool:
    """Whether a file is a program, by its name alone."""
    return "." not in file.stem and tested_by(file) is None and file.stem not in _NO_PROGRAMS


def tested_by(file: Path) -> str | None:
    """Return the name of the program that a file tests, by its name; None if it is no test file."""
    if file.stem.startswith("test_"):
        return file.stem.removeprefix("test_")
    return file.stem.removesuffix("_test") if file.stem.endswith("_test") else None


def _test_files(path: Path) -> list[Path]:
    files = [*path.glob("*.py"), *(path / _TESTS).glob("*.py")]
    return sorted(file for file in files if tested_by(file) is not None)


def _test_file(path: Path, name: str) -> Path | None:
    found = [file for file in _test_files(path) if tested_by(file) == name]
    if len(found) > 1:
        raise CoralError(
            "a program with several test files",
            file=path / f"{name}.py",
            found=", ".join(str(file.relative_to(path)) for file in found),
            expected="one",
        )
    return found[0] if found else None


def _bugs(path: Path) -> dict[str, Path]:
    """Return program -> the file of its bug."""
    beside = {file.name.removesuffix(".buggy.py"): file for file in path.glob("*.buggy.py")}
    inside = {file.stem: file for file in sorted((path / _BUGGY).glob("*.py"))}
    for name in sorted(beside.keys() & inside.keys()):
        raise CoralError(
            "a program with two bugs",
            file=beside[name],
            found=str(inside[name].relative_to(path)),
            expected="one of the two files",
        )
    return {**beside, **inside}


def _problems(file: Path, tests: Path | None, bug: Path | None, origin: str) -> list[Problem]:
    """Make the problems of one program."""
    name = file.stem
    if not name.isidentifier() or not name.isascii():
        raise CoralError(
            "a program that cannot be imported",
            file=file,
            expected="letters, digits and underscores",
        )
    source = _read(file)
    with _mendable(file):
        tree = parse(source)
    with _mendable(tests or file):
        found = by_function(
            parse_doctests(name, tree) if tests is None else parse_tests(_read(tests), name, tree)
        )
    broken, changed = None, set(found)
    if bug is not None:
        with _mendable(bug):
            broken = _read(bug)
            changed = _changed(tree, parse(broken), set(found))
    problems = []
    for function, tested in found.items():
        called = name if len(found) == 1 else f"{name}_{function}"
        buggy = None
        with _mendable(file):
            parse_program(source, function)
        if bug is not None and broken is not None and function in changed:
            with _mendable(bug):
                parse_program(broken, function)
            buggy = take_docstring(broken, function)[0]
        reference, docstring = take_docstring(source, function)
        if bug is not None and buggy is not None:
            with _mendable(bug):
                check_changed(parse(buggy), parse(reference))
        problems.append(
            make_problem(
                called,
                function,
                reference,
                origin,
                buggy=buggy,
                docstring=docstring,
                cases=tested.cases,
                tests=tested.tests,
            )
        )
    return problems


def _read(file: Path) -> str:
    return read_text(file).removeprefix("\ufeff")


@contextmanager
def _mendable(file: Path) -> Iterator[None]:
    """Turn what makes a file unusable into an error that names it."""
    try:
        yield
    except Lost as lost:
        raise CoralError(
            "a file of the folder cannot be used",
            file=file,
            found=lost.detail,
            action="see docs/corpora.md for what is read",
        ) from None


def _changed(tree: ast.Module, broken: ast.Module, functions: set[str]) -> set[str]:
    """Return the functions that a bug changes, or what they use; all, if it is elsewhere."""
    found = {name for name in functions if _used(tree, name) != _used(broken, name)}
    return found or functions


def _used(tree: ast.Module, name: str) -> list[str]:
    """Write a function and what it needs of its module."""
    return list(map(ast.dump, definitions(tree, {name}, "")))
