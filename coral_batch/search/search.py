"""What decides a genome's configuration: the evolution, or one of its controls.

`evolved`: the automaton's features, under selection. The controls spend as many genomes, survivors
and samples, and their best is picked in the same way, so that what differs is what is in question:
`unselected`: the same mapping, but survivors and parents are drawn by lot. `random`: configurations
drawn uniformly from the candidates, without an automaton. `fixed`: one textbook configuration, each
genome trained with a seed of its own, so that it is the best of as many adapters as the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from coral_batch.records.configuration import AdapterConfiguration, Knobs
from coral_batch.records.settings import Candidates, Params
from coral_batch.search.automata.features import FEATURES
from coral_batch.search.mapping.mapping import decode
from coral_batch.search.mapping.transport import Transport
from coral_batch.seeding import derive_seed, generator


@dataclass(frozen=True)
class Plan:
    """What a genome asks for.

    Attributes:
        genome: its id.
        coordinates: what its configuration was decoded from, each in [0, 1]: the calibrated
            features, or random numbers. Of a fixed configuration: the features, unused.
        configuration: the adapter.
        knobs: how its samples are drawn.
        seed: what the adapter is trained with.
    """

    genome: str
    coordinates: tuple[float, ...]
    configuration: AdapterConfiguration
    knobs: Knobs
    seed: int


def plan(features: pl.DataFrame, transport: Transport, settings: Params) -> list[Plan]:
    """Return the plan of every genome of a generation.

    Args:
        features: table `features`.
        transport: the calibration.
        settings: the search, the candidates and the seed of the run.
    """
    kind, seed = settings.search.kind, settings.seed
    genomes = features["genome"].to_list()
    seeds = [seed] * len(genomes)
    candidates = settings.candidates
    coordinates = transport(features.select(FEATURES).to_numpy())
    if kind == "random":
        coordinates = np.stack(
            [generator(seed, "random search", genome).random(len(FEATURES)) for genome in genomes]
        )
    if kind == "fixed":
        seeds = [derive_seed(seed, "fixed search", genome) for genome in genomes]
        only = {gene: (value,) for gene, value in vars(settings.search.fixed).items()}
        candidates = Candidates(**only)
    return [
        Plan(genome, tuple(row), configuration, knobs, own)
        for genome, row, (configuration, knobs), own in zip(
            genomes, coordinates.tolist(), decode(coordinates, candidates), seeds, strict=True
        )
    ]
