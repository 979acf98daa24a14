"""The base model, its adapters, and what they write. All that computes with torch is here."""

import os
import time
from pathlib import Path

_RUNNING = Path("/proc/loadavg")


def _alone() -> bool:
    """Whether at some moment of the next 50 ms nothing but this thread wants to run, as Linux
    tells it; not so where nothing tells.
    """
    for _ in range(5 if _RUNNING.exists() else 0):
        running = _RUNNING.read_text(encoding="ascii").split()[3].partition("/")[0]
        if int(running) <= 1:
            return True
        time.sleep(0.01)
    return False


# libgomp reads this when torch is imported: how long its threads spin at a barrier before they
# sleep. Sleeping costs a training step on two idle cores 1.8 times the time that spinning does;
# but where another process keeps a core busy, spinning makes a step 3 and decoding 20 times as
# slow. It changes no result.
os.environ.setdefault("GOMP_SPINCOUNT", "300000" if _alone() else "1000")
