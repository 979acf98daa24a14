"""This machine's processor, load and memory."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterator
from pathlib import Path


def processor() -> str:
    """Return the processor's name from /proc/cpuinfo, or else the architecture."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def idle(root: Path = Path("/")) -> bool:
    """Whether, at some moment of the next 50 ms, only this thread is runnable.

    Args:
        root: the folder of `proc`; without /proc/loadavg the result is False.
    """
    running = root / "proc/loadavg"
    for _ in range(5 if running.exists() else 0):
        count = running.read_text(encoding="ascii").split()[3].partition("/")[0]
        if int(count) <= 1:
            return True
        time.sleep(0.01)
    return False


def available_memory(root: Path = Path("/")) -> int:
    """Return the bytes of memory available to this process, free or reclaimable.

    Control groups can limit a container to less than the machine has. A group's available memory is
    its limit minus its working set as Kubernetes counts it: usage minus inactive file pages.

    Args:
        root: the folder of `proc` and `sys`.
    """
    lines = (root / "proc/meminfo").read_text(encoding="ascii").splitlines()
    machine = next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable")) << 10
    return max(0, min([machine, *_left_in_groups(root)]))


def _left_in_groups(root: Path) -> Iterator[int]:
    """Yield the bytes left in each of this process's memory control groups, version 1 or 2."""
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
        # In a container the path may be the host's; then the mount itself is the group.
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
    """Return the bytes of inactive file pages, subgroups included."""
    found = dict(line.split() for line in statistics.splitlines())
    return int(found.get("total_inactive_file", found["inactive_file"]))
