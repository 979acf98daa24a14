"""Judge many programs on the workers of `coral_batch.work.parallel`, each in a jail.

A worker is a small process: it imports this package and joblib, never torch. It tries which
isolation it has, and keeps its jails for its lifetime. Programs go to the workers in small bundles.
If a case times out or its process dies late, the program comes back at once. Its remaining cases
are then distributed one by one, so that a program that hangs in every case is spread over all
workers.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from coral_batch.errors import CoralError
from coral_batch.lake.atomic import writing
from coral_batch.lake.hashes import code_sha256
from coral_batch.records.problem import Suite
from coral_batch.records.settings import Params, Verdicts
from coral_batch.records.verdict import Program, Verdict
from coral_batch.verdicts.cases import judge_cases
from coral_batch.verdicts.jail import Isolation, Jail, JailError
from coral_batch.verdicts.layers import isolation
from coral_batch.verdicts.projects import (
    check_unchanged,
    compile_project,
    judge_project,
    open_project,
)
from coral_batch.verdicts.suites import ProjectJail
from coral_batch.verdicts.testfiles import judge_tests, test_names
from coral_batch.work.address import cluster
from coral_batch.work.machine import available_memory
from coral_batch.work.parallel import ask, release, require_same, run, slots
from coral_batch.work.progress import progress

Judge = Callable[..., list[list[Verdict]]]
"""`judge` with some of its arguments."""

_BUNDLE = 16
_PATIENCE = 0.5  # seconds after which a worker returns its results so far


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
        programs: the programs.
        settings: limits, and the required layers of isolation.
        workers: processes; None for one per core, or fewer if memory is short; 1 for only this one.
        journal: a file to which finished programs are appended, and from which a killed run
            resumes.
        timed: measure processor times below a millisecond; see `timing`.

    Returns:
        Each program's verdicts, in the order of its cases or tests; the same on every run, except
        durations.

    Raises:
        CoralError: a required layer is missing, memory is too small for the workers, a test file
            does not run, or the jails keep failing.
    """
    check_unchanged(one.tests for one in programs if isinstance(one.tests, Suite))
    workers = workers_that_fit(workers, settings.memory_mb)
    layers = layers_in_force(settings.require)
    keys = [_key(program, settings, layers, timed) for program in programs]
    distinct = dict(zip(keys, programs, strict=True))
    finished = _read(journal, distinct) if journal is not None else {}
    pieces: dict[str, dict[int, Verdict]] = defaultdict(dict)
    try:
        some, several = len(finished), len(distinct) > 1  # no progress bar for a single one
        with progress(
            None, "verdicts", len(distinct), units="programs", initial=some, leave=several
        ) as bar:
            left = {key: distinct[key] for key in distinct if key not in finished}
            for key, verdicts in _verdicts(left, settings, layers, workers, timed):
                pieces[key] |= verdicts
                if len(pieces[key]) == _size(distinct[key]):
                    finished[key] = [pieces[key][number] for number in sorted(pieces[key])]
                    bar.update()
                    if journal is not None:
                        _append(journal, key, finished[key])
    finally:
        # Leave no workers or jails behind, except a cluster's.
        close_jails()
        release()
    return [finished[key] for key in keys]


@dataclass(frozen=True)
class _Task:
    """A program and the numbers of the cases to judge; None for all."""

    key: str
    program: Program
    only: tuple[int, ...] | None = None


def judge_of(settings: Params, journal: Path | None = None) -> Judge:
    """Return `judge` with the settings of a run."""
    workers = settings.compute.workers
    return partial(judge, settings=settings.verdicts, workers=workers, journal=journal)


def layers_in_force(require: tuple[str, ...]) -> tuple[str, ...]:
    """Return the layers of isolation that judging has; `require` as in `isolation`."""
    return ask(isolation, require).layers


def isolation_text(settings: Params) -> str:
    """Return the layers of isolation that judging has, as tables name them."""
    return "+".join(layers_in_force(settings.verdicts.require))


