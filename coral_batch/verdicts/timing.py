"""Whose processor time it was, and how long cases take that one run is too short to tell.

`charge` holds what a process says against what the kernel counted; `repeated` measures anew.

A case takes microseconds, and starting a process some hundred. So the passed cases run again, in
rounds, in a process of their own, and what the kernel counts for that process is shared out over
the rounds: a program cannot claim to be quick.

What it does not do: keep a program from doing less in the rounds than it did when it was judged, on
purpose. What it can gain by that is bounded: where a process took longer than `STARTUP` by the
kernel's account, its cases keep the times of that run.
"""

from __future__ import annotations

import json
import marshal
import math
from collections.abc import Sequence
from dataclasses import replace

from coral_batch.records.verdict import Program, Verdict
from coral_batch.verdicts.clock import Clock, Limits
from coral_batch.verdicts.inside.zygote import REPEAT
from coral_batch.verdicts.jail import Jail, Stop

# Processor seconds that forking and loading cost an honest process, not charged to its cases: one
# by itself, 6 with an import of dataclasses (2 cores of an AMD EPYC).
STARTUP = 0.01
_TRIES = 3  # of which the quickest counts: what else the machine does only makes programs slower
_WANTED = 0.03  # seconds that the rounds of a try are to take
_ROUNDS = 5000  # in a try, at most


def charge(claims: Sequence[float], calls: int, counted: float) -> list[float]:
    """Spread the processor time of a process over its calls.

    A process says how long each call took, and any program can make it lie. Claims of more than
    the kernel counted are not believed, none of them: all calls then share alike what it did
    count. What it counted beyond the claims (and beyond `STARTUP`) is charged to the calls that
    never answered, or else to all alike, so that understating helps nobody.

    Args:
        claims: seconds that each answered call took, as the process says, each >= 0.
        calls: how many calls there were, >= len(claims); the last ones never answered.
        counted: seconds that the kernel counted for the process, >= 0.

    Returns:
        Seconds for each call, together `counted`, or up to `STARTUP` less.
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
    jail: Jail, program: Program, limits: Limits, verdicts: dict[int, Verdict], used: float
) -> dict[int, Verdict]:
    """Return the verdicts with the processor times of passed cases measured anew.

    Args:
        jail: where to run them.
        program: the program, with cases.
        limits: for all rounds together.
        verdicts: case number -> verdict, of some or all cases.
        used: what they may really have taken, seconds; see `cases`.
    """
    numbers = [number for number in sorted(verdicts) if verdicts[number].kind == "PASS"]
    total = sum(verdicts[number].cpu_seconds for number in numbers)
    if not numbers or max(total, used) >= STARTUP:
        return verdicts
    tries: list[list[float]] = []
    for _ in range(_TRIES):
        rounds = math.ceil(_WANTED / max(total, _WANTED / _ROUNDS))
        tries.append(_measure(jail, program, limits, numbers, rounds))
        # The start of the process counts as well, so that more rounds come closer to the truth.
        total = sum(tries[-1])
    times = dict(zip(numbers, min(tries, key=sum), strict=True))
    return {
        number: replace(verdict, cpu_seconds=times.get(number, verdict.cpu_seconds))
        for number, verdict in verdicts.items()
    }


def _measure(
    jail: Jail, program: Program, limits: Limits, numbers: list[int], rounds: int
) -> list[float]:
    """Return the seconds of each case in one round.

    A process that does not do the rounds has all that it used charged to one.
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
        return [used / len(calls)] * len(calls)
    return [used / rounds * share / sum(spent) for share in spent]


def _parsed(frame: bytes, length: int) -> list[int] | None:
    """Return what the process says of each case, which only decides how they share; None for junk.

    Nothing that it writes is believed to be what the process should have written.
    """
    try:
        spent = json.loads(frame)
    except (ValueError, RecursionError):
        return None
    shares = spent if type(spent) is list and len(spent) == length else [None]
    if not all(type(share) is int and 0 < share < 1 << 50 for share in shares):
        return None
    return spent
