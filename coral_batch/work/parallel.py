"""Units of work, on processes of this machine or on a Dask cluster: all that is spread goes here.

The environment variable DASK_SCHEDULER_ADDRESS names the cluster; without it, this machine works.
No parameter of the run: where it is computed changes no result.

A unit is a call of a module's function with plain values. Results come as they are done, each with
the number of its unit, so that nothing that is made of them depends on who did what, or when. A
process that is killed from outside costs its unit a second try, not the run. Ctrl-C, which a
terminal sends to every process, ends the processes without a word: the caller says it.

What a unit does, and how much work is in one, is the caller's.
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
"""How often a unit is handed out; a death counts for all whose results were not taken yet."""

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
        function: a function of a module, which the workers import.
        units: the arguments of each call, values that can be pickled.
        workers: processes of this machine; None for one a core, 1 for this one alone. A cluster
            has those that it has.
        device: on a cluster, only workers that offer a device get the units, one at a time.
        reads: the files that each unit reads; a worker of a cluster refuses one that is not, under
            the same path, what it is here.
        again: exceptions after which a unit is tried again, as after the death of its worker.

    Raises:
        CoralError: workers keep dying over the same unit, the cluster does not work, or `function`
            raises it.
        Exception: whatever else `function` raises.
    """
    left = dict(enumerate(units))
    tries: Counter[int] = Counter()
    while left:
        # Those of a cluster are handed out at once, those of a pool as it takes them.
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
            print("coral: the scheduler is gone; looking for it again", file=sys.stderr)
        except (TerminatedWorkerError, *again) as error:
            if _tried_enough(left, tries):
                raise CoralError(
                    "the workers keep dying",
                    found=str(error).partition("\n")[0] or type(error).__name__,
                    action="look for the kernel's out-of-memory killer, or lower compute.workers "
                    "or verdicts.memory_mb",
                ) from None


def _counted(
    units: Mapping[int, tuple[Any, ...]], tries: Counter[int]
) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Yield units, and count how often each was handed out: which one kills is not known."""
    for number, unit in units.items():
        tries[number] += 1
        yield number, unit


def _tried_enough(left: Iterable[int], tries: Counter[int]) -> bool:
    return any(tries[number] >= _ATTEMPTS for number in left)


def ask(function: Callable[..., Result], *arguments: Any, device: bool = False) -> Result:
    """Call `function` where units are done: here, or on whichever worker answers first.

    What is asked for is how workers compute; every unit then compares itself with it
    (`require_same`).
    """
    if cluster() is None:
        return function(*arguments)
    return next(result for _, result in run(function, [arguments], device=device))


def require_same(what: str, here: object, asked: object) -> None:
    """Insist, in a unit, that this worker is like the one that was asked.

    Raises:
        CoralError: it is not.
    """
    if isinstance(here, Mapping) and isinstance(asked, Mapping):
        names = [name for name in asked if here.get(name) != asked[name]]
        here = {name: here.get(name) for name in names}
        asked = {name: asked[name] for name in names}
    if here != asked:
        raise CoralError(
            "a worker differs from the one that the run goes by",
            field=what,
            found=here,
            expected=shorten(asked),
            action="let only workers that are alike have a part in the run",
        )


def slots(workers: int | None = None, *, device: bool = False) -> int:
    """Return how many units are worked on at a time, >= 1; arguments as in `run`."""
    address = cluster()
    if address is None:
        return int(joblib.effective_n_jobs(workers or -1))
    return int(dask().slots(address, device))


_kept: dict[str, tuple[Any, Any]] = {}
_keeping = threading.Lock()


def keep(place: str, key: Any, make: Callable[[], Result]) -> Result:
    """Return what `make` makes, kept in this process until another key is asked for at its place.

    Threads may ask at the same time; things are made one after the other.

    Args:
        place: what has room for one of them, such as a device.
        key: what decides what is made.
        make: makes it, such as a loaded model, which the next unit needs again.
    """
    with _keeping:
        if place not in _kept or _kept[place][0] != key:
            _kept.pop(place, None)
            gc.collect()  # before: two models may not fit
            _kept[place] = key, make()
        result: Result = _kept[place][1]
        return result


def release() -> None:
    """End the processes that wait for units, and with them what they `keep`.

    Not while results of `run` are still to come. The workers of a cluster are its own.
    """
    if cluster() is None:
        get_reusable_executor(reuse=True).shutdown(wait=True)


def dask() -> ModuleType:
    """Import what needs the extra `dask`, which runs on one machine do without."""
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
    # A worker that keeps a model has grown, which loky takes for a leak: it starts another one.
    warnings.filterwarnings("ignore", message="A worker stopped while some jobs were given")
    # The pool gets units as others are done. Of units that wait in loky's own queue when the pool
    # is stopped it keeps the numbers alone, and looking one up ends its thread with a traceback.
    pool = joblib.Parallel(n_jobs=workers or -1, return_as="generator_unordered", batch_size=1)
    results: Any = None
    try:
        with _deaf():  # which may raise what it held back, with everything begun
            results = pool(
                joblib.delayed(_call)(function, number, unit, os.getpid()) for number, unit in units
            )
        for result in results:  # noqa: UP028, as `yield from` would close it with the warning
            yield result
    finally:
        with warnings.catch_warnings(), _dropping():
            warnings.simplefilter("ignore")  # that units are dropped is why one closes it
            if results is not None:
                results.close()


@contextmanager
def _dropping() -> Iterator[None]:
    """Let loky's thread end without a traceback where it looks up a unit that was dropped.

    Where a pool is stopped at the moment in which it gets a unit, it kills its processes and
    forgets its units, and then still looks up their numbers. Closing the pool waits for the thread.
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
def _deaf() -> Iterator[None]:
    """Hold Ctrl-C back in this thread, and in the processes that are started meanwhile.

    A process hears it from its first unit on (`_call`): until then Python is starting in it, where
    an interrupt is a traceback on the terminal. Blocking the signal is for them. Here it may reach
    another thread, for which Python then interrupts this one, in the middle of starting a process.
    """
    resource_tracker.ensure_running()  # before, since starting it lets Ctrl-C through again
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
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        return number, function(*unit)
    except KeyboardInterrupt:  # behind what the unit does to leave nothing behind
        _leave()
    finally:
        signal.signal(signal.SIGINT, _leave)


def _leave(*_: object) -> NoReturn:
    """End this process at once, without the tracebacks of what runs between two units."""
    os._exit(128 + signal.SIGINT)
