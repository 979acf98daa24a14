"""The evolution: an automaton decides a configuration, selection decides which genomes breed."""

from __future__ import annotations

from collections.abc import Sequence

from coral_batch.records.genome import Genome
from coral_batch.records.settings import Params
from coral_batch.search import genome

AUTOMATA_DECIDE = True


def breed(
    _: Sequence[Genome], selected: Sequence[Genome], generation: int, settings: Params
) -> tuple[Genome, ...]:
    """Let the selected live and breed."""
    return genome.breed(selected, generation, settings.evolution, settings.seed)
