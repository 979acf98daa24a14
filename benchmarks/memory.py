"""Run a command and print the peak memory of all its processes together.

    python -m benchmarks.memory make repro

Shared memory counts once (PSS). Memory is sampled every second, so shorter peaks may be missed. If
sampling is slow it happens less often, so that it takes at most 2 % of a core.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from tests.processes import descendants


def main() -> int:
    """Run from the command line; return the command's exit status."""
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    running = subprocess.Popen(sys.argv[1:])
    peak = 0
    while running.poll() is None:
        start = time.monotonic()
        peak = max(peak, sum(map(_proportional, descendants(os.getpid()))))
        time.sleep(max(1.0, 50 * (time.monotonic() - start)))
    print(f"peak {peak / 2**20:.2f} GiB", file=sys.stderr)
    return running.returncode


def _proportional(pid: int) -> int:
    """Return a process's proportional set size in KiB; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


if __name__ == "__main__":
    sys.exit(main())
