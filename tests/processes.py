"""Which processes there are. Nothing but Python's own library: it counts before `make setup`."""

import os
import time
from collections.abc import Callable
from pathlib import Path


def descendants(ancestor: int) -> list[int]:
    """Process ids below a process."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int(
                (folder / "stat").read_text().rsplit(")", 1)[1].split()[1]
            )
        except OSError:
            continue
    found = [ancestor]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found[1:]


def alive(pid: int) -> bool:
    """Whether a process is there and not merely uncollected."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def wait_until(holds: Callable[[], bool], seconds: float = 180) -> None:
    """Wait until something holds; fail if it does not within some seconds."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def resident(pids: list[int]) -> int:
    """Bytes of memory that these processes have resident, what they share counted for each."""
    pages = sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in pids)
    return pages * os.sysconf("SC_PAGE_SIZE")
