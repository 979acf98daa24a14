"""Runs the tests of a file on candidates: with pytest, or as JSON cases of one function."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from coral_batch.corpus.sources.programs import parse_program
from coral_batch.corpus.sources.rows import Lost, read_cases
from coral_batch.errors import CoralError, reading
from coral_batch.records.problem import Case
from coral_batch.records.settings import Verdicts
from coral_batch.records.verdict import Kind, Program
from coral_batch.verdicts.functions import SourceFile, read_utf8
from coral_batch.verdicts.jail import JailError
from coral_batch.verdicts.layout import import_root, project_of, shadows
from coral_batch.verdicts.projects import DOCTESTS, python_files, settings_of
from coral_batch.verdicts.suites import (
    LOSSES,
    NOT_RUN,
    Outcome,
    ProjectJail,
    Ran,
    Request,
    called_of,
    digest,
    settled,
)

JSON = (".json", ".jsonl")

_PROJECT = ("pyproject.toml", "setup.py")
"""Files that mark the root of a project, like pytest's settings do."""


@dataclass(frozen=True)
class Failure:
    """A test that a file fails.

    Attributes:
        test: its id in pytest, or the call of a JSON case.
        expected: the expected result of a JSON case; None for pytest.
        kind: the kind of its verdict, e.g. ``FAIL`` or ``TIMEOUT``.
        got: the result of a JSON case, or pytest's message.
        number: its number among the tests, from 0.
        called: the functions of the file that the test calls, if known.
    """

    test: str
    expected: str | None
    kind: Kind
    got: str
    number: int
    called: frozenset[str] = frozenset()


@dataclass(frozen=True)
class CaseTests:
    """JSON cases of one function. A candidate never sees the expected results.

    Attributes:
        function: the function.
        cases: the cases.
        settings: limits per case, and the required layers of isolation.
    """

    function: str
    cases: tuple[Case, ...]
    settings: Verdicts

    @property
    def size(self) -> int:
        """Number of tests."""
        return len(self.cases)

    @property
    def seen(self) -> frozenset[str]:
        """The functions of the file that tests call."""
        return frozenset({self.function})

    def failures(self, source: SourceFile, _: AbstractSet[int] = frozenset()) -> list[Failure]:
        """Run all cases on a candidate; return its failures.

        Raises:
            CoralError: the jail cannot be used.
        """
        from coral_batch.verdicts.pool import judge

        program = Program(self.function, source.text, self.cases, None, {})
        # In this process: starting workers takes longer than a few cases.
        (verdicts,) = judge([program], self.settings, workers=1)
        return [
            Failure(
                f"{self.function}({', '.join(map(repr, case.inputs))})",
                repr(case.expected),
                one.kind,
                one.detail if one.kind in ("FAIL", "ERROR") else f"{one.kind}: {one.detail}",
                one.case,
                frozenset({self.function}),
            )
            for case, one in zip(self.cases, verdicts, strict=True)
            if one.kind != "PASS"
        ]

    def close(self) -> None:
        """Do nothing."""


