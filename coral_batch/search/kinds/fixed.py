"""A control: one textbook configuration, `search.fixed`, trained with a seed per genome.

So it is the best of as many adapters as the other searches.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from coral_batch.records.settings import Candidates, Search
from coral_batch.search.kinds import random
from coral_batch.search.plan import Plan, plans
from coral_batch.seeding import derive_seed

AUTOMATA_DECIDE = False
breed = random.breed


def plan(
    genomes: Sequence[str],
    coordinates: NDArray[np.float64],
    settings: Search,
    _: Candidates,
    seed: int,
) -> list[Plan]:
    """Ask for the one configuration, whatever the features are."""
    only = Candidates(**{gene: (value,) for gene, value in vars(settings.fixed).items()})
    seeds = [derive_seed(seed, "fixed search", genome) for genome in genomes]
    return plans(genomes, coordinates, only, seeds)
