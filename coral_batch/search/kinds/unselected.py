"""A control: the evolution's mapping, but survivors and parents are drawn at random."""

from __future__ import annotations

from collections.abc import Sequence

from coral_batch.records.genome import Genome
from coral_batch.records.settings import Params
from coral_batch.search import genome
from coral_batch.search.ids import birth
from coral_batch.seeding import generator

AUTOMATA_DECIDE = True


def breed(
    genomes: Sequence[Genome], selected: Sequence[Genome], generation: int, settings: Params
) -> tuple[Genome, ...]:
    """Let randomly drawn genomes live and breed, as many as selection would."""
    by_id = {genome.id: genome for genome in genomes}
    random = generator(settings.seed, "unselected search", generation - 1)
    drawn = random.permutation(sorted(by_id, key=birth))[: len(selected)]
    living = [by_id[genome] for genome in drawn.tolist()]
    return genome.breed(living, generation, settings.evolution, settings.seed)
