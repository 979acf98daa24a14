"""Measure how the time and the memory of the stages grow with the lake.

    python -m benchmarks lake
    python -m benchmarks.lake [GENERATIONS [GENOMES [SAMPLES]]]

A synthetic lake (`benchmarks.synthetic`) of that many generations, genomes in each and samples of
each for every one of the 8 test problems is made in a temporary folder. What is made of a
generation runs in one process, stage by stage; what is made of the whole run is the command line,
a process each with its start of a second.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.table import ROOT, Row
from coral_batch.work.text import table

SMALL, LARGE = 2, 8
"""Generations of the two lakes that `measure` compares."""
WHOLE_RUN = ("best", "evidence", "report", "index", "audit")


def measure() -> list[Row]:
    """Compare a small lake with one of four times the generations."""
    (small, _), (large, _) = (costs(generations, 50, 16) for generations in (SMALL, LARGE))
    factor, rows = LARGE // SMALL, []
    for stage, (seconds, _) in large.items():
        peer, often = f"{factor} times that of {SMALL} generations", factor * small[stage][0]
        rows.append(Row(f"{stage} of {LARGE} generations", "s", seconds, peer, often, at_most=1.1))
    peak = max(peak for _, peak in large.values())
    rows.append(Row("peak memory of any stage", "MiB", peak / 2**20, "limit", 2048, at_most=1))
    return rows


def costs(
    generations: int, genomes: int, samples: int
) -> tuple[dict[str, tuple[float, int]], dict[str, int]]:
    """Make a lake; return seconds and peak bytes of each stage, and what the lake holds."""
    with tempfile.TemporaryDirectory() as folder:
        _apart(folder, "begin_lake", generations, genomes, samples)
        spent = _apart(folder, "make_generations", 0, generations)
        for made in ("make_baseline", "make_finals"):
            _apart(folder, made)
        for stage in WHOLE_RUN:
            if stage == "evidence":
                _apart(folder, "make_evaluations")
            if stage == "index":
                _apart(folder, "make_linteval")
            spent[stage] = _command(folder, stage)
        return spent, _contents(Path(folder))


def _apart(folder: str, name: str, *arguments: object) -> Any:
    """Call a function of `benchmarks.synthetic` in a process of its own."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=context) as own:
        return own.submit(_call, folder, name, *arguments).result()


def _call(folder: str, name: str, *arguments: object) -> Any:
    # Imported here: torch would count as memory of the commands, which are started from there.
    from benchmarks import synthetic  # noqa: PLC0415

    work: Callable[..., Any] = getattr(synthetic, name)
    return synthetic.run_quietly(work, folder, *arguments)


def _command(folder: str, stage: str) -> tuple[float, int]:
    """Run a command in `folder`; return its seconds and its peak of resident bytes."""
    start = time.perf_counter()
    command = [sys.executable, "-c", "from coral_batch.commands.cli import main; main()", stage]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"coral {stage} ended with status {process.returncode}")
    return time.perf_counter() - start, usage.ru_maxrss << 10


def _contents(folder: Path) -> dict[str, int]:
    """Return what the lake holds, and how large the pages are."""
    tables, index = folder / "lake/generations", folder / "lake/report/index.html"
    page = index.read_text(encoding="utf-8")
    rows = {
        name: pl.scan_parquet(tables / f"*/{name}.parquet").select(pl.len()).collect().item()
        for name in ("scores", "verdicts")
    }
    return {
        "samples": rows["scores"],
        "verdicts": rows["verdicts"],
        "bytes of the generations": _bytes(tables.rglob("*")),
        "bytes of the first page": len(page.encode()),
        "SVG marks of the first page": page.count("<path ") + page.count("<text "),
        "bytes of the pages of the generations": _bytes(index.parent.glob("generations/*")),
    }


def _bytes(files: Any) -> int:
    return sum(file.stat().st_size for file in files if file.is_file())


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure one size from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    for name, usual in (("generations", SMALL), ("genomes", 50), ("samples", 16)):
        parser.add_argument(name, nargs="?", type=int, default=usual)
    given = parser.parse_args(arguments)
    spent, held = costs(given.generations, given.genomes, given.samples)
    rows = [
        (stage, f"{seconds:.1f}", f"{peak / 2**20:.0f}") for stage, (seconds, peak) in spent.items()
    ]
    print(table(("stage", "s", "MiB"), rows, left={"stage"}))
    print("\n".join(f"{number:,} {name}" for name, number in held.items()))


if __name__ == "__main__":
    main()
