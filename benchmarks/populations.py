"""Measure how what evolution itself computes grows with the population: 10 to 10,000 genomes.

    python -m benchmarks populations

Nothing here depends on the model: the automata (32 x 32 cells, 48 steps), their features, the
mapping to configurations, the schemas of a generation's tables, written and read, NSGA-II on five
objectives, and selection with breeding from a table of scores (one sample for each of 8 problems).

The points, and the exponent by which each grew from the size before, go to
benchmarks/results/populations.csv.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.table import ROOT, Row
from coral_batch import lake
from coral_batch.lake import params
from coral_batch.objectives.aggregate import fitness
from coral_batch.records.genome import Genome
from coral_batch.records.rows import AdapterRow, SelectionRow
from coral_batch.records.settings import Calibration, Params
from coral_batch.report.metrics import OBJECTIVES
from coral_batch.search.automata.features import FEATURES, features
from coral_batch.search.automata.simulation import simulate
from coral_batch.search.gate import thresholds
from coral_batch.search.genome import random_population
from coral_batch.search.mapping.mapping import calibrate
from coral_batch.search.mapping.transport import Transport
from coral_batch.search.search import plan
from coral_batch.search.selection import select
from coral_batch.search.tables import next_generation

SIZES = (10, 100, 1000, 10_000)
SECONDS = 10.0
"""What each may take at the greatest size."""
PROBLEMS = 8
REPEATS = 3  # of which the quickest counts


def measure() -> list[Row]:
    """Time every step at every size."""
    settings = params.load(ROOT / params.FILE)
    transport = calibrate(settings.automata, Calibration(1728, 6), settings.seed)
    points: dict[int, dict[str, float]] = {}
    for size in SIZES:
        times = [run(size, settings, transport) for _ in range(REPEATS)]
        points[size] = {step: min(one[step] for one in times) for step in times[0]}
    lines, rows = ["step,genomes,seconds,exponent"], []
    for step in points[SIZES[-1]]:
        before: tuple[int, float] | None = None
        for size in SIZES:
            seconds, exponent = points[size][step], ""
            if before is not None:
                exponent = f"{math.log(seconds / before[1]) / math.log(size / before[0]):.2f}"
            lines.append(f"{step},{size},{seconds:.4f},{exponent}")
            before = (size, seconds)
        rows.append(
            Row(f"{step}, {SIZES[-1]:,} genomes", "s", seconds, "limit", SECONDS, at_most=1)
        )
    file = ROOT / "benchmarks/results/populations.csv"
    file.parent.mkdir(exist_ok=True)
    file.write_text("\n".join(lines) + "\n")
    return rows


def run(size: int, settings: Params, transport: Transport) -> dict[str, float]:
    """Return the seconds of each step with a population of that size."""
    # Without a screen, which is not for populations of this size.
    evolution = replace(settings.evolution, population=size, survivors=size // 2, screen=1)
    settings = replace(settings, evolution=evolution)
    seconds: dict[str, float] = {}

    def timed(step: str, work: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        result = work()
        seconds[step] = time.perf_counter() - start
        return result

    genomes = timed("genomes", lambda: random_population(evolution, settings.seed))
    histories = timed("automata", lambda: simulate(genomes, settings.automata))
    measured = timed("features", lambda: features(histories))
    frame = pl.DataFrame(measured, schema=list(FEATURES)).with_columns(
        genome=pl.Series([genome.id for genome in genomes])
    )
    plans = timed("mapping", lambda: plan(frame, transport, settings))
    adapters = [
        AdapterRow(one.genome, "", one.coordinates, one.configuration, one.knobs, (), 0, False)
        for one in plans
    ]
    random = np.random.default_rng(1)
    scores = _scores(genomes, random)
    means = random.random((size, len(OBJECTIVES)))
    limits = thresholds(0, settings.gate)
    ids = [genome.id for genome in genomes]
    totals = fitness(means, settings.objectives.weights)
    passing = np.maximum(means, 0.6)
    timed("NSGA-II", lambda: select(ids, passing, totals, limits, size // 2))
    fates, bred, _ = timed(
        "selection and breeding",
        lambda: next_generation(genomes, adapters, scores, (), transport, 0, settings),
    )
    rows = [
        {"genome": genome.id, **dict(zip(FEATURES, values, strict=True))}
        for genome, values in zip(genomes, measured.tolist(), strict=True)
    ]
    with tempfile.TemporaryDirectory() as folder, lake.at(Path(folder)):
        timed("tables written", lambda: _write(bred, rows, fates))
        timed("tables read", _read)
    return seconds


def _scores(genomes: tuple[Genome, ...], random: np.random.Generator) -> pl.DataFrame:
    count = len(genomes) * PROBLEMS
    return pl.DataFrame(
        {
            "genome": [genome.id for genome in genomes for _ in range(PROBLEMS)],
            "problem": [f"p{number}" for number in range(PROBLEMS)] * len(genomes),
            **{name: 0.6 + 0.4 * random.random(count) for name in OBJECTIVES},
        }
    )


def _write(genomes: tuple[Genome, ...], rows: list[dict], fates: list[SelectionRow]) -> None:
    lake.write_rows("population", genomes, "000")
    lake.write_frame("features", lake.frame("features", rows), "000")
    lake.write_rows("selection", fates, "000")


def _read() -> None:
    lake.read_rows("population", Genome, "000")
    lake.read_frame("features", "000")
    lake.read_rows("selection", SelectionRow, "000")
