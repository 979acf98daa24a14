"""Repair every function in a folder that fails its tests, one at a time.

The tests are those that pytest collects in the folder, or in another one, with doctests. A test
belongs to a program if it calls one of its functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from coral_batch.corpus.readers.folder import programs
from coral_batch.errors import CoralError, Unfit, reading
from coral_batch.lake import params
from coral_batch.repair.repairing import (
    Draw,
    Repair,
    Search,
    lazy_draw,
    problem_of,
    ran_alone,
)
from coral_batch.repair.tests import (
    Failure,
    ProjectTests,
    check_ran,
    confined,
    open_jail,
    outcomes_text,
)
from coral_batch.verdicts.functions import (
    SourceFile,
    check_function,
    functions_of,
    read_source,
)
from coral_batch.verdicts.layout import import_root
from coral_batch.verdicts.projects import DOCTESTS, import_roots
from coral_batch.verdicts.suites import NOT_RUN, Outcome, ProjectJail, Ran, Request, called_of


@dataclass(frozen=True)
class Untried:
    """A file, or a function in it, that could not be tried.

    Attributes:
        file: the file.
        function: the function; empty for a whole file.
        reason: the error message.
    """

    file: Path
    function: str
    reason: str


def repair_folder(
    folder: Path | str,
    tests: Path | str | None = None,
    *,
    model: str | None = None,
    samples: int = 16,
    rounds: int = 2,
    write: bool = False,
    draw: Draw | None = None,
) -> Iterator[Repair | Untried]:
    """Try to repair every function in a folder that fails its tests.

    Args:
        folder: the folder; hidden files and programs without tests are skipped.
        tests: the folder with the tests; None for `folder`.
        model: as in `coral_batch.repair.repairing.repair`; loaded once.
        samples: changes to draw per round, >= 1.
        rounds: rounds, >= 1; from the second on, the prompt shows the best attempt and a test that
            it fails.
        write: write each repair at once; later functions are tried in the new file.
        draw: draws answers instead of `model`.

    Yields:
        A result for each function that fails, each program that passes, each file that pytest
        cannot collect, and each failing test that is not seen to call a function of the folder.

    Raises:
        CoralError: there is no such folder, pytest does not run in it, no test calls a program of
            it, or the model cannot be used.
    """
    folder = Path(folder)
    tests = Path(tests or folder)
    for path in (folder, tests):
        with reading(path):
            if not path.is_dir():
                raise CoralError(
                    "not a folder" if path.exists() else "no such folder",
                    file=path,
                    expected="a folder of programs or tests",
                    action="give a folder, or `coral repair FILE --tests FILE` for one file",
                )
    settings = params.load()
    search = Search(settings, samples, rounds, draw or lazy_draw(model, settings))
    root = folder.resolve()
    places = dict.fromkeys((root, tests.resolve()))
    with open_jail([*places], settings.verdicts) as jail:
        arguments = [*confined(jail), DOCTESTS, f"--rootdir={jail.folder}"]
        if [*places] != [Path(jail.folder)]:  # else pytest starts there, and may have testpaths
            arguments += map(str, places)
        roots = (import_root(root / "file"), *import_roots(root))
        request = Request(root, roots, tuple(arguments), watch=True)
        ran = jail.run(request, None)
        check_ran(ran, tests)
        for line in ran.said.splitlines():
            name, _, why = line.partition(": ")
            yield Untried(_near(jail, name, folder, tests), "", f"pytest cannot collect it: {why}")
        left = [one for one in ran.outcomes if one.kind is not None]
        seen = False
        fixed: set[str] = set()
        unrepaired: list[Repair] = []
        for file in programs(folder, ran.files):
            own = str(file.resolve())
            of = [one for one in ran.outcomes if any(path == own for path, _ in called_of(one))]
            left = [one for one in left if one not in of]
            if all(one.kind is None for one in of):
                continue
            seen = True
            for found in _repairs(file, ran, of, request, jail, search, write, fixed):
                if isinstance(found, Repair) and found.outcome == "not repaired":
                    unrepaired.append(found)
                else:
                    yield found
        if not seen:
            raise CoralError(
                "no test calls a function in the folder",
                file=folder,
                found=outcomes_text(ran.outcomes),
                expected="tests that import its files, or examples in their docstrings",
            )
        # Their tests may pass by the repair of another function.
        yield from (
            found
            for found in unrepaired
            if any(found.function in one.called and one.test not in fixed for one in found.failed)
        )
        for one in left:
            if one.kind != "PASS":
                name, _, test = one.id.partition("::")
                why = f"{test} fails, and is not seen to call a function in {folder}: {one.detail}"
                yield Untried(_near(jail, name, folder, tests), "", why)


def _near(jail: ProjectJail, name: str, folder: Path, tests: Path) -> Path:
    """Return a file that pytest names, as a path below one of the folders that the user gave."""
    # Relative to where it starts; of a file outside, relative to the folder that it was given.
    places = [Path(jail.folder) / name, folder.resolve() / name]
    file = next((one for one in places if one.exists()), places[0])
    for given in (tests, folder):
        if file.is_relative_to(given.resolve()):
            return given / file.relative_to(given.resolve())
    return file


def _repairs(
    file: Path,
    ran: Ran,
    of: Sequence[Outcome],
    request: Request,
    jail: ProjectJail,
    search: Search,
    write: bool,
    fixed: set[str],
) -> Iterator[Repair | Untried]:
    """Repair the functions of a file that failing tests call.

    Args:
        file: the file.
        ran: the run of all tests.
        of: outcomes of the tests that call functions of the file.
        request: the request of that run.
        jail: the folder's jail.
        search: the search settings.
        write: write each repair.
        fixed: ids of the tests that pass after a repair; gets those of this file's.
    """
    try:
        source = read_source(file)
    except CoralError as error:
        yield Untried(file, "", str(error))
        return
    request = replace(request, file=file.resolve())
    outcomes = [one for one in of if one.kind is not None]
    passed = [one.id for one in ran.outcomes if one.kind == "PASS" and one not in of]
    tests = ProjectTests(source, jail, request, ran, outcomes, passed)
    failed: Sequence[Failure] = tests.at_first
    # An earlier repair may have fixed it, and tests may not have run.
    if failed and (write or any(one.got.startswith(NOT_RUN) for one in failed)):
        failed = tests.failures(source)
    if not failed:
        yield search.run(source, "", tests, failed)
    called = tests.called(failed, 1) or tests.called(failed, 2)
    nearest = tests.called(failed, 0)
    names = [name for name in called if name in functions_of(source.tree)]
    others = [name for name in called if name not in names]
    first = [one for one in failed if not one.got.startswith(NOT_RUN)]

    # Of functions that the same tests call, the last is the likeliest.
    names.reverse()
    names.sort(key=lambda name: (name not in nearest, -tests.suspicion(name)))
    yield from _File(source, failed, tests, search, write, fixed).attempts(names)
    by_failures = tests.called([one for one in first if one.test not in fixed], 2)
    if others := [name for name in others if name in by_failures]:
        yield Untried(
            file,
            "",
            f"failing tests call {', '.join(others)}: no plain def at module level or in a class",
        )


@dataclass
class _File:
    """A file under repair.

    Attributes:
        source: its content now.
        failed: its failures.
        tests: its tests.
        search: the search settings.
        write: write each repair.
        fixed: ids of the tests that pass after a repair.
    """

    source: SourceFile
    failed: Sequence[Failure]
    tests: ProjectTests
    search: Search
    write: bool
    fixed: set[str]

    def attempts(self, names: Sequence[str]) -> Iterator[Repair | Untried]:
        """Try to repair functions, again if a later repair fixes a test that one needs."""
        waiting: dict[str, tuple[Repair, set[str]]] = {}
        while names:
            for name in names:
                before = {*self.fixed}
                found = self._attempt(name)
                if isinstance(found, Repair) and found.outcome == "not repaired":
                    waiting[name] = found, before
                    continue
                waiting.pop(name, None)
                if found is not None:
                    yield found
            names = [
                name
                for name, (found, before) in waiting.items()
                if any(
                    name in one.called and one.test in self.fixed - before for one in found.failed
                )
            ]
        yield from (found for found, _ in waiting.values())

    def _attempt(self, name: str) -> Repair | Untried | None:
        """Try to repair a function; return None if all its tests pass."""
        source = self.source
        own = ran_alone(source, name, self.tests, self.failed)
        # Without `write`, fixed tests pass only together with an earlier repair.
        own = [
            replace(one, called=one.called - {name}) if one.test in self.fixed else one
            for one in own
        ]
        if not any(name in one.called for one in own):
            return None
        try:
            check_function(source, name)
            problem_of(source, name)
        except CoralError as error:
            return Untried(source.file, name, str(error))
        try:
            found = self.search.run(source, name, self.tests, own)
        except Unfit as error:
            return Untried(source.file, name, str(error))
        if found.outcome == "repaired":
            if self.write:
                try:
                    found.write()
                except CoralError as error:
                    return Untried(source.file, name, str(error))
                self.source, self.failed = found.best, found.left
            self.fixed |= {one.test for one in own} - {one.test for one in found.left}
        return found
