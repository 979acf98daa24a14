"""Evolve LoRA/DoRA adapters that repair Python bugs, as a batch system on a file-based lake."""

import os
import time
from pathlib import Path


def _alone() -> bool:
    """Whether at some moment of the next 50 ms nothing but this thread wants to run."""
    for _ in range(5):
        running = Path("/proc/loadavg").read_text(encoding="ascii").split()[3].partition("/")[0]
        if int(running) <= 1:
            return True
        time.sleep(0.01)
    return False


# libgomp reads this when torch is imported: how long its threads spin at a barrier before they
# sleep. Sleeping costs a training step on two idle cores 1.8 times the time that spinning does;
# but where another process keeps a core busy, spinning makes a step 3 and decoding 20 times as
# slow. It changes no result.
os.environ.setdefault("GOMP_SPINCOUNT", "300000" if _alone() else "1000")
