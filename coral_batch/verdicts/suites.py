"""Run a project's own tests in a jail, by pytest, with a candidate in place of a file.

If a test hangs or kills the process, the others run in another child. After `LOSSES` such tests the
rest get the last one's outcome, so that a program that hangs in a hundred tests does not take a
hundred times the limit.

Tests run in the program's process. Tampering with them is reported where it can be detected;
docs/jail.md lists the rest.
"""

from __future__ import annotations

import hashlib
import json
import marshal
import secrets
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from coral_batch.errors import CoralError
from coral_batch.records.settings import Verdicts
from coral_batch.records.verdict import Kind
from coral_batch.verdicts import compare
from coral_batch.verdicts.answers import Forged
from coral_batch.verdicts.clock import Clock
from coral_batch.verdicts.jail import Child, Jail, JailError, Stop
from coral_batch.verdicts.layers import Project, project_isolation

LOSSES = 3
"""How many tests of a candidate may kill their process."""

LOSSES_AT_FIRST = 12
"""How many may if calls are watched, so in the original project."""

NOT_RUN = "not run, because "
"""How the detail of a test begins that did not run after so many."""

COLLECTING = 30.0
"""Processor seconds for importing the project and collecting its tests, and for pytest's work after
the last test; wall time is three times as much."""

COLLECTING_COUNTED = 10.0
"""The same if lines are counted; they are not counted during imports."""

TESTS = 1000
"""How many tests' time a whole run may take, besides collecting."""

WATCHED = 20
"""Limits of a run in which calls are watched, as a multiple: it can be this much slower."""

HANGS = "line limit exceeded"
"""The verdict's detail for a test in which a program ran too many lines."""

SKIPPED = "SKIPPED"


