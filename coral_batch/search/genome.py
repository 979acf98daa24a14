"""A genome: the seed of a cellular automaton, whose history decides the adapter and the knobs."""

from __future__ import annotations

import numpy as np

from coral_batch.records.genome import Genome
from coral_batch.records.settings import Evolution
from coral_batch.search.automata.rule import RULE_BITS, format_rule
from coral_batch.search.ids import genome_id
from coral_batch.seeding import generator

GRID_SEEDS = 2**32
DENSITY_RANGE = (0.1, 0.9)


def random_population(settings: Evolution, seed: int) -> tuple[Genome, ...]:
    """Return generation 0: `settings.population` genomes drawn by `random_genome`."""
    return tuple(
        random_genome(genome_id(0, index), generator(seed, "population", index))
        for index in range(settings.population)
    )


def newcomers(generation: int, count: int, seed: int) -> tuple[Genome, ...]:
    """Return `count` genomes drawn by `random_genome`, born in a later generation."""
    return tuple(
        random_genome(genome_id(generation, index), generator(seed, "newcomers", generation, index))
        for index in range(count)
    )


def random_genome(genome_id: str, random: np.random.Generator) -> Genome:
    """Draw a genome: rule, grid seed and density each uniform over its range."""
    return Genome(
        id=genome_id,
        parents=(),
        operator="random",
        rule=format_rule(int(random.integers(1 << RULE_BITS))),
        grid_seed=int(random.integers(GRID_SEEDS)),
        density=round(float(random.uniform(*DENSITY_RANGE)), 4),
    )
