"""The clock that measures a program's time. `jail` kills what exceeds the limits."""

from __future__ import annotations

import time
from pathlib import Path

from coral_batch.records.settings import Verdicts


class Clock:
    """Measures processor and wall time of one case or test from outside.

    A reusable context manager: wall time counts while it is entered. The times are first read after
    a first slice, before which no limit can be exceeded. Time spent waiting for a processor does
    not count, so a busy machine does not change verdicts.
    """

    def __init__(self, limits: Verdicts) -> None:
        self._limits = limits
        self._before_entry = 0.0
        self._entered = 0.0
        self._next = min(0.05, limits.cpu_seconds / 10)
        self._pid = 0
        self._used_before = (0.0, 0.0)

    def __enter__(self) -> Clock:
        self._entered = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        self._before_entry = self._elapsed()

    def _elapsed(self) -> float:
        return self._before_entry + time.monotonic() - self._entered

    def slice(self) -> float:
        """Seconds until the times are next read."""
        return max(self._next - self._elapsed(), 0.001)

    def due(self) -> bool:
        return self._elapsed() >= self._next

    def expired(self, pidfd: int) -> str | None:
        """Return the exceeded limit as text, or None after scheduling the next reading."""
        try:
            if not self._pid:
                self._pid = _number_of(pidfd)
                self._used_before = _used(self._pid)
            cpu, waited = _used(self._pid)
        except (OSError, ProcessLookupError):
            cpu, waited = self._used_before  # it has just ended, as the next poll will show
        cpu_left = self._limits.cpu_seconds - (cpu - self._used_before[0])
        elapsed = self._elapsed()
        wall_left = self._limits.wall_seconds - elapsed + (waited - self._used_before[1])
        if cpu_left <= 0:
            return f"{self._limits.cpu_seconds:g} s of processor time"
        if wall_left <= 0:
            return f"{self._limits.wall_seconds:g} s of wall time"
        self._next = elapsed + min(cpu_left, wall_left)
        return None


def _number_of(pidfd: int) -> int:
    """Return the process id, as this process sees it."""
    for line in Path(f"/proc/self/fdinfo/{pidfd}").read_text().splitlines():
        name, _, value = line.partition(":")
        if name == "Pid" and int(value) > 0:
            return int(value)
    raise ProcessLookupError


def _used(pid: int) -> tuple[float, float]:
    """Return the seconds that a process ran, and that it waited for a processor (0 if unknown).

    Anyone may read a process's clock: its id is ~pid << 3 | 2 (clock_getcpuclockid(3)).
    """
    try:
        waited = int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) * 1e-9
    except (OSError, IndexError):
        waited = 0.0
    return time.clock_gettime(~pid << 3 | 2), waited
