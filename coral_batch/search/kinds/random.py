"""A control: configurations drawn uniformly from the candidates, without an automaton."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from coral_batch.records.genome import Genome
from coral_batch.records.settings import Params
from coral_batch.search.automata.features import FEATURES
from coral_batch.search.genome import newcomers
from coral_batch.seeding import generator

AUTOMATA_DECIDE = False


def coordinates(genomes: Sequence[str], _: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """Decode random numbers instead of features, drawn with a generator per genome."""
    drawn = [generator(seed, "random search", genome).random(len(FEATURES)) for genome in genomes]
    return np.stack(drawn)


def breed(
    _: Sequence[Genome], selected: Sequence[Genome], generation: int, settings: Params
) -> tuple[Genome, ...]:
    """Keep the selected and add genomes without parents: there are no genes to inherit."""
    missing = settings.evolution.population - len(selected)
    return *selected, *newcomers(generation, missing, settings.seed)