@dataclass(frozen=True)
class Outcome:
    """A test's outcome.

    Attributes:
        id: pytest's id.
        kind: the verdict's kind; None if the test was skipped or is expected to fail.
        detail: pytest's message for a failure or a skip, on one line.
        cpu_seconds: processor time, as the process claims.
        wall_seconds: wall time.
        called: the project functions that it called, if watched: file, qualified name, and distance
            (0: called by the test from another file, 1: by a fixture, a set-up or at collection
            from another file, 2: from its own file). Calls during collection of its file, or in a
            shared fixture, count for each test that they are for.
    """

    id: str
    kind: Kind | None
    detail: str
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    called: tuple[tuple[str, str, int], ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class Ran:
    """The outcome of a run of pytest.

    Attributes:
        collected: the ids of all collected tests, in order; None if collection did not finish.
        outcomes: those of the requested tests, in order.
        said: pytest's errors, one line for each file that it could not collect; empty if all went
            well.
        kind: the kind of the error if nothing was collected.
        files: the resolved paths of the files with collected tests, doctests left out.
        unstable: the ids that tests had only in the first run, if calls were watched in a second.
        lost: the ids of the tests that ended their process.
    """

    collected: tuple[str, ...] | None
    outcomes: tuple[Outcome, ...]
    said: str
    kind: Kind = "ERROR"
    files: frozenset[str] = frozenset()
    unstable: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


@dataclass(frozen=True)
class Request:
    """A request to run tests.

    Attributes:
        file: the file that the candidate replaces.
        roots: the folders that it and other programs are imported from.
        arguments: pytest's files, folders and options.
        files: the files to collect tests from; empty for all that pytest finds.
        only: ids of the tests to run; None for all.
        watch: run the tests a second time, to note which project functions each calls.
        lines: how many lines of the file's functions may run in one test before it counts as
            hanging; 0 for no limit.
    """

    file: Path
    roots: tuple[Path, ...]
    arguments: tuple[str, ...]
    files: tuple[str, ...] = ()
    only: tuple[str, ...] | None = None
    watch: bool = False
    lines: int = 0


class ProjectJail(AbstractContextManager["ProjectJail"]):
    """A jail in which pytest runs the tests of one project; a context manager.

    Args:
        project: the project.
        settings: limits, and the required layers of isolation.

    Attributes:
        layers: the layers of isolation in force.
        folder: where pytest starts.
        around: the mounted folder that holds it, from which conftest.py files count.

    Raises:
        CoralError: a required layer is missing.
    """

    def __init__(self, project: Project, settings: Verdicts) -> None:
        isolation = project_isolation(settings.require, project)
        self.layers = isolation.layers
        self.folder = project.folder
        self.around = next(
            one for one in project.folders if f"{project.folder}/".startswith(f"{one}/")
        )
        self._project = project
        self._settings = settings
        self._jail = Jail(isolation, settings.memory_mb)

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the jail and everything in it."""
        self._jail.close()

    def run(self, request: Request, text: str | None, losses: int = LOSSES) -> Ran:
        """Run tests on a candidate.

        Args:
            request: the tests and the file.
            text: the file's new content; None for the original.
            losses: how many tests may kill their process before the rest are skipped, >= 1; if
                calls are watched, `LOSSES_AT_FIRST`.

        Raises:
            CoralError: the jail failed with the original.
            JailError: the jail or the machine failed with a candidate.
        """
        losses = LOSSES_AT_FIRST if request.watch else losses
        try:
            ran = self._run(replace(request, watch=False), text, losses, frozenset())
        except JailError as error:
            if text is not None:
                raise
            raise CoralError(
                "the jail in which pytest runs does not start",
                file=self.folder,
                found=str(error),
                action="run `coral doctor`; if all is well, a package that the project imports may"
                " end Python or block it",
            ) from None
        if not request.watch or not ran.outcomes:
            return ran
        # Watching slows tests down and takes stack, so that a correct one might fail.
        stuck = frozenset(one.id for one in ran.outcomes if one.kind in _STUCK)
        watched = self._run(request, text, 2 * LOSSES_AT_FIRST, stuck)
        again = {*(watched.collected or ran.collected or ())}
        unstable = [one.id for one in ran.outcomes if one.kind and one.id not in again]
        called = {one.id: one.called for one in watched.outcomes}
        outcomes = [replace(one, called=called.get(one.id, ())) for one in ran.outcomes]
        return replace(ran, outcomes=tuple(outcomes), unstable=tuple(unstable))

    def _run(self, request: Request, text: str | None, losses: int, stuck: frozenset[str]) -> Ran:
        """Run tests once; `stuck` are those that get less time if calls are watched."""
        done: dict[str, Outcome] = {}
        lost: list[str] = []
        while True:
            one = _Child(self._jail, self._message(request, text, [*done]), self._settings, stuck)
            ran = one.run()
            done |= {outcome.id: outcome for outcome in ran.outcomes}
            if one.lost is None or ran.collected is None:
                break
            lost.append(one.lost)
            left = _wanted(ran.collected, request.only, done)
            if len(lost) == losses:
                last = replace(done[one.lost], cpu_seconds=0.0, wall_seconds=0.0)
                why = f"{NOT_RUN}{one.lost} ended the process: {last.detail}"
                last = replace(last, detail=compare.shorten(why))
                file = one.lost.partition("::")[0]
                for id in left:  # another file's tests may call other functions
                    called = last.called if id.partition("::")[0] == file else ()
                    done[id] = replace(last, id=id, called=called)
                break
            if not left:
                break
        return replace(ran, outcomes=tuple(done.values()), lost=tuple(lost))

    def _message(self, request: Request, text: str | None, done: list[str]) -> dict[str, Any]:
        """Return a child's request; see `inside/suite.py`."""
        return vars(request) | {
            "file": str(request.file),
            "roots": [self.folder, *map(str, request.roots), self.around],
            "secret": secrets.token_hex(8),
            "folders": self._project.folders,
            "text": text,
            "done": done,
        }


def digest(collected: Iterable[str], tests: Iterable[str]) -> str:
    """Return the SHA-256 of the collected ids of the tests' functions, with any parameters.

    Args:
        collected: ids of all tests that pytest collected, in any order.
        tests: ids of the tests.
    """
    functions = {test.partition("[")[0] for test in tests}
    ids = sorted(id for id in collected if id.partition("[")[0] in functions)
    return hashlib.sha256(json.dumps(ids).encode()).hexdigest()


def settled(ran: Ran, tests: Sequence[str], collected: str) -> list[Outcome]:
    """Return one outcome per test, each with a kind.

    Args:
        ran: the run's outcome.
        tests: ids of the tests.
        collected: the expected `digest` of the collected tests. If it differs, no test counts.
    """
    why = ran.said
    if ran.collected is not None and digest(ran.collected, tests) == collected:
        found = {one.id: one for one in ran.outcomes}
    else:
        found, why = {}, why or "pytest collected different tests than for the original file"
    missing = Outcome("", ran.kind, compare.shorten(" ".join(why.split())))
    outcomes = [replace(found.get(test, missing), id=test) for test in tests]
    return [
        replace(one, kind="FAIL", detail=f"skipped: {one.detail}") if one.kind is None else one
        for one in outcomes
    ]


def called_of(outcome: Outcome, distance: int = 2) -> list[tuple[str, str]]:
    """Return the file and the name of each function that a test called.

    A nested function counts as its outer function. Methods are named ``Class.method``.

    Args:
        outcome: the outcome of a watched test.
        distance: the greatest distance of a call; see `Outcome`.

    Returns:
        The functions, the nearest first.
    """
    near = sorted(outcome.called, key=lambda call: call[2])  # stable
    names = [
        (file, function.partition(".<locals>")[0])
        for file, function, calls in near
        if calls <= distance
    ]
    return list(dict.fromkeys(names))


class _Child:
    """One child that runs pytest, until it is dead.

    Args:
        jail: where it is forked.
        message: its request.
        limits: the limits of each test.
        stuck: the tests that get less time if calls are watched, not more.

    Attributes:
        lost: the test that killed it or that pytest left out; None if there is none.
    """

    def __init__(
        self, jail: Jail, message: dict[str, Any], limits: Verdicts, stuck: frozenset[str]
    ) -> None:
        self.lost: str | None = None
        self._jail = jail
        self._message = message
        self._limits = limits
        self._stuck = stuck
        self._factor = WATCHED if message["watch"] else 1
        self._end = 0.0
        self._collecting = ""
        self._broken = ""
        self._collected: tuple[str, ...] | None = None
        self._files: frozenset[str] = frozenset()
        self._left: list[str] = []
        self._called: defaultdict[str, dict[tuple[str, str, int], None]] = defaultdict(dict)
        self._uses: defaultdict[str, set[str]] = defaultdict(set)
        self._found: list[Outcome] = []

    def run(self) -> Ran:
        """Return the outcomes of the tests that ran, including the lost one."""
        total = self._factor * (COLLECTING + self._limits.cpu_seconds * TESTS)
        kind: Kind = "ERROR"
        with self._jail.child(0, total, marshal.dumps(self._message)) as child:
            self._end = time.perf_counter() + total
            try:
                said = self._follow(child)
            except Stop as stop:
                said, kind = self._broken, stop.kind
                if self._collected is None:
                    said = f"{self._collecting}: {stop.detail}" if self._collecting else stop.detail
                self._lose(stop)
                if isinstance(stop, Forged):
                    self._doubt(stop.detail)
        outcomes = [replace(one, called=self._called_of(one.id)) for one in self._found]
        return Ran(self._collected, tuple(outcomes), said, kind, self._files)

    def _follow(self, child: Child) -> str:
        """Record the child's messages until pytest has ended; return pytest's errors.

        Raises:
            Stop: pytest did not end normally.
        """
        seconds = COLLECTING_COUNTED if self._message["lines"] else COLLECTING
        around = replace(self._limits, cpu_seconds=seconds, wall_seconds=3 * seconds)
        start, clock = time.perf_counter(), self._clock(around)
        watched = self._message["watch"]
        while True:
            match self._receive(child, clock):
                case ["collecting", str(where)] if self._collected is None:
                    self._collecting = where
                    continue
                case ["collected", [*ids], [*files], str(why)] if (
                    self._collected is None and _are_texts(ids) and _are_texts(files)
                ):
                    self._collected, self._broken = tuple(ids), why.strip()
                    self._files = frozenset(files)
                    only, done = self._message["only"], self._message["done"]
                    self._left = _wanted(self._collected, only, done)
                case ["shared", bool(begins)]:
                    # A fixture that many tests share may take as long as collecting.
                    start = time.perf_counter()
                    clock = self._clock(around if begins else self._limits)
                    continue
                case ["uses", str(test), str(set_up)] if watched:
                    self._uses[test].add(set_up)
                    continue
                case ["call", str(node), str(file), str(name), int(distance)] if watched:
                    self._called[node][file, name, distance] = None
                    continue
                case ["test", test, str(kind), str(detail), int(spent)] if (
                    self._left[:1] == [test] and kind in _KINDS
                ):
                    elapsed = time.perf_counter() - start
                    seconds = min(max(spent, 0), 1 << 63) * 1e-9
                    known: Any = None if kind == SKIPPED else kind
                    text = compare.shorten(" ".join(detail.split()))
                    self._found.append(Outcome(self._left.pop(0), known, text, seconds, elapsed))
                case ["hung"]:
                    raise Stop("TIMEOUT", HANGS)
                case ["end", str(said), str(changed)]:
                    if self._left:
                        why = said.strip() or "pytest ended before it ran the test"
                        self._lose(Stop("ERROR", why))
                    if changed:
                        self._doubt(compare.shorten(f"changed pytest itself: {changed}"))
                    # An error after the last test, as of a report's file, changes no outcome.
                    return self._broken if self._found and not self._left else said.strip()
                case _:  # invalid or out of turn: the program wrote it
                    raise Forged
            start = time.perf_counter()
            clock = self._clock(self._limits if self._left else around)

    def _clock(self, limits: Verdicts) -> Clock:
        """Return a clock for collecting or for the next test."""
        factor: float = self._factor
        if self._stuck & {*self._left[:1]}:
            factor = min(1, _STUCK_SECONDS / limits.cpu_seconds)
        cpu, wall = limits.cpu_seconds, limits.wall_seconds
        return Clock(replace(limits, cpu_seconds=factor * cpu, wall_seconds=factor * wall))

    def _receive(self, child: Child, clock: Clock) -> list[Any]:
        """Return the next message.

        Raises:
            Stop: there is none, or the program wrote it, or the whole run takes too long.
        """
        if time.perf_counter() > self._end:  # a program can restart the clock by messages
            raise Stop("TIMEOUT", "the tests do not end")
        frame = child.receive(clock, "end")
        try:
            match json.loads(frame):
                case [secret, *message] if secret == self._message["secret"]:
                    return message
        except (ValueError, RecursionError):
            pass
        raise Forged

    def _called_of(self, test: str) -> tuple[tuple[str, str, int], ...]:
        """Return the functions called in a test, or in code that it shares, in order."""
        called: dict[tuple[str, str, int], None] = {}
        for node, calls in self._called.items():
            below = not node or f"{test}::".startswith((f"{node}::", f"{node}/"))
            if below or node in self._uses[test]:
                called |= calls
        return tuple(called)

    def _lose(self, stop: Stop) -> None:
        """Record that the process ended in the current test, or after the last one."""
        if not self._left and self._found:
            self._left = [self._found.pop().id]
        if self._left:
            self.lost = self._left[0]
            self._found.append(Outcome(self.lost, stop.kind, compare.shorten(stop.detail)))

    def _doubt(self, why: str) -> None:
        """Turn all of the child's outcomes into errors."""
        self._found = [replace(one, kind="ERROR", detail=why) for one in self._found]


_KINDS = ("PASS", "FAIL", "ERROR", "MEMORY", SKIPPED)
_STUCK = ("TIMEOUT", "MEMORY", "CRASH")
_STUCK_SECONDS = 2.0
"""Processor seconds of a test that is known to end its process, if calls are watched."""


def _are_texts(values: list[Any]) -> bool:
    return all(isinstance(one, str) for one in values)


def _wanted(collected: Sequence[str], only: Iterable[str] | None, done: Iterable[str]) -> list[str]:
    """Return the tests still to run, in pytest's order."""
    kept, ran = None if only is None else {*only}, {*done}
    return [id for id in collected if (kept is None or id in kept) and id not in ran]
