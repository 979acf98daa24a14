"""What a genome asks for: an adapter, how repairs are drawn with it, and a seed of training."""

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
    """What a genome asks for.

    Attributes:
        genome: its id.
        coordinates: what its configuration was decoded from, each in [0, 1]: the calibrated
            features, or random numbers.
        configuration: the adapter.
        knobs: how its samples are drawn.
        seed: what the adapter is trained with.
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
        candidates: what each gene may be, in its natural order.
        seeds: n seeds of training.
    """
    return [
        Plan(genome, tuple(row), configuration, knobs, seed)
        for genome, row, (configuration, knobs), seed in zip(
            genomes, coordinates.tolist(), decode(coordinates, candidates), seeds, strict=True
        )
    ]
