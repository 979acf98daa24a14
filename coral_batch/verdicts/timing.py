"""Assign processor time to cases, and measure cases too short for a single run.

`charge` checks a process's claims against the kernel's count; `repeated` measures again.

A case takes microseconds, starting a process hundreds. So passed cases run again, many rounds in
one separate process, whose time by the kernel's count is divided over the rounds. A program cannot
fake this count.

A program could deliberately do less in these rounds than when it was judged. The gain is bounded:
if a process took longer than `STARTUP`, its cases keep the times of the first run.
"""

from __future__ import annotations

import json
import marshal
import math
from collections.abc import Sequence
from dataclasses import replace

from coral_batch.records.settings import Verdicts
from coral_batch.records.verdict import Program, Verdict
from coral_batch.verdicts.clock import Clock
from coral_batch.verdicts.inside.zygote import REPEAT
from coral_batch.verdicts.jail import Jail, Stop

# Processor seconds of forking and loading that are not charged to cases. Typical: 1 ms, 6 ms with
# an import of dataclasses (2 cores of an AMD EPYC).
STARTUP = 0.01
_TRIES = 3  # the quickest counts: other load only makes programs slower
_WANTED = 0.03  # seconds that the rounds of a try should take
_ROUNDS = 5000  # maximum per try


def charge(claims: Sequence[float], calls: int, counted: float) -> list[float]:
    """Distribute the processor time of a process over its calls.

    A process claims a time for each call, and any program can make it lie. If the claims exceed the
    kernel's count, all are ignored and the count is divided evenly. If the count exceeds the claims
    by more than `STARTUP`, the rest is charged to the unanswered calls, or else to all evenly. So
    understating gains nothing.

    Args:
        claims: claimed seconds of each answered call, >= 0.
        calls: number of calls, >= len(claims); the last ones were not answered.
        counted: seconds by the kernel's count, >= 0.

    Returns:
        Seconds for each call, in total `counted`, or up to `STARTUP` less.
    """
    claimed = math.fsum(claims)
    if claimed > counted:
        return [counted / calls] * calls
    rest = max(0.0, counted - claimed - STARTUP)
    silent = calls - len(claims)
    if silent:
        return [*claims, *[rest / silent] * silent]
    return [seconds + rest / calls for seconds in claims]


def repeated(
    jail: Jail, program: Program, limits: Verdicts, verdicts: dict[int, Verdict], used: float
) -> dict[int, Verdict]:
    """Return the verdicts with new processor times of the passed cases.

    Args:
        jail: where to run them.
        program: the program, with cases.
        limits: for all rounds together.
        verdicts: case number -> verdict, of some or all cases.
        used: upper bound of their seconds by the kernel's count; see `cases`.
    """
    numbers = [number for number in sorted(verdicts) if verdicts[number].kind == "PASS"]
    total = sum(verdicts[number].cpu_seconds for number in numbers)
    if not numbers or max(total, used) >= STARTUP:
        return verdicts
    tries: list[list[float]] = []
    for _ in range(_TRIES):
        rounds = math.ceil(_WANTED / max(total, _WANTED / _ROUNDS))
        seconds, answered = _measure(jail, program, limits, numbers, rounds)
        tries.append(seconds)
        if not answered:  # it would use up its limits again
            break
        # The process's start counts too, so more rounds are more accurate.
        total = sum(tries[-1])
    times = dict(zip(numbers, min(tries, key=sum), strict=True))
    return {
        number: replace(verdict, cpu_seconds=times.get(number, verdict.cpu_seconds))
        for number, verdict in verdicts.items()
    }


def _measure(
    jail: Jail, program: Program, limits: Verdicts, numbers: list[int], rounds: int
) -> tuple[list[float], bool]:
    """Return the seconds of each case in one round, and whether the process finished all rounds.

    If it did not, all its time is charged to one round.
    """
    calls = [marshal.dumps(program.cases[number].inputs) for number in numbers]
    frame = marshal.dumps((program.function, program.code, program.support, calls, rounds))
    with jail.child(REPEAT, limits.cpu_seconds, frame) as child:
        try:
            spent = _parsed(child.receive(Clock(limits)), len(calls))
        except Stop:
            spent = None
        used = child.stop().cpu_seconds
    if spent is None:
        return [used / len(calls)] * len(calls), False
    return [used / rounds * share / sum(spent) for share in spent], True


def _parsed(frame: bytes, length: int) -> list[int] | None:
    """Return the process's claim for each case, or None if invalid.

    Claims are not trusted: they only decide how cases share the counted time.
    """
    try:
        spent = json.loads(frame)
    except (ValueError, RecursionError):
        return None
    shares = spent if type(spent) is list and len(spent) == length else [None]
    if not all(type(share) is int and 0 < share < 1 << 50 for share in shares):
        return None
    return spent
