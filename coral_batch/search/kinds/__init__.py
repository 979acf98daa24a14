"""The searches: what configuration a genome asks for, who lives and who is born.

One file per search. Its name is what params.yaml calls it (`search.kind`), and `SEARCHES` finds it
by itself. `evolved` is the evolution; the others are its controls. They spend as many genomes,
survivors and samples, and their best is picked in the same way, so that what differs is what is in
question.
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
    """What each file in this folder has."""

    AUTOMATA_DECIDE: bool
    """Whether a genome's automaton decides its configuration."""

    def plan(
        self,
        genomes: Sequence[str],
        coordinates: NDArray[np.float64],
        candidates: Candidates,
        seed: int,
    ) -> list[Plan]:
        """Return what each genome asks for.

        Args:
            genomes: n ids.
            coordinates: (n, 4) array of their calibrated features, in [0, 1].
            candidates: what a configuration may be made of.
            seed: the run's.
        """

    def breed(
        self,
        genomes: Sequence[Genome],
        selected: Sequence[Genome],
        generation: int,
        settings: Evolution,
        seed: int,
    ) -> tuple[Genome, ...]:
        """Return the next population: those of the last one that live, then the newborn.

        Args:
            genomes: the last population.
            selected: those that the gate and NSGA-II let live, the best first.
            generation: the one that is born, from 1.
            settings: population, survivors, crossover and mutation.
            seed: the run's.
        """


SEARCHES: dict[str, Search] = {
    module.name: cast(Search, import_module(f"{__name__}.{module.name}"))
    for module in iter_modules(__path__)
}
"""Name -> search."""
