"""No process outlives the one that it works for, even when that one is killed."""

from __future__ import annotations

import functools
import os
import threading
import time

_INTERVAL = 0.5  # seconds


@functools.cache
def exit_when_parent_dies(parent: int) -> None:
    """End this process soon after `parent`, its parent, is gone; in the middle of anything.

    A thread looks every half second. What it does not do: end a process that holds Python's global
    lock for ever; such a one needs a limit of its own.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_INTERVAL)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
