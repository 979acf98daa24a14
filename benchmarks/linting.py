"""Compare linting in batches with one flake8 and one bandit process per file.

All files differ: the bundled corpus' programs, each with a unique extra line. Each linter is
measured separately. On one core, one worker is compared with one process at a time. The findings of
both ways must agree.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from benchmarks.table import ROOT, Row
from coral_batch.linting.pool import lint

_COMMANDS = {
    "flake8": ["flake8", "--isolated", "--disable-noqa", "--format=%(code)s"],
    "bandit": ["bandit", "--ignore-nosec", "-q", "-f", "custom", "--msg-template", "{test_id}"],
}
_FILES = 1200
_PROCESSES = 40


def measure() -> list[Row]:
    """Run each linter with one process per file, and in batches with one and two workers."""
    folder = ROOT / "lake/raw/classics/python_programs"
    programs = [path.read_text() for path in sorted(folder.glob("*.py"))]
    sources = [f"{programs[i % len(programs)]}version = {i}\n" for i in range(_FILES)]
    rows = []
    for tool, command in _COMMANDS.items():
        start = time.perf_counter()
        codes = [_codes_of_command(command, source) for source in sources[:_PROCESSES]]
        separate = _PROCESSES / (time.perf_counter() - start)
        batched = {}
        for workers in (1, 2):
            start = time.perf_counter()
            findings = lint(sources, workers, (tool,))
            batched[workers] = _FILES / (time.perf_counter() - start)
        for number, theirs in enumerate(codes):
            ours = Counter(found.code for found in findings[number])
            if ours != theirs:
                raise RuntimeError(f"{tool} disagrees on text {number}: {ours} and {theirs}")
        rows += [
            Row(f"{tool}, one core", "files/s", batched[1], "a process a file", separate, 30),
            Row(f"{tool}, two workers", "files/s", batched[2], "one worker", batched[1]),
        ]
    return rows


def _codes_of_command(command: list[str], source: str) -> Counter[str]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "source.py")
        file.write_text(source)
        done = subprocess.run(
            [sys.executable, "-m", *command, file], capture_output=True, text=True, check=False
        )
    return Counter(done.stdout.split())
