"""A control: configurations drawn uniformly from the candidates, without an automaton."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from coral_batch.records.genome import Genome
from coral_batch.records.settings import Candidates, Evolution
from coral_batch.search.automata.features import FEATURES
from coral_batch.search.genome import newcomers
from coral_batch.search.plan import Plan, plans
from coral_batch.seeding import generator

AUTOMATA_DECIDE = False


def plan(
    genomes: Sequence[str],
    _: NDArray[np.float64],
    candidates: Candidates,
    seed: int,
) -> list[Plan]:
    """Decode random numbers instead of features, drawn with a generator per genome."""
    drawn = [generator(seed, "random search", genome).random(len(FEATURES)) for genome in genomes]
    return plans(genomes, np.stack(drawn), candidates, [seed] * len(genomes))


def breed(
    _: Sequence[Genome],
    selected: Sequence[Genome],
    generation: int,
    settings: Evolution,
    seed: int,
) -> tuple[Genome, ...]:
    """Keep the selected and add genomes without parents: there are no genes to inherit."""
    missing = settings.population - len(selected)
    return *selected, *newcomers(generation, missing, seed)
