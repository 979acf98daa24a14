"""Units of work on processes of this machine: how all that is done many times is spread.

A unit is a call of a module's function with plain values. Results come as they are done, each with
the number of its unit, so that nothing that is made of them depends on who did what, or when. A
process that is killed from outside costs its unit a second try, not the run.

What a unit does, and how much work is in one, is the caller's.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import joblib
from joblib.externals.loky.process_executor import TerminatedWorkerError

from coral_batch.errors import CoralError
from coral_batch.orphans import die_with

_ATTEMPTS = 3

Result = TypeVar("Result")


def run(
    function: Callable[..., Result],
    units: Sequence[tuple[Any, ...]],
    workers: int | None = None,
    *,
    again: tuple[type[Exception], ...] = (),
) -> Iterator[tuple[int, Result]]:
    """Call `function` with the arguments of each unit; yield number and result as they come.

    Args:
        function: a function of a module, which the workers import.
        units: the arguments of each call, values that can be pickled.
        workers: processes; None for one a core, 1 for this one alone.
        again: exceptions after which a unit is tried again, as after the death of its worker.

    Raises:
        CoralError: workers keep dying, or `function` raises it.
        Exception: whatever else `function` raises.
    """
    left = dict(enumerate(units))
    for attempt in range(_ATTEMPTS):
        try:
            for number, result in _processes(function, dict(left), workers):
                del left[number]
                yield number, result
            return
        except (TerminatedWorkerError, *again) as error:
            if attempt == _ATTEMPTS - 1:
                raise CoralError(
                    "the workers keep dying",
                    found=str(error).partition("\n")[0] or type(error).__name__,
                    action="look for the kernel's out-of-memory killer, or lower compute.workers "
                    "or verdicts.memory_mb",
                ) from None


def slots(workers: int | None = None) -> int:
    """Return how many units are worked on at a time, >= 1; `workers` as in `run`."""
    return int(joblib.effective_n_jobs(workers or -1))


def _processes(
    function: Callable[..., Result], units: Mapping[int, tuple[Any, ...]], workers: int | None
) -> Iterator[tuple[int, Result]]:
    pool = joblib.Parallel(
        n_jobs=workers or -1, return_as="generator_unordered", batch_size=1, pre_dispatch="all"
    )
    results: Iterator[tuple[int, Result]] = pool(
        joblib.delayed(_call)(function, number, unit, os.getpid()) for number, unit in units.items()
    )
    return results


def _call(
    function: Callable[..., Result], number: int, unit: tuple[Any, ...], caller: int
) -> tuple[int, Result]:
    if os.getpid() != caller:
        die_with(os.getppid())
    return number, function(*unit)
