"""A control: configurations drawn uniformly from the candidates, without an automaton."""

from __future__ import annotations

from collections.abc import Sequence

from coral_batch.records.genome import Genome
from coral_batch.records.settings import Params
from coral_batch.search.genome import newcomers

AUTOMATA_DECIDE = False


def breed(
    _: Sequence[Genome], selected: Sequence[Genome], generation: int, settings: Params
) -> tuple[Genome, ...]:
    """Keep the selected and add genomes without parents: there are no genes to inherit."""
    missing = settings.evolution.population - len(selected)
    return *selected, *newcomers(generation, missing, settings.seed)