class ProjectTests:
    """Tests that pytest runs, on candidates in place of the file.

    Args:
        source: the original file, which determines the tests.
        jail: the project's jail.
        request: what pytest runs.
        ran: its run on the original file, with calls recorded.
        outcomes: outcomes of the tests that count.
        others: tests that a candidate must pass as well if it passes more of these; they passed.
    """

    def __init__(
        self,
        source: SourceFile,
        jail: ProjectJail,
        request: Request,
        ran: Ran,
        outcomes: Iterable[Outcome],
        others: Iterable[str] = (),
    ) -> None:
        file = source.file.resolve()
        self._source = source
        self._jail = jail
        self._outcomes = tuple(outcomes)
        self._file = file
        self._calls = {one.id: _called(one, file) for one in self._outcomes}
        self._tests = tuple(one.id for one in self._outcomes)
        self._others = tuple(others)
        self._request = replace(request, watch=False)
        self._all = ran.collected or ()
        self._lost = {
            number
            for number, one in enumerate(self._outcomes)
            if one.id in ran.lost or one.detail.startswith(NOT_RUN)
        }

    @property
    def size(self) -> int:
        """Number of tests, without skipped ones and those expected to fail."""
        return len(self._tests)

    @property
    def seen(self) -> frozenset[str]:
        """The functions of the file that tests are seen to call."""
        return frozenset(name for called in self._calls.values() for name in called)

    @property
    def at_first(self) -> list[Failure]:
        """Failures of the original file."""
        return self._failures(self._outcomes)

    def called(self, failures: Iterable[Failure], distance: int) -> list[str]:
        """Return the functions of the file that failing tests call.

        Args:
            failures: the tests.
            distance: the greatest distance of a call; see `coral_batch.verdicts.suites.Outcome`.
        """
        own = [self._outcomes[one.number] for one in failures if one.number < self.size]
        found = [name for one in own for name in _called(one, self._file, distance)]
        # A lambda is only of interest if there is nothing else.
        plain = [name for name in found if not name.endswith("<lambda>")]
        return list(dict.fromkeys(plain or found))

    def suspicion(self, name: str) -> int:
        """Return how many more failing than passing tests call a function of the file."""
        calling = [one.kind for one in self._outcomes if name in self._calls[one.id]]
        return len(calling) - 2 * calling.count("PASS")

    def failures(self, source: SourceFile, spared: AbstractSet[int] = frozenset()) -> list[Failure]:
        """Run all tests on a candidate; return its failures.

        Args:
            source: the candidate.
            spared: numbers of the tests that need not pass. Those that ended their process with the
                original file, or did not run, do not run again: each would cost a candidate
                seconds, or stop it.
        """
        lost = self._lost & spared
        tests = tuple(id for number, id in enumerate(self._tests) if number not in lost)
        ran = {one.id: one for one in self._run(tests, source, LOSSES if self._lost - lost else 1)}
        failed = self._failures([ran.get(one.id, one) for one in self._outcomes])
        if source != self._source and self._others and len(failed) < len(self.at_first):
            failed += self._failures(self._run(self._passing_alone, source, 1), self.size)
        return failed

    @cached_property
    def _passing_alone(self) -> tuple[str, ...]:
        """The others that pass on the original file without the tests before them."""
        ran = self._run(self._others, self._source, 1)
        return tuple(one.id for one in ran if one.kind == "PASS")

    def _run(self, tests: tuple[str, ...], source: SourceFile, losses: int) -> list[Outcome]:
        request = replace(self._request, only=tests)
        try:
            ran = self._jail.run(request, source.content.decode(), losses)
        except JailError as error:
            raise CoralError(
                "the jail in which pytest runs failed",
                file=source.file,
                found=str(error),
                action="run it again; `coral doctor` checks the jail",
            ) from None
        return settled(ran, tests, digest(self._all, tests))

    def _failures(self, outcomes: Iterable[Outcome], first: int = 0) -> list[Failure]:
        return [
            Failure(
                *(one.id, None, one.kind, one.detail, number),
                frozenset(self._calls.get(one.id, ())),
            )
            for number, one in enumerate(outcomes, first)
            if one.kind not in ("PASS", None)
        ]

    def close(self) -> None:
        """End the jail."""
        self._jail.close()


Tests = CaseTests | ProjectTests
"""The tests of a file."""


def tests_of_file(source: SourceFile, tests: Path | None, settings: Verdicts) -> ProjectTests:
    """Run the tests of a file on the original file.

    Args:
        source: the file.
        tests: a test file or a folder of them; None for the examples in the file's docstrings.
        settings: limits per test, and the required layers of isolation.

    Raises:
        CoralError: pytest does not run, cannot collect all tests or finds none, or no test calls a
            function of the file.
    """
    file = source.file.resolve()
    arguments = (DOCTESTS, str(file)) if tests is None else (str(tests.resolve()),)
    jail = open_jail([file, *([tests.resolve()] if tests else [])], settings)
    try:
        arguments = (*confined(jail), *arguments)
        root = import_root(file)
        roots = () if shadows(root, Path(jail.folder)) else (root,)
        request = Request(file, roots, arguments, watch=True)
        ran = jail.run(request, None)
        check_ran(ran, tests or source.file)
        if ran.said:
            raise _uncollected(ran, tests or source.file)
        outcomes = [one for one in ran.outcomes if one.kind is not None]
        if not any(_called(one, file) for one in outcomes):
            raise CoralError(
                "no test calls a function in the file",
                file=source.file,
                found=outcomes_text(outcomes),
                expected="tests that import this file, not an installed copy, and get to the call;"
                " calls of compiled functions are not seen",
            )
        return ProjectTests(source, jail, request, ran, outcomes)
    except BaseException:
        jail.close()
        raise


def confined(jail: ProjectJail) -> tuple[str, ...]:
    """Return pytest's option for conftest.py files above the folder where it starts."""
    return () if jail.around == jail.folder else (f"--confcutdir={jail.around}",)


def _called(outcome: Outcome, file: Path, distance: int = 2) -> list[str]:
    """Return the functions of a file that a test calls."""
    return [name for path, name in called_of(outcome, distance) if path == str(file)]


def outcomes_text(outcomes: Sequence[Outcome]) -> str:
    """Return the outcomes of tests in a line, with the first failures."""
    failed = [f"{one.id}: {one.detail}" for one in outcomes if one.kind not in ("PASS", None)]
    return "; ".join([f"{len(outcomes)} tests, {len(failed)} failed", *failed[:3]])


