"""What this machine is."""

from __future__ import annotations

import platform
from pathlib import Path


def processor() -> str:
    """Return the processor's name as Linux tells it, or the architecture where it tells none."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def available_memory() -> int:
    """Return the bytes of memory that are free or can be freed."""
    lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable")) << 10
