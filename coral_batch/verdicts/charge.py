"""Whose processor time it was: what a process says, held against what the kernel counted."""

from __future__ import annotations

import math
from collections.abc import Sequence

# Processor seconds that forking and loading cost an honest process, not charged to its cases: one
# by itself, 6 with an import of dataclasses (2 cores of an AMD EPYC).
STARTUP = 0.01


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
