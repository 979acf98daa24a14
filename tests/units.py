"""Units of work, for tests of what runs them."""

import time
from pathlib import Path


def leave_slowly(folder: Path, number: int) -> None:
    """Say in a folder that this unit of work has begun, take a while, and another to clear up."""
    (folder / str(number)).touch()
    try:
        time.sleep(60)
    finally:
        time.sleep(0.5)
