"""Measure what a second worker of a Dask cluster brings, and what the cluster costs.

    python -m benchmarks cluster

Scheduler and workers are processes on loopback, each worker with one thread, started and warm
before the time is taken. Programs are judged, and a tiny model is trained and drawn from; both
once by one worker and once by two. Beside the cluster's two workers stand two local processes,
whose start is part of their time, as it is of a run's.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from distributed import Client

from benchmarks import growth
from benchmarks.table import ROOT, Row
from coral_batch.adapters.base import materialise
from coral_batch.corpus.layout import read_layout
from coral_batch.parallel import ADDRESS
from coral_batch.params import Verdicts
from coral_batch.verdicts import LAYERS, Program, judge
from coral_batch.verdicts.tables import program_of
from tests.dask_cluster import PATIENCE, cluster
from tests.tiny import make_tiny_base

SETTINGS = Verdicts(cpu_seconds=5.0, wall_seconds=15.0, memory_mb=512, require=LAYERS)
COPIES = 40
SIZES = {"population": 8, "samples": 16, "generations": 1}


def measure() -> list[Row]:
    """Measure clusters of one and of two workers."""
    programs = _programs()
    judging, training = {}, {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        tiny = make_tiny_base(folder / "tiny")
        materialise(str(tiny), None, folder / "base", folder / "downloads")
        local = _timed(lambda: judge(programs, SETTINGS, workers=2))
        for workers in (1, 2):
            with _workers(folder / f"dask-{workers}", workers):
                judge(programs[:64], SETTINGS)
                judging[workers] = _timed(lambda: judge(programs, SETTINGS))
                growth.run(folder, f"warm-{workers}", **SIZES)
                training[workers] = growth.run(folder, f"cluster-{workers}", **SIZES)
    what = f"verdicts on {len(programs)} programs, cluster of two workers"
    rate = {workers: len(programs) / seconds for workers, seconds in judging.items()}
    peer, processes = "two local processes", len(programs) / local
    return [
        Row(what, "programs/s", rate[2], "cluster of one worker", rate[1]),
        Row(what, "programs/s", rate[2], peer, processes),
        Row(
            f"training and drawing {SIZES['population']} tiny adapters, cluster of two workers",
            "s", training[2], "cluster of one worker", training[1],
        ),
    ]  # fmt: skip


@contextmanager
def _workers(folder: Path, number: int) -> Iterator[None]:
    """Let units go to a cluster of so many workers."""
    with cluster(folder) as made:
        made.worker(f"--nworkers={number}", "--resources=device=1", "--memory-limit=0")
        with Client(made.address, set_as_default=False) as client:
            client.wait_for_workers(number, timeout=PATIENCE)
        os.environ[ADDRESS] = made.address
        try:
            yield
        finally:
            del os.environ[ADDRESS]


def _programs() -> list[Program]:
    """Return the corpus' references with JSON cases, in texts that all differ."""
    problems = [one for one in read_layout(ROOT / "lake/raw/classics", "classics") if one.cases]
    programs = [program_of(problem, problem.reference) for problem in problems]
    return [
        replace(program, code=f"{program.code}\n# {copy}\n")
        for copy in range(COPIES)
        for program in programs
    ]


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
