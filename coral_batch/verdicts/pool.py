"""Many programs on the workers of `coral_batch.work.parallel`, each in a jail.

A worker is a small process: it imports this package and joblib, never torch, finds out what
isolation it gives, and keeps its jails for as long as it lives. Programs go to the workers in small
bundles; a program with a case that timed out, or ended its process late, comes back at once, and
its remaining cases are handed out one by one, so that a program that hangs in every case keeps all
workers busy rather than one.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import json
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from coral_batch.errors import CoralError
from coral_batch.lake.hashes import code_sha256
from coral_batch.lake.tables import plain
from coral_batch.records.problem import Suite
from coral_batch.records.settings import Verdicts
from coral_batch.records.verdict import Program, Verdict
from coral_batch.verdicts.cases import judge_counted
from coral_batch.verdicts.clock import Limits
from coral_batch.verdicts.containment import Isolation
from coral_batch.verdicts.jail import Jail, JailError
from coral_batch.verdicts.layers import isolation
from coral_batch.verdicts.memory import workers_that_fit
from coral_batch.verdicts.projects import (
    check_unchanged,
    compile_project,
    judge_project,
    open_project,
)
from coral_batch.verdicts.suites import ProjectJail
from coral_batch.verdicts.testfiles import judge_tests, names_of
from coral_batch.verdicts.timing import repeated
from coral_batch.work.address import cluster
from coral_batch.work.parallel import ask, release, require_same, run, slots
from coral_batch.work.progress import progress

_BUNDLE = 16
_PATIENCE = 0.5  # seconds after which a worker returns what it has


def judge(
    programs: Sequence[Program],
    settings: Verdicts,
    workers: int | None = None,
    journal: Path | None = None,
    *,
    timed: bool = False,
) -> list[list[Verdict]]:
    """Judge programs; the same code for the same problem is run once.

    Args:
        programs: what to judge.
        settings: limits, and the layers of isolation to insist on.
        workers: processes; None for one a core, or fewer where memory is short; 1 for none beside
            this one.
        journal: a file that finished programs are appended to, and taken from when they are in
            it, so that a run that was killed goes on where it stopped.
        timed: whether processor times are to be told apart below a millisecond; see `timing`.

    Returns:
        For each program its verdicts, in the order of its cases or tests; the same on every run,
        durations aside.

    Raises:
        CoralError: a required layer is missing, memory does not hold the workers, a test file does
            not run, or the jails keep failing.
    """
    check_unchanged(one.tests for one in programs if isinstance(one.tests, Suite))
    workers = workers_that_fit(workers, settings.memory_mb)
    layers = layers_in_force(settings.require)
    keys = [_key(program, settings, layers, timed) for program in programs]
    distinct = dict(zip(keys, programs, strict=True))
    finished = _read(journal, distinct) if journal is not None else {}
    pieces: dict[str, list[dict[int, Verdict]]] = {}
    try:
        stand = len(finished)
        several = len(distinct) > 1  # of one there is nothing to say
        with progress(
            None, "verdicts", len(distinct), units="programs", initial=stand, leave=several
        ) as bar:
            left = {key: distinct[key] for key in distinct if key not in finished}
            for key, verdicts in _verdicts(left, settings, layers, workers, journal, timed):
                pieces.setdefault(key, []).append(verdicts)
                have = {number: piece[number] for piece in pieces[key] for number in piece}
                if len(have) == _size(distinct[key]):
                    finished[key] = [have[number] for number in sorted(have)]
                    bar.update()
                    if journal is not None and (cluster() or len(pieces[key]) > 1):
                        _append(journal, key, finished[key])
    finally:
        # Neither workers nor their jails are left behind; those of a cluster are its own.
        close_jails()
        release()
    return [finished[key] for key in keys]


@dataclass(frozen=True)
class _Task:
    """A program and the numbers of the cases to judge; None for all."""

    key: str
    program: Program
    only: tuple[int, ...] | None = None


_Delivery = tuple[str, dict[int, Verdict]]


def layers_in_force(require: tuple[str, ...]) -> tuple[str, ...]:
    """Return the layers of isolation where programs are judged; `require` as in `isolation`."""
    return ask(_layers, require)


def _layers(require: tuple[str, ...]) -> tuple[str, ...]:
    return isolation(require).layers


def _verdicts(
    programs: dict[str, Program],
    settings: Verdicts,
    layers: tuple[str, ...],
    workers: int | None,
    journal: Path | None,
    timed: bool,
) -> Iterator[_Delivery]:
    """Yield verdicts as they come, a program's in one piece or in several."""
    tasks = [_Task(key, _anywhere(program)) for key, program in programs.items()]
    size = min(_BUNDLE, len(tasks) // (8 * slots(workers)) + 1)
    bundles = _bundles(tasks, size)
    while bundles:
        left: list[_Task] = []
        slow: list[_Task] = []
        # A line that several machines append at the same time is none: there, the caller does it.
        own = None if cluster() else journal
        units = [(bundle, settings, layers, own, timed) for bundle in bundles]
        for _, (done, rest) in run(_work, units, workers, again=(JailError,)):
            left += rest
            for task, verdicts in done:
                yield task.key, verdicts
                numbers = task.only or range(_size(task.program))
                slow += [
                    _Task(task.key, task.program, (number,))
                    for number in numbers
                    if number not in verdicts
                ]
        bundles = _bundles(slow, 1) + _bundles(left, min(size, 4))


def _anywhere(program: Program) -> Program:
    """Return a program as a worker in any folder can judge it."""
    if isinstance(suite := program.tests, Suite):
        return replace(program, tests=replace(suite, root=str(Path(suite.root).resolve())))
    return program


def _bundles(tasks: list[_Task], size: int) -> list[list[_Task]]:
    return [tasks[at : at + size] for at in range(0, len(tasks), size)]


def _work(
    tasks: list[_Task],
    settings: Verdicts,
    layers: tuple[str, ...],
    journal: Path | None,
    timed: bool,
) -> tuple[list[tuple[_Task, dict[int, Verdict]]], list[_Task]]:
    """Judge a bundle in this process; return what is done and, when it takes long, the rest.

    A program that is done goes to the journal at once, not only when its bundle is delivered.
    """
    limits = Limits(settings.cpu_seconds, settings.wall_seconds, settings.memory_mb)
    here = isolation(settings.require)
    require_same("layers of isolation", here.layers, layers)
    jail, apart = _jails(here, settings.memory_mb)
    start = time.monotonic()
    done: list[tuple[_Task, dict[int, Verdict]]] = []
    rest: list[_Task] = []
    for number, task in enumerate(tasks):
        if number and time.monotonic() - start > _PATIENCE:
            rest = tasks[number:]
            break
        if isinstance(suite := task.program.tests, Suite):
            verdicts = judge_project(_project_jail(suite, settings), task.program, suite)
        elif task.program.cases:
            verdicts, used = judge_counted(jail, task.program, limits, task.only)
            if timed:
                verdicts = repeated(jail, task.program, limits, verdicts, used)
        else:
            verdicts = judge_tests(jail, apart, task.program, limits)
        done.append((task, verdicts))
        if journal is not None and task.only is None and len(verdicts) == _size(task.program):
            _append(journal, task.key, [verdicts[number] for number in sorted(verdicts)])
    return done, rest


_kept: dict[tuple[tuple[str, ...], int], tuple[Jail, Jail]] = {}


def _jails(layers: Isolation, memory_mb: int) -> tuple[Jail, Jail]:
    """Return this process's jails: one for programs, one for test files."""
    key = (layers.command, memory_mb)
    if key not in _kept:
        close_jails()
        _kept[key] = (Jail(layers, memory_mb), Jail(layers, memory_mb))
    return _kept[key]


_projects: dict[tuple[str, Verdicts], ProjectJail] = {}


def _project_jail(suite: Suite, settings: Verdicts) -> ProjectJail:
    """Return this process's jail of a project; one at a time, since each holds its packages."""
    key = (suite.root, settings)
    if key not in _projects:
        while _projects:
            _projects.popitem()[1].close()
        _projects[key] = open_project(Path(suite.root), settings)
        compile_project(_projects[key], Path(suite.root))
    return _projects[key]


def close_jails() -> None:
    """End the jails that this process keeps; the next bundle starts new ones."""
    while _kept:
        for jail in _kept.popitem()[1]:
            jail.close()
    while _projects:
        _projects.popitem()[1].close()


atexit.register(close_jails)


def _size(program: Program) -> int:
    return len(names_of(program))


def _key(program: Program, settings: Verdicts, layers: Sequence[str], timed: bool) -> str:
    """Hash everything that a verdict depends on."""
    content = [
        _sources(),
        sys.version,
        program.function,
        program.code,
        [[case.inputs, case.expected, case.tolerance] for case in program.cases],
        plain(program.tests),
        program.support,
        [settings.cpu_seconds, settings.wall_seconds, settings.memory_mb],
        layers,
        timed,
        program.lines,
    ]
    # As it stands: escaped, two halves of a character would be the same as the character.
    text = json.dumps(content, ensure_ascii=False)
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


@functools.cache
def _sources() -> str:
    """Hash this package's code: verdicts of another version are not taken from a journal."""
    return code_sha256(sorted(Path(__file__).parent.rglob("*.py")))


def _read(journal: Path, wanted: Collection[str]) -> dict[str, list[Verdict]]:
    """Read what an earlier run finished of the programs wanted, by their keys.

    A line that is torn, damaged or of another version's form is judged again.
    """
    found: dict[str, list[Verdict]] = {}
    try:
        text = journal.read_text(errors="replace")
        if text and not text.endswith("\n"):
            with journal.open("a") as file:
                file.write("\n")  # what is appended next begins a line of its own
    except FileNotFoundError:
        return found
    except OSError as error:
        raise _unusable(journal, error) from None
    for line in text.splitlines():
        checksum, _, content = line.partition(" ")
        if checksum == hashlib.sha256(content.encode()).hexdigest():
            with contextlib.suppress(ValueError, TypeError):
                key, verdicts = json.loads(content)
                if key in wanted:
                    found[key] = [Verdict(**verdict) for verdict in verdicts]
    return found


def _append(journal: Path, key: str, verdicts: list[Verdict]) -> None:
    """Append one finished program as one line behind its own SHA-256, in one write."""
    content = json.dumps([key, [asdict(verdict) for verdict in verdicts]])
    try:
        journal.parent.mkdir(parents=True, exist_ok=True)
        with journal.open("a") as file:
            file.write(f"{hashlib.sha256(content.encode()).hexdigest()} {content}\n")
    except OSError as error:
        raise _unusable(journal, error) from None


def _unusable(journal: Path, error: OSError) -> CoralError:
    return CoralError(
        "the verdicts cannot be kept",
        file=journal,
        found=error.strerror,
        action="free space or grant write access, and run again; what was finished is kept",
    )
