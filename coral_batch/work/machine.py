"""What this machine is."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterator
from pathlib import Path


def processor() -> str:
    """Return the processor's name as Linux tells it, or the architecture where it tells none."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def idle(root: Path = Path("/")) -> bool:
    """Say whether at some moment of the next 50 ms nothing but this thread wants to run.

    Args:
        root: where `proc` lies; False where its kernel does not tell.
    """
    running = root / "proc/loadavg"
    for _ in range(5 if running.exists() else 0):
        count = running.read_text(encoding="ascii").split()[3].partition("/")[0]
        if int(count) <= 1:
            return True
        time.sleep(0.01)
    return False


def available_memory(root: Path = Path("/")) -> int:
    """Return the bytes of memory that are free or can be freed, for this process.

    Control groups limit what a container may take, whatever the machine has. What a group has left
    is its limit less its working set as Kubernetes counts it: usage less inactive file pages.

    Args:
        root: where `proc` and `sys` lie.
    """
    lines = (root / "proc/meminfo").read_text(encoding="ascii").splitlines()
    machine = next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable")) << 10
    return max(0, min([machine, *_left_in_groups(root)]))


def _left_in_groups(root: Path) -> Iterator[int]:
    """Yield what each control group of memory leaves that this process is in, of either version."""
    groups = root / "proc/self/cgroup"
    if not groups.is_file():
        return  # a kernel without control groups
    for line in groups.read_text(encoding="utf-8").splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers:
            mount, names = root / "sys/fs/cgroup", _VERSION_2
        elif "memory" in controllers.split(","):
            mount, names = root / "sys/fs/cgroup/memory", _VERSION_1
        else:
            continue
        # In a container the path may be the one outside; the mount itself is the group then.
        group = mount / path.lstrip("/")
        for folder in (group, *group.parents):
            if (folder / names[0]).is_file():
                limit, used, statistics = ((folder / name).read_text().strip() for name in names)
                if limit != "max":
                    yield int(limit) - int(used) + _inactive(statistics)
            if folder == mount:
                break


_VERSION_2 = ("memory.max", "memory.current", "memory.stat")
_VERSION_1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "memory.stat")


def _inactive(statistics: str) -> int:
    """Return the bytes of inactive file pages, with those of the groups below."""
    found = dict(line.split() for line in statistics.splitlines())
    return int(found.get("total_inactive_file", found["inactive_file"]))
