"""Run units of work in processes of this machine or on a Dask cluster.

The environment variable DASK_SCHEDULER_ADDRESS names the cluster; without it, this machine works.
It is not a parameter of the run, since it changes no result.

A unit is a call of a module-level function with plain values. Results arrive as they finish, each
with its unit's number, so they need not depend on order. If a process is killed, its unit is
retried. Ctrl-C, which a terminal sends to every process, ends the processes silently: the caller
reports it.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing import resource_tracker
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn, TypeVar

import joblib
from joblib.externals.loky import get_reusable_executor
from joblib.externals.loky.process_executor import TerminatedWorkerError, _ExecutorManagerThread

from coral_batch.errors import CoralError, shorten
from coral_batch.verdicts.inside.kernel import exit_when_parent_dies
from coral_batch.work.address import ADDRESS, SchedulerLostError, cluster

_ATTEMPTS = 3
"""How often a unit is tried; a killed worker counts against all unfinished units."""

Result = TypeVar("Result")


def run(
    function: Callable[..., Result],
    units: Sequence[tuple[Any, ...]],
    workers: int | None = None,
    *,
    device: bool = False,
    reads: Sequence[Sequence[Path]] = (),
    again: tuple[type[Exception], ...] = (),
) -> Iterator[tuple[int, Result]]:
    """Call `function` with the arguments of each unit; yield number and result as they come.

    Args:
        function: a module-level function, which the workers import.
        units: the arguments of each call; must be picklable.
        workers: processes of this machine; None for one per core, 1 for this process only. Ignored
            on a cluster.
        device: on a cluster, use only workers that offer a device, one unit at a time.
        reads: the files that each unit reads; a cluster's worker refuses a file that differs from
            the one at the same path here.
        again: exceptions after which a unit is retried, as after a worker's death.

    Raises:
        CoralError: workers keep dying on the same unit, the cluster does not work, or `function`
            raises it.
        Exception: anything else that `function` raises.
    """
    left = dict(enumerate(units))
    tries: Counter[int] = Counter()
    while left:
        # A cluster gets all units at once, a pool takes them one by one.
        units_left = _counted(dict(left), tries)
        try:
            address = cluster()
            if address is None:
                results = _processes(function, units_left, workers)
            else:
                results = dask().run(address, function, dict(units_left), reads, device)
            for number, result in results:
                del left[number]
                yield number, result
            return
        except SchedulerLostError:
            if _tried_enough(left, tries):
                raise
            print("coral: lost the scheduler; reconnecting", file=sys.stderr)
        except (TerminatedWorkerError, *again) as error:
            if _tried_enough(left, tries):
                raise CoralError(
                    "the workers keep dying",
                    found=str(error).partition("\n")[0] or type(error).__name__,
                    action="check for out-of-memory kills (dmesg), or lower compute.workers, "
                    "compute.threads or verdicts.memory_mb",
                ) from None


def _counted(
    units: Mapping[int, tuple[Any, ...]], tries: Counter[int]
) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Yield units and count the tries of each, since we cannot know which one kills workers."""
    for number, unit in units.items():
        tries[number] += 1
        yield number, unit


def _tried_enough(left: Iterable[int], tries: Counter[int]) -> bool:
    return any(tries[number] >= _ATTEMPTS for number in left)


def ask(function: Callable[..., Result], *arguments: Any, device: bool = False) -> Result:
    """Call `function` where units run: here, or on the first worker that answers.

    Used to ask how workers compute; every unit then compares its worker (`require_same`).
    """
    if cluster() is None:
        return function(*arguments)
    return next(result for _, result in run(function, [arguments], device=device))


def require_same(what: str, here: object, asked: object) -> None:
    """Check, in a unit, that this worker is like the one that answered `ask`.

    Raises:
        CoralError: it differs.
    """
    if isinstance(here, Mapping) and isinstance(asked, Mapping):
        names = [name for name in asked if here.get(name) != asked[name]]
        here = {name: here.get(name) for name in names}
        asked = {name: asked[name] for name in names}
    if here != asked:
        raise CoralError(
            "a worker differs from the one that answered first",
            field=what,
            found=here,
            expected=shorten(asked),
            action="use workers with identical hardware and software only",
        )


def slots(workers: int | None = None, *, device: bool = False) -> int:
    """Return how many units run at a time, >= 1; arguments as in `run`."""
    address = cluster()
    if address is None:
        return int(joblib.effective_n_jobs(workers or -1))
    return int(dask().slots(address, device))


_kept: dict[str, tuple[Any, Any]] = {}
_keeping = threading.Lock()


