"""The plan of a genome: its adapter, knobs and training seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coral_batch.records.configuration import AdapterConfiguration, Knobs
from coral_batch.records.settings import Candidates
from coral_batch.search.mapping.mapping import decode


@dataclass(frozen=True)
class Plan:
    """How a genome's adapter is trained, and how its samples are drawn.

    Attributes:
        genome: its id.
        coordinates: the numbers in [0, 1] that were decoded: calibrated features or random numbers.
        configuration: the adapter.
        knobs: how its samples are drawn.
        seed: the seed of the adapter's training.
    """

    genome: str
    coordinates: tuple[float, ...]
    configuration: AdapterConfiguration
    knobs: Knobs
    seed: int


def plans(
    genomes: Sequence[str],
    coordinates: NDArray[np.float64],
    candidates: Candidates,
    seeds: Sequence[int],
) -> list[Plan]:
    """Decode one plan per genome.

    Args:
        genomes: n ids.
        coordinates: (n, 4) array in [0, 1], in the order of `FEATURES`.
        candidates: the possible values of each gene, in natural order.
        seeds: n training seeds.
    """
    return [
        Plan(genome, tuple(row), configuration, knobs, seed)
        for genome, row, (configuration, knobs), seed in zip(
            genomes, coordinates.tolist(), decode(coordinates, candidates), seeds, strict=True
        )
    ]