def check_ran(ran: Ran, where: Path) -> None:
    """Check that pytest ran at least one test, and the same ones in a second run.

    Args:
        ran: the run.
        where: the path that pytest was given.

    Raises:
        CoralError: it did not; shows pytest's output.
    """
    if ran.said and not ran.outcomes:
        raise _uncollected(ran, where)
    if ran.unstable:
        raise CoralError(
            "tests have other ids in each run",
            file=where,
            found=ran.unstable[0],
            expected="the same ids, by which a candidate's tests are known",
            action="give the parameters fixed values or ids, or add --deselect to addopts",
        )
    if not any(one.kind is not None for one in ran.outcomes):
        raise CoralError(
            "no tests found",
            file=where,
            found=f"{len(ran.outcomes)} tests, all skipped" if ran.outcomes else "none",
            expected="tests that pytest collects",
            action="name them with --tests, or write `>>>` examples into the docstrings",
        )


def _uncollected(ran: Ran, where: Path) -> CoralError:
    hangs = ran.collected is None and ran.kind == "TIMEOUT"
    return CoralError(
        "the tests hang during collection" if hangs else "pytest cannot collect the tests",
        file=where,
        found=ran.said,
        action=_INSTALL
        if any(words in ran.said for words in _MISSING)
        else "run pytest there and fix what it reports; if it passes, see docs/repair.md for what "
        "tests cannot do in the jail",
    )


_MISSING = ("No module named", "No package metadata", "unrecognized arguments")
_INSTALL = (
    "install the package, or pytest's plugin, where coral-batch is installed, fix the import, or "
    "add a pyproject.toml to the project's folder, from which pytest is then started"
)


def read_case_tests(
    source: SourceFile, tests: Path, function: str | None, settings: Verdicts
) -> CaseTests:
    """Read the JSON cases of a function.

    Args:
        source: its file.
        tests: the cases, one per line.
        function: the function; None if the file defines only one.
        settings: as in `CaseTests`.

    Raises:
        CoralError: the cases cannot be read, it is not clear which function they test, or the jail
            lacks a module that the file imports.
    """
    read_utf8(tests)
    names = [node.name for node in source.tree.body if isinstance(node, ast.FunctionDef)]
    if function is None and len(names) != 1:
        found = f"the file defines {', '.join(names) or 'none'}"
        raise unclear(source.file, found, names)
    function = function or names[0]
    try:
        parse_program(source.text, function)
    except Lost as lost:
        raise CoralError(
            "the file cannot be tested with JSON cases",
            file=source.file,
            found=lost.detail,
            action="write a test file instead: pytest runs it with all installed packages",
        ) from None
    return CaseTests(function, read_cases(tests), settings)


def unclear(file: Path, found: str, choice: Sequence[str]) -> CoralError:
    """Return the error that it is not clear which function to repair."""
    return CoralError(
        "it is not clear which function to repair",
        file=file,
        found=found,
        expected=f"--function NAME, one of {', '.join(choice)}"
        if choice
        else "a def at module level or in a class",
    )


def open_jail(paths: Sequence[Path], settings: Verdicts) -> ProjectJail:
    """Return the jail in which pytest runs.

    The projects of all paths are mounted. pytest starts in the last one; if that is only a
    repository, in the innermost folder there that holds all paths.

    Args:
        paths: resolved paths of files or folders, the tests last.
        settings: as in `ProjectJail`.

    Raises:
        CoralError: there is no such file, or a required layer of isolation is missing.
    """
    for path in paths:
        with reading(path):
            if not path.exists():
                raise CoralError("no such file", file=path)
    files = [path if path.is_file() else path / "file" for path in paths]
    own = [import_root(file) for file in files]
    folders = [_project_folder(file.parent) for file in files]
    outermost = [one for one in dict.fromkeys(folders) if not {*folders} & {*one.parents}]
    start = next(one for one in outermost if folders[-1].is_relative_to(one))
    if not _is_project(start):
        inside = [folder for folder in own if folder.is_relative_to(start)]
        start = Path(os.path.commonpath(inside or [start]))
    every = [file for folder in outermost for file in python_files(folder)]
    return ProjectJail(project_of(outermost, start, every), settings)


def _project_folder(own: Path) -> Path:
    """Return the project folder of a file's or folder's own folder.

    Like for pytest, that is the nearest one with its settings, else with another mark of a project.
    Without them it is the repository, the outermost folder with a conftest.py, or the folder that
    `own` is imported from, its package if that is a home folder. For these, a home folder is no
    project's.
    """
    above = (own, *own.parents)
    for mark in (settings_of, _is_project):
        if found := next(filter(mark, above), None):
            return found
    home = Path.home().resolve()
    below = [one for one in above if one not in (home, *home.parents)]
    if found := next((one for one in below if (one / ".git").exists()), None):
        return found
    alone = root = import_root(own / "file")
    if root not in below:
        alone = next((one for one in above if one.parent == root), own)
    return next((one for one in reversed(below) if (one / "conftest.py").is_file()), alone)


def _is_project(folder: Path) -> bool:
    return settings_of(folder) is not None or any((folder / name).is_file() for name in _PROJECT)
