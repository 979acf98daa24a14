"""The evolution: an automaton decides a configuration, selection decides which genomes breed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from coral_batch.records.genome import Genome
from coral_batch.records.settings import Candidates, Evolution
from coral_batch.search import variation
from coral_batch.search.plan import Plan, plans

AUTOMATA_DECIDE = True


def plan(
    genomes: Sequence[str],
    coordinates: NDArray[np.float64],
    candidates: Candidates,
    seed: int,
) -> list[Plan]:
    """Decode the features; every adapter is trained with the run's seed."""
    return plans(genomes, coordinates, candidates, [seed] * len(genomes))


def breed(
    _: Sequence[Genome],
    selected: Sequence[Genome],
    generation: int,
    settings: Evolution,
    seed: int,
) -> tuple[Genome, ...]:
    """Let the selected live and breed."""
    return variation.breed(selected, generation, settings, seed)