def _verdicts(
    programs: dict[str, Program],
    settings: Verdicts,
    layers: tuple[str, ...],
    workers: int | None,
    timed: bool,
) -> Iterator[tuple[str, dict[int, Verdict]]]:
    """Yield verdicts as they finish, a program's in one or several pieces."""
    tasks = [_Task(key, _anywhere(program)) for key, program in programs.items()]
    size = min(_BUNDLE, len(tasks) // (8 * slots(workers)) + 1)
    bundles = _bundles(tasks, size)
    while bundles:
        left: list[_Task] = []
        slow: list[_Task] = []
        units = [(bundle, settings, layers, timed) for bundle in bundles]
        for unit, done in run(_work, units, workers, again=(JailError,)):
            left += bundles[unit][len(done) :]
            for task, verdicts in zip(bundles[unit], done, strict=False):
                yield task.key, verdicts
                numbers = task.only or range(_size(task.program))
                slow += [
                    replace(task, only=(number,)) for number in numbers if number not in verdicts
                ]
        bundles = _bundles(slow, 1) + _bundles(left, min(size, 4))


def _anywhere(program: Program) -> Program:
    """Return a program with absolute paths, for workers in other folders."""
    if isinstance(suite := program.tests, Suite):
        return replace(program, tests=replace(suite, root=str(Path(suite.root).resolve())))
    return program


def _bundles(tasks: list[_Task], size: int) -> list[list[_Task]]:
    return [tasks[at : at + size] for at in range(0, len(tasks), size)]


def _work(
    tasks: list[_Task], settings: Verdicts, layers: tuple[str, ...], timed: bool
) -> list[dict[int, Verdict]]:
    """Judge a bundle in this process; return the finished part if it takes long."""
    here = isolation(settings.require)
    require_same("layers of isolation", here.layers, layers)
    start = time.monotonic()
    done: list[dict[int, Verdict]] = []
    for task in tasks:
        if done and time.monotonic() - start > _PATIENCE:
            break
        done.append(_judge(task, here, settings, timed))
    return done


def _judge(task: _Task, here: Isolation, settings: Verdicts, timed: bool) -> dict[int, Verdict]:
    program = task.program
    if isinstance(suite := program.tests, Suite):
        jail = _kept_jail("project", _open_project, suite.root, settings)
        return judge_project(jail, program, suite)
    jail = _kept_jail("programs", Jail, here, settings.memory_mb)
    if program.cases:
        return judge_cases(jail, program, settings, task.only, timed=timed)
    apart = _kept_jail("test files", Jail, here, settings.memory_mb)
    return judge_tests(jail, apart, program, settings)


def _open_project(root: str, settings: Verdicts) -> ProjectJail:
    jail = open_project(Path(root), settings)
    compile_project(jail, Path(root))
    return jail


_kept: dict[str, tuple[object, Any]] = {}


def _kept_jail(kind: str, make: Callable[..., Any], *arguments: Any) -> Any:
    """Return this process's jail of a kind; only one is kept, since it can hold much memory.

    Args:
        kind: its purpose.
        make: makes it.
        *arguments: arguments of `make`; a kept jail is reused only if it was made with these.
    """
    if kind in _kept and _kept[kind][0] != arguments:
        _kept.pop(kind)[1].close()
    if kind not in _kept:
        _kept[kind] = arguments, make(*arguments)
    return _kept[kind][1]


def close_jails() -> None:
    """End this process's jails; the next bundle starts new ones."""
    while _kept:
        _kept.popitem()[1][1].close()


atexit.register(close_jails)


def _size(program: Program) -> int:
    if isinstance(program.tests, Suite):
        return len(program.tests.tests)
    return len(program.cases) or len(test_names(program))


def _key(program: Program, settings: Verdicts, layers: Sequence[str], timed: bool) -> str:
    """Hash everything that a verdict depends on."""
    content = [
        _sources(),
        sys.version,
        program,
        [settings.cpu_seconds, settings.wall_seconds, settings.memory_mb],
        layers,
        timed,
    ]
    # Not escaped: two lone surrogates would look the same as the character.
    text = json.dumps(content, ensure_ascii=False, default=vars)
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


@cache
def _sources() -> str:
    """Hash this package's code, so that a journal's verdicts of another version are not reused."""
    return code_sha256(sorted(Path(__file__).parent.rglob("*.py")))


def _read(journal: Path, wanted: Collection[str]) -> dict[str, list[Verdict]]:
    """Read the wanted programs that an earlier run finished, by key.

    Lines that are torn, damaged or in another version's format are judged again.
    """
    found: dict[str, list[Verdict]] = {}
    with writing(journal):
        text = journal.read_text(errors="replace") if journal.exists() else ""
        if text and not text.endswith("\n"):
            with journal.open("a") as file:
                file.write("\n")  # the next entry starts on a new line
    for line in text.splitlines():
        checksum, _, content = line.partition(" ")
        if checksum == hashlib.sha256(content.encode()).hexdigest():
            with contextlib.suppress(ValueError, TypeError):
                key, verdicts = json.loads(content)
                if key in wanted:
                    found[key] = [Verdict(**verdict) for verdict in verdicts]
    return found


def _append(journal: Path, key: str, verdicts: list[Verdict]) -> None:
    """Append one finished program in one write: a line with its SHA-256 first."""
    content = json.dumps([key, [asdict(verdict) for verdict in verdicts]])
    with writing(journal):
        journal.parent.mkdir(parents=True, exist_ok=True)
        with journal.open("a") as file:
            file.write(f"{hashlib.sha256(content.encode()).hexdigest()} {content}\n")


def workers_that_fit(workers: int | None, memory_mb: int) -> int | None:
    """Return how many workers judge in parallel; None on a cluster, whose workers all do.

    Each runs one program at a time, whose address space is limited. With more workers than fit
    into memory, the kernel's out-of-memory killer could strike.

    Args:
        workers: as compute.workers; None for one per core, or fewer if memory is short.
        memory_mb: the limit of each, MiB.

    Raises:
        CoralError: fewer than requested fit into free memory, or none does.
    """
    if cluster():
        return None
    available = available_memory()
    fit = available // (memory_mb << 20)
    if fit < (workers or 1):
        raise CoralError(
            "parallel jails could need more memory than is available",
            file="params.yaml",
            field="compute.workers, verdicts.memory_mb",
            found=f"{workers or 1} x {memory_mb} MiB",
            expected=f"at most {available >> 20} MiB, free or reclaimable",
            action="free memory, or lower one of the two",
        )
    return min(slots(workers), fit)
