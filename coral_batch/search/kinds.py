"""The searches: how genomes get their configurations, which survive and which are born.

``evolved`` is the evolution; the others are its controls. They use the same number of genomes,
survivors and samples, and choose their best genome in the same way, so only the search differs.
Under ``random`` no automaton decides a configuration: see `coral_batch.search.plan`.
"""

from __future__ import annotations

from collections.abc import Sequence

from coral_batch.records.genome import Genome
from coral_batch.records.settings import Params
from coral_batch.search import genome
from coral_batch.search.ids import birth
from coral_batch.seeding import generator


def breed(
    genomes: Sequence[Genome], selected: Sequence[Genome], generation: int, settings: Params
) -> tuple[Genome, ...]:
    """Return the next population: the survivors, then the newborn.

    Under ``evolved`` the selected live and breed, under ``unselected`` as many genomes drawn at
    random. Under ``random`` the selected live, and the newborn have no parents: there are no genes
    to inherit.

    Args:
        genomes: the last population.
        selected: the survivors, the best first.
        generation: the number of the next generation, from 1.
        settings: search, evolution and seed of the run.
    """
    evolution, seed = settings.evolution, settings.seed
    if settings.search.kind == "random":
        missing = evolution.population - len(selected)
        return *selected, *genome.newcomers(generation, missing, seed)
    if settings.search.kind == "unselected":
        by_id = {one.id: one for one in genomes}
        random = generator(seed, "unselected search", generation - 1)
        drawn = random.permutation(sorted(by_id, key=birth))[: len(selected)]
        selected = [by_id[one] for one in drawn.tolist()]
    return genome.breed(selected, generation, evolution, seed)
