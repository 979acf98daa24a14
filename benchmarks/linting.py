"""Compare linting in a pool with one flake8 and one bandit process a file, in one run.

    python benchmarks/linting.py [FOLDER] [--workers N]

Prints files a second of both ways and the ratio. The pool's time includes starting its workers;
every file is a different text. The findings of both ways are checked to agree.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import joblib

from coral_batch.linting.pool import lint

COMMANDS = {
    "flake8": ["flake8", "--isolated", "--disable-noqa", "--format=%(code)s", "-"],
    "bandit": [
        "bandit",
        "--ignore-nosec",
        "-q",
        "-f",
        "custom",
        "--msg-template",
        "{test_id}",
        "-",
    ],
}


def codes_of_command(tool: str, source: str) -> Counter[str]:
    command = [sys.executable, "-m", *COMMANDS[tool]]
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    return Counter(done.stdout.split())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    root = Path(__file__).resolve().parent.parent
    parser.add_argument(
        "folder", nargs="?", type=Path, default=root / "lake/raw/classics/python_programs"
    )
    parser.add_argument("--files", type=int, default=1200, help="texts for the pool")
    parser.add_argument("--processes", type=int, default=40, help="texts for the processes")
    parser.add_argument("--workers", type=int, default=joblib.cpu_count())
    arguments = parser.parse_args()

    programs = [path.read_text() for path in sorted(arguments.folder.glob("*.py"))]
    if not programs:
        parser.error(f"no Python files in {arguments.folder}")
    sources = [f"{programs[i % len(programs)]}version = {i}\n" for i in range(arguments.files)]

    start = time.perf_counter()
    findings = lint(sources, arguments.workers)
    pooled = len(sources) / (time.perf_counter() - start)

    single = sources[: arguments.processes]
    start = time.perf_counter()
    with ThreadPoolExecutor(arguments.workers) as threads:
        codes = {
            tool: list(threads.map(codes_of_command, [tool] * len(single), single))
            for tool in COMMANDS
        }
    separate = len(single) / (time.perf_counter() - start)

    for i in range(len(single)):
        for tool in COMMANDS:
            ours = Counter(found.code for found in findings[i] if found.tool == tool)
            if ours != codes[tool][i]:
                raise SystemExit(f"{tool} disagrees on text {i}: {ours} and {codes[tool][i]}")
    print(f"{len(sources)} files, {arguments.workers} workers, flake8 and bandit each")
    print(f"pool:                {pooled:8.1f} files/s")
    print(f"a process per file:  {separate:8.1f} files/s")
    print(f"ratio:               {pooled / separate:8.1f}")


if __name__ == "__main__":
    main()
