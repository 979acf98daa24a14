"""What this machine is, in words."""

from __future__ import annotations

import platform
from pathlib import Path


def processor() -> str:
    """Return the processor's name as Linux tells it, or the architecture where it tells none."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
