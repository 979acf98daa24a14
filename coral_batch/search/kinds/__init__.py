"""The searches: how genomes get their configurations, which survive and which are born.

One module per search; params.yaml names it in `search.kind`, and `SEARCHES` finds it automatically.
`evolved` is the evolution; the others are its controls. They use the same number of genomes,
survivors and samples, and choose their best genome in the same way, so only the search differs.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from coral_batch.records.genome import Genome
from coral_batch.records.settings import Candidates, Evolution
from coral_batch.search.plan import Plan


class Search(Protocol):
    """The interface of each module in this folder."""

    AUTOMATA_DECIDE: bool
    """Whether a genome's automaton decides its configuration."""

    def plan(
        self,
        genomes: Sequence[str],
        coordinates: NDArray[np.float64],
        candidates: Candidates,
        seed: int,
    ) -> list[Plan]:
        """Return the plan of each genome.

        Args:
            genomes: n ids.
            coordinates: (n, 4) array of their calibrated features, in [0, 1].
            candidates: the possible values of each gene.
            seed: the run's seed.
        """

    def breed(
        self,
        genomes: Sequence[Genome],
        selected: Sequence[Genome],
        generation: int,
        settings: Evolution,
        seed: int,
    ) -> tuple[Genome, ...]:
        """Return the next population: the survivors, then the newborn.

        Args:
            genomes: the last population.
            selected: the survivors by gate and NSGA-II, the best first.
            generation: the number of the next generation, from 1.
            settings: population, survivors, crossover and mutation.
            seed: the run's seed.
        """


SEARCHES: dict[str, Search] = {
    module.name: cast(Search, import_module(f"{__name__}.{module.name}"))
    for module in iter_modules(__path__)
}
"""Name -> search."""
