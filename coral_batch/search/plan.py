"""The plans of a generation's genomes: adapter and knobs, by the run's search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from coral_batch.records.configuration import AdapterConfiguration, Knobs
from coral_batch.records.settings import Params
from coral_batch.search.automata.features import FEATURES
from coral_batch.search.mapping.mapping import decode
from coral_batch.search.mapping.transport import Transport
from coral_batch.seeding import generator


@dataclass(frozen=True)
class Plan:
    """What adapter a genome gets, and how its samples are drawn.

    Attributes:
        genome: its id.
        coordinates: the numbers in [0, 1] that were decoded: calibrated features or random numbers.
        configuration: the adapter.
        knobs: how its samples are drawn.
    """

    genome: str
    coordinates: tuple[float, ...]
    configuration: AdapterConfiguration
    knobs: Knobs


def plan(features: pl.DataFrame, transport: Transport, settings: Params) -> list[Plan]:
    """Return the plan of every genome of a generation.

    Args:
        features: table `features`.
        transport: the calibration.
        settings: the search, the candidates and the seed of the run.
    """
    genomes = features["genome"].to_list()
    if settings.search.kind == "random":
        generators = (generator(settings.seed, "random search", genome) for genome in genomes)
        coordinates = np.stack([random.random(len(FEATURES)) for random in generators])
    else:
        coordinates = transport(features.select(FEATURES).to_numpy())
    decoded = decode(coordinates, settings.candidates)
    return [
        Plan(genome, tuple(row), configuration, knobs)
        for genome, row, (configuration, knobs) in zip(
            genomes, coordinates.tolist(), decoded, strict=True
        )
    ]
