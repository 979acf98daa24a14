"""Which processes there are, for tests that nothing is left behind, and the work of one."""

from __future__ import annotations

import os
import time
from pathlib import Path

from coral_batch.work.progress import progress


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


def resident(pids: list[int]) -> int:
    """Bytes of memory that these processes have resident, what they share counted for each."""
    pages = sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in pids)
    return pages * os.sysconf("SC_PAGE_SIZE")


def show_and_stay(_: int) -> int:
    """Show progress in a worker, as training does, long enough that another takes the next unit.

    Returns:
        The worker.
    """
    assert list(progress(range(3), "one", units="steps", leave=False)) == [0, 1, 2]
    time.sleep(2)
    return os.getpid()


def leave_slowly(folder: Path, number: int) -> None:
    """Say in a folder that this unit of work has begun, take a while, and another to clear up."""
    (folder / str(number)).touch()
    try:
        time.sleep(60)
    finally:
        time.sleep(0.5)
