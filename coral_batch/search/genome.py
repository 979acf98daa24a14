"""Genomes: random ones, and those that a generation breeds.

A genome is the seed of a cellular automaton, whose history decides the adapter and the knobs.
Breeding: binary tournaments, uniform crossover, mutation. Survivors live on unchanged and keep
their ids. Every child has its own random generator, seeded by generation and index.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coral_batch.records.genome import Genes, Genome
from coral_batch.records.settings import Evolution
from coral_batch.search.automata.rule import RULE_BITS, format_rule, parse_rule
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


# Largest change of the density by one mutation.
DENSITY_STEP = 0.1
# Mutations after which a child that still equals another genome gets the next free grid seed.
MUTATIONS = 20


def breed(
    survivors: Sequence[Genome], generation: int, settings: Evolution, seed: int
) -> tuple[Genome, ...]:
    """Return the population of a generation: the survivors, then their children.

    Each parent is the better of two genomes drawn from the survivors. With probability
    `settings.crossover`, where there is a second survivor, a child has two parents and takes each
    of the 18 rule bits, the grid seed and the density from either with equal chances. Then each
    rule bit flips, the grid seed is drawn again and the density moves by up to `DENSITY_STEP`, each
    with probability `settings.mutation`. No child has the same genes as another genome of the
    population.

    Args:
        survivors: at least one genome, the best first.
        generation: the number of the new generation.
        settings: population, crossover and mutation.
        seed: the run's seed.
    """
    population = list(survivors)
    taken = {genome.genes for genome in population}
    for index in range(settings.population - len(survivors)):
        random = generator(seed, "variation", generation, index)
        parents = _choose_parents(survivors, settings.crossover, random)
        genes = _distinct(_cross(parents, random), taken, settings.mutation, random)
        taken.add(genes)
        population.append(
            Genome(
                genome_id(generation, index),
                tuple(parent.id for parent in parents),
                "crossover+mutation" if len(parents) == 2 else "mutation",
                *genes,
            )
        )
    return tuple(population)


def _choose_parents(
    survivors: Sequence[Genome], crossover: float, random: np.random.Generator
) -> tuple[Genome, ...]:
    pool = list(survivors)
    first = pool.pop(_tournament(len(pool), random))
    if pool and random.random() < crossover:
        return first, pool[_tournament(len(pool), random)]
    return (first,)


def _tournament(size: int, random: np.random.Generator) -> int:
    """Return the better, that is the smaller, of two indices drawn with replacement."""
    return int(random.integers(size, size=2).min())


def _cross(parents: tuple[Genome, ...], random: np.random.Generator) -> Genes:
    first, second = parents[0], parents[-1]
    mask = int(random.integers(1 << RULE_BITS))
    rule = parse_rule(first.rule) & mask | parse_rule(second.rule) & ~mask
    seed_from, density_from = (parents[side - 1] for side in random.integers(2, size=2))
    return format_rule(rule), seed_from.grid_seed, density_from.density


def _distinct(
    genes: Genes, taken: set[Genes], mutation: float, random: np.random.Generator
) -> Genes:
    """Mutate until no genome has the same genes."""
    for _ in range(MUTATIONS):
        genes = _mutate(genes, mutation, random)
        if genes not in taken:
            return genes
    rule, grid_seed, density = genes
    while (rule, grid_seed, density) in taken:
        grid_seed = (grid_seed + 1) % GRID_SEEDS
    return rule, grid_seed, density


def _mutate(genes: Genes, mutation: float, random: np.random.Generator) -> Genes:
    rule, grid_seed, density = genes
    flips = random.random(RULE_BITS) < mutation
    number = parse_rule(rule) ^ sum(1 << bit for bit in np.flatnonzero(flips).tolist())
    if random.random() < mutation:
        grid_seed = int(random.integers(GRID_SEEDS))
    if random.random() < mutation:
        step = float(random.uniform(-DENSITY_STEP, DENSITY_STEP))
        low, high = DENSITY_RANGE
        density = round(min(max(density + step, low), high), 4)
    return format_rule(number), grid_seed, density
