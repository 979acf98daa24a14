"""Genomes, the first population and breeding."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coral_batch.records.settings import Evolution
from coral_batch.search.automata.rule import parse_rule
from coral_batch.search.genome import breed, random_population

SETTINGS = Evolution(
    population=30, survivors=4, crossover=0.7, mutation=0.08, select="fitness", inherit=False
)
SURVIVORS = random_population(SETTINGS, seed=1)[:4]


def test_the_first_population_is_drawn_from_the_whole_space():
    population = random_population(replace(SETTINGS, population=2000), seed=1)
    assert population[0].id == "000-00"
    assert population[-1].id == "000-1999"
    assert len({genome.genes for genome in population}) == 2000
    for bit in range(18):
        assert 850 < sum(parse_rule(genome.rule) >> bit & 1 for genome in population) < 1150
    densities = [genome.density for genome in population]
    assert 0.1 <= min(densities) < 0.11
    assert 0.89 < max(densities) <= 0.9


def test_survivors_live_on_unchanged_and_children_fill_the_population():
    population = breed(SURVIVORS, 3, SETTINGS, seed=1)
    assert population[:4] == SURVIVORS
    assert [child.id for child in population[4:]] == [f"003-{index:02d}" for index in range(26)]
    for child in population[4:]:
        assert set(child.parents) <= {survivor.id for survivor in SURVIVORS}
        assert child.operator == ["mutation", "crossover+mutation"][len(child.parents) - 1]
    assert {len(child.parents) for child in population[4:]} == {1, 2}


def test_breeding_is_deterministic_and_differs_between_generations_and_seeds():
    genes = [
        tuple(genome.genes for genome in breed(SURVIVORS, generation, SETTINGS, seed))
        for generation, seed in [(3, 1), (3, 1), (4, 1), (3, 2)]
    ]
    assert genes[0] == genes[1]
    assert len(set(genes)) == 3


@settings(max_examples=30)
@given(st.integers(1, 4), st.floats(0, 1), st.floats(0, 1), st.integers(0, 100))
def test_no_two_genomes_of_a_population_have_the_same_genes(living, crossover, mutation, seed):
    evolution = replace(SETTINGS, crossover=crossover, mutation=mutation)
    population = breed(SURVIVORS[:living], 1, evolution, seed)
    assert len({genome.genes for genome in population}) == 30
    assert len({genome.id for genome in population}) == 30
    assert all(0 <= genome.grid_seed < 2**32 for genome in population)
    assert all(0.1 <= genome.density <= 0.9 for genome in population)


def test_mutation_flips_each_bit_at_its_rate():
    evolution = replace(SETTINGS, population=2001, survivors=1, crossover=0.0, mutation=0.3)
    parent = parse_rule(SURVIVORS[0].rule)
    children = breed(SURVIVORS[:1], 1, evolution, seed=1)[1:]
    flips = [bin(parse_rule(child.rule) ^ parent).count("1") for child in children]
    assert sum(flips) / (18 * 2000) == pytest.approx(0.3, abs=0.02)
    reseeded = sum(child.grid_seed != SURVIVORS[0].grid_seed for child in children)
    assert reseeded / 2000 == pytest.approx(0.3, abs=0.05)


def test_better_survivors_have_more_children():
    evolution = replace(SETTINGS, population=2004, crossover=0.0)
    children = breed(SURVIVORS, 1, evolution, seed=1)[4:]
    counts = Counter(child.parents[0] for child in children)
    assert [survivor.id for survivor in SURVIVORS] == [id_ for id_, _ in counts.most_common()]
    # The better of two draws from four: 7/16, 5/16, 3/16, 1/16.
    assert counts[SURVIVORS[0].id] / 2000 == pytest.approx(7 / 16, abs=0.05)
