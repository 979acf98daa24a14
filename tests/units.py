"""Units of work, for tests of what runs them."""

from __future__ import annotations

import os
import time
from pathlib import Path

from coral_batch.work.progress import progress


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
