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

from coral_batch.records.genome import Genome
from coral_batch.records.settings import Params


class Search(Protocol):
    """The interface of each module in this folder."""

    AUTOMATA_DECIDE: bool
    """Whether a genome's automaton decides its configuration; else random numbers do."""

    def breed(
        self,
        genomes: Sequence[Genome],
        selected: Sequence[Genome],
        generation: int,
        settings: Params,
    ) -> tuple[Genome, ...]:
        """Return the next population: the survivors, then the newborn.

        Args:
            genomes: the last population.
            selected: the survivors, the best first.
            generation: the number of the next generation, from 1.
            settings: evolution and seed of the run.
        """


SEARCHES: dict[str, Search] = {
    module.name: cast(Search, import_module(f"{__name__}.{module.name}"))
    for module in iter_modules(__path__)
}
"""Name -> search."""