def keep(place: str, key: Any, make: Callable[[], Result]) -> Result:
    """Return the result of `make`, cached in this process until `place` gets another key.

    Threads may call this at the same time; results are made one at a time.

    Args:
        place: a slot that holds one result, such as a device.
        key: determines the result.
        make: makes it, for example loads a model that the next unit needs again.
    """
    with _keeping:
        if place not in _kept or _kept[place][0] != key:
            _kept.pop(place, None)
            gc.collect()  # first: two models may not fit
            _kept[place] = key, make()
        result: Result = _kept[place][1]
        return result


def drop(place: str) -> None:
    """Drop what `keep` has cached in a place, such as a device that another model needs."""
    with _keeping:
        if _kept.pop(place, None):
            gc.collect()


def release() -> None:
    """End the idle worker processes, and with them what they `keep`.

    Do not call it before `run` has yielded all results. A cluster's workers stay.
    """
    if cluster() is None:
        get_reusable_executor(reuse=True).shutdown(wait=True)


def dask() -> ModuleType:
    """Import the module that needs the extra `dask`; runs on one machine do not."""
    try:
        from coral_batch.work import cluster  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if error.name not in {"dask", "distributed"}:
            raise
        raise CoralError(
            "a cluster needs the package distributed",
            field=ADDRESS,
            found=os.environ[ADDRESS],
            action="run `pip install -c constraints.txt -e '.[dask]'`, or unset the variable",
        ) from None
    return cluster


def _processes(
    function: Callable[..., Result],
    units: Iterator[tuple[int, tuple[Any, ...]]],
    workers: int | None,
) -> Iterator[tuple[int, Result]]:
    # loky takes the memory of a kept model for a leak and restarts the worker.
    warnings.filterwarnings("ignore", message="A worker stopped while some jobs were given")
    # The pool gets a unit when another is done. If units wait in loky's own queue when the pool
    # stops, loky forgets them, and looking one up ends its thread with a traceback.
    pool = joblib.Parallel(n_jobs=workers or -1, return_as="generator_unordered", batch_size=1)
    results: Any = None
    try:
        with _delayed_interrupt():  # may raise a delayed Ctrl-C, once everything has started
            results = pool(
                joblib.delayed(_call)(function, number, unit, os.getpid()) for number, unit in units
            )
        for result in results:  # noqa: UP028, as `yield from` would close it with the warning
            yield result
    finally:
        with warnings.catch_warnings(), _dropping():
            warnings.simplefilter("ignore")  # we close it in order to drop units
            if results is not None:
                results.close()


@contextmanager
def _dropping() -> Iterator[None]:
    """Let loky's thread end without a traceback when it looks up a dropped unit.

    A pool that is stopped while it gets a unit kills its processes, forgets its units and then
    still looks up their numbers. Closing the pool waits for the thread.
    """
    tell = threading.excepthook

    def hook(raised: threading.ExceptHookArgs) -> None:
        if not (raised.exc_type is KeyError and isinstance(raised.thread, _ExecutorManagerThread)):
            tell(raised)

    threading.excepthook = hook
    try:
        yield
    finally:
        threading.excepthook = tell


@contextmanager
def _delayed_interrupt() -> Iterator[None]:
    """Delay Ctrl-C in this thread, and block it in the processes started meanwhile.

    A process accepts it from its first unit on (`_call`). Before that, Python is still starting and
    an interrupt would print a traceback. Blocking the signal is not enough in this process: another
    thread may get it, and Python would then interrupt this one while it starts a process.
    """
    resource_tracker.ensure_running()  # first, since starting it unblocks Ctrl-C
    heard: list[int] = []
    listens = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, lambda *_: heard.append(1)) if listens else None
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if listens:
            signal.signal(signal.SIGINT, handler)
        if heard:
            signal.raise_signal(signal.SIGINT)


def _call(
    function: Callable[..., Result], number: int, unit: tuple[Any, ...], caller: int
) -> tuple[int, Result]:
    if os.getpid() == caller:
        return number, function(*unit)
    exit_when_parent_dies(os.getppid())
    sys.unraisablehook = _leave_if_interrupted
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        return number, function(*unit)
    except KeyboardInterrupt:  # after the unit's own cleanup
        _leave()
    finally:
        signal.signal(signal.SIGINT, _leave)


def _leave_if_interrupted(raised: sys.UnraisableHookArgs) -> None:
    """Hear a Ctrl-C that came while Python deleted an object, where nothing can catch it."""
    if raised.exc_type is KeyboardInterrupt:
        _leave()
    sys.__unraisablehook__(raised)


def _leave(*_: object) -> NoReturn:
    """End this process at once, without tracebacks from code between two units."""
    os._exit(128 + signal.SIGINT)
