"""Searches replayed on landscapes that are known: nothing is trained, drawn or run.

A landscape is a function from coordinates to a height, which a search sees through noise. The
genomes, the mapping, selection and breeding are the run's own; the automata are small ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import polars as pl
from numpy.typing import NDArray

from coral_batch.lake import params
from coral_batch.records.genome import Genome
from coral_batch.records.rows import AdapterRow, EvaluatedRow
from coral_batch.records.settings import OBJECTIVES, Automata, Calibration, Evolution, Params
from coral_batch.search.automata.features import FEATURES, features
from coral_batch.search.automata.simulation import simulate
from coral_batch.search.genome import random_population
from coral_batch.search.mapping.mapping import calibrate
from coral_batch.search.mapping.transport import Transport
from coral_batch.search.search import plan
from coral_batch.search.tables import next_generation
from coral_batch.seeding import generator
from tests import REPOSITORY

DEFAULT = params.load(REPOSITORY / "params.yaml")
AUTOMATA = Automata(height=12, width=12, steps=16)
NOISE = 0.03
"""Standard deviation of what a search sees about the height."""

Landscape = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""From an array of coordinates, the last axis of length 4, to heights."""


def evolution(candidates: int, population: int = 4, survivors: int = 1) -> Evolution:
    return replace(DEFAULT.evolution, population=population, survivors=survivors, screen=candidates)


@cache
def transport() -> Transport:
    return calibrate(AUTOMATA, Calibration(automata=4096, bins=4), seed=1)


def locate(genomes: Sequence[Genome]) -> NDArray[np.float64]:
    return transport()(features(simulate(genomes, AUTOMATA)))


def hill(peak: NDArray[np.float64]) -> Landscape:
    """Return a landscape on the unit cube: a hill from 0.2 to 0.7, as wide as the cube is long."""
    return lambda at: 0.2 + 0.5 * np.exp(-((at - peak) ** 2).sum(axis=-1) / (2 * 0.6**2))


def replay(
    kind: str,
    evolution: Evolution,
    height: Landscape,
    budget: int,
    seed: int,
    noise: float = NOISE,
) -> tuple[dict[str, float], list[EvaluatedRow], Params]:
    """Spend `budget` genomes on a landscape, seen through noise of a standard deviation.

    Returns:
        The height at which each genome stands and what was seen of it, both in the order of their
        evaluation, and the settings.
    """
    settings = replace(
        DEFAULT,
        seed=seed,
        automata=AUTOMATA,
        search=replace(DEFAULT.search, kind=kind),
        evolution=evolution,
    )
    genomes: Sequence[Genome] = random_population(settings.evolution, seed)
    evaluated: list[EvaluatedRow] = []
    heights: dict[str, float] = {}
    generation = 0
    while len(evaluated) < budget:
        adapters, scores = evaluate(genomes, settings, height, noise)
        heights |= {row.genome: float(height(np.array(row.coordinates))) for row in adapters}
        _, genomes, evaluated = next_generation(
            genomes, adapters, scores, evaluated, transport(), generation, settings
        )
        generation += 1
    # Survivors stand last in the table, since it is rewritten with every generation.
    seen = {row.genome: row for row in evaluated}
    return heights, [seen[genome] for genome in heights], settings


def evaluate(
    genomes: Sequence[Genome], settings: Params, height: Landscape, noise: float = NOISE
) -> tuple[list[AdapterRow], pl.DataFrame]:
    """Return the tables `adapters` and `scores` of genomes; a survivor scores as before."""
    measured = features(simulate(genomes, settings.automata)).tolist()
    frame = pl.DataFrame(
        [
            {"genome": genome.id, **dict(zip(FEATURES, row, strict=True))}
            for genome, row in zip(genomes, measured, strict=True)
        ]
    )
    adapters, scores = [], []
    for one in plan(frame, transport(), settings):
        luck = noise * generator(settings.seed, "luck", one.genome).standard_normal()
        seen = float(height(np.array(one.coordinates)) + luck)
        scores.append({"genome": one.genome, "problem": "gcd", **dict.fromkeys(OBJECTIVES, seen)})
        adapters.append(
            AdapterRow(one.genome, "", one.coordinates, one.configuration, one.knobs, (), 0, False)
        )
    return adapters, pl.DataFrame(scores)
