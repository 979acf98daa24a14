"""Measure what a second worker of a Dask cluster brings, and what the cluster costs.

    python -m benchmarks cluster

Scheduler and workers are processes on loopback, each worker with one thread, started and warm
before the time is taken. Programs are judged, and adapters of a tiny model are trained; both once
by one worker and once by two. Beside the cluster's two workers stand two local processes, whose
start is part of their time, as it is of a run's.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from distributed import Client

from benchmarks.table import ROOT, Row
from coral_batch.corpus.readers.quixbugs import read
from coral_batch.corpus.roles.coralx import TRAINING as TRAINED
from coral_batch.lake import params
from coral_batch.lake.store import Store
from coral_batch.models.base.checkpoint import load_tokenizer, materialise
from coral_batch.models.prompts.examples import make_examples
from coral_batch.models.training.obtain import obtain_adapters
from coral_batch.records.configuration import AdapterConfiguration
from coral_batch.records.example import Example
from coral_batch.records.settings import Training
from coral_batch.verdicts.pool import judge
from coral_batch.verdicts.tables import as_program
from coral_batch.work.address import ADDRESS
from tests.dask_cluster import PATIENCE, cluster
from tests.tiny import make_tiny_base

SETTINGS = params.load(ROOT / params.FILE).verdicts
COPIES = 100
ADAPTERS = 8
EXAMPLES = 24
TRAINING = Training(
    passes=1,
    batch_size=4,
    learning_rate=1e-3,
    warmup_steps=1,
    weight_decay=0.0,
    max_grad_norm=1.0,
    layers=None,
)


def measure() -> list[Row]:
    """Measure clusters of one and of two workers."""
    problems = [one for one in read(ROOT / "lake/raw/classics", "classics")[0] if one.cases]
    programs = [
        replace(as_program(one, one.reference, one.name), code=f"{one.reference}\n# {copy}\n")
        for copy in range(COPIES)
        for one in problems
    ]
    judging, training = {}, {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        tiny = make_tiny_base(folder / "tiny")
        materialise(str(tiny), None, folder / "base", folder / "downloads")
        taught = [one for one in problems if one.name in TRAINED]
        tokenizer = load_tokenizer(folder / "base")
        examples = make_examples(taught, [], 0, tokenizer, docstring=True)[:EXAMPLES]
        local = _timed(lambda: judge(programs, SETTINGS, workers=2))
        for workers in (1, 2):
            with _workers(folder / f"dask-{workers}", workers):
                judge(programs[:64], SETTINGS)
                judging[workers] = _timed(lambda: judge(programs, SETTINGS))
                _train(folder, examples, seed=0)
                training[workers] = _timed(partial(_train, folder, examples, seed=workers))
    what = f"verdicts on {len(programs)} programs, cluster of two workers"
    rate = {workers: len(programs) / seconds for workers, seconds in judging.items()}
    peer, processes = "two local processes", len(programs) / local
    one_worker = "cluster of one worker"
    return [
        Row(what, "programs/s", rate[2], one_worker, rate[1]),
        Row(what, "programs/s", rate[2], peer, processes),
        Row(f"training {ADAPTERS} tiny adapters, cluster of two workers", "s", training[2],
            one_worker, training[1]),
    ]  # fmt: skip


def _train(folder: Path, examples: Sequence[Example], seed: int) -> None:
    """Train adapters into a store of their own."""
    wanted = [
        (AdapterConfiguration(4, 1 + number, 0.0, ("q_proj", "v_proj"), use_dora=False), seed)
        for number in range(ADAPTERS)
    ]
    with tempfile.TemporaryDirectory(dir=folder) as store:
        obtain_adapters(folder / "base", examples, wanted, TRAINING, Store(Path(store)), threads=1)


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


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
