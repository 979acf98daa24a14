"""The screen: which of many candidates a search that learns from its scores gives a place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from coral_batch.errors import CoralError
from coral_batch.records.genome import Genome
from coral_batch.records.rows import EvaluatedRow
from coral_batch.records.settings import Params
from coral_batch.search import screen, variation
from coral_batch.search.genome import random_population
from coral_batch.search.screen import Known, Screen, expected_improvement
from coral_batch.search.tables import next_generation
from coral_batch.seeding import generator
from tests.fresh import output_of
from tests.replays import AUTOMATA, DEFAULT, evaluate, evolution, hill, locate, replay, transport

BUDGET = 16
# Made at the time when every place had one candidate.
FIRST_CHILD = (
    *("001-00", ("000-00", "000-01"), "crossover+mutation"),
    *("B1456/S04567", 2090538410, 0.8293),
)


def known(seed: int = 1, count: int = 12) -> Known:
    """Return genomes evaluated on a hill with its peak at 0.8 everywhere."""
    at = np.random.default_rng(seed).random((count, 4))
    return Known(at, hill(np.full(4, 0.8))(at), locate)


def search(
    kind: str, candidates: int, seed: int
) -> tuple[dict[str, float], list[EvaluatedRow], Params]:
    """Spend `BUDGET` genomes on a hill somewhere; see `replay`."""
    height = hill(generator(seed, "peak").random(4))
    return replay(kind, evolution(candidates), height, BUDGET, seed)


def found(kind: str, candidates: int, seeds: range) -> NDArray[np.float64]:
    """Return how high the genome stands that seems best to a search, one search a seed."""
    heights = []
    for seed in seeds:
        true, evaluated, _ = search(kind, candidates, seed)
        heights.append(true[max(evaluated, key=lambda row: row.worth).genome])
    return np.array(heights)


def margin(one: NDArray[np.float64], other: NDArray[np.float64]) -> tuple[float, float]:
    """Return the mean of paired differences and Student's t of it."""
    difference = one - other
    mean = float(difference.mean())
    return mean, mean / float(difference.std(ddof=1) / np.sqrt(len(difference)))


def test_with_one_candidate_children_are_bred_as_without_a_screen() -> None:
    settings = replace(DEFAULT, automata=AUTOMATA, evolution=evolution(1, 8, 3))
    genomes = random_population(settings.evolution, settings.seed)
    adapters, scores = evaluate(genomes, settings, hill(np.full(4, 0.8)))
    rows, bred, _ = next_generation(genomes, adapters, scores, (), transport(), 0, settings)
    by_id = {genome.id: genome for genome in genomes}
    selected = [by_id[row.genome] for row in rows if row.survived]
    assert bred == variation.breed(selected, 1, settings.evolution, settings.seed)
    # As they were before there was a screen.
    first = variation.breed(random_population(evolution(1), 1)[:2], 1, evolution(1), 1)[2]
    assert first == Genome(*FIRST_CHILD)


def test_the_newborn_are_the_same_every_time() -> None:
    survivors = random_population(evolution(16), 1)[:2]
    bred = [screen.breed(survivors, 1, evolution(16), known(), 1) for _ in range(2)]
    assert bred[0] == bred[1]
    assert bred[0] != screen.breed(survivors, 1, evolution(16), known(seed=2), 1)
    assert [genome.id for genome in bred[0]] == ["000-00", "000-01", "001-00", "001-01"]


def test_the_newborn_are_chosen_on_one_thread_in_a_fresh_process() -> None:
    script = """
import numpy as np
from threadpoolctl import threadpool_info

from coral_batch.search.genome import random_population
from coral_batch.search.screen import Known, breed
from tests.replays import evolution, hill, locate

at, found = np.random.default_rng(1).random((12, 4)), set()


def located(genomes):
    found.update(one["num_threads"] for one in threadpool_info())
    return locate(genomes)


known = Known(at, hill(at[0])(at), located)
breed(random_population(evolution(4), 1)[:2], 1, evolution(4), known, 1)
print(found)
"""
    several = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "2")
    assert output_of(script, **several) == "{1}\n"


def test_half_of_the_candidates_are_children_and_half_are_drawn_at_random() -> None:
    survivors = random_population(evolution(64), 1)[:2]
    drawn = screen.candidates(survivors, survivors, 1, 0, evolution(64), 1)
    assert sum(genome.operator == "random" and genome.parents == () for genome in drawn) == 32
    assert all(genome.parents for genome in drawn if genome.operator != "random")
    # A candidate does not depend on how many there are.
    assert screen.candidates(survivors, survivors, 1, 0, evolution(5), 1) == drawn[:5]
    others = screen.candidates(survivors, survivors, 1, 1, evolution(64), 1)
    assert not {one.genes for one in drawn[1::2]} & {one.genes for one in others[1::2]}


def test_a_candidate_where_genomes_did_well_is_preferred() -> None:
    learnt = known(count=30)
    good, bad = np.full(4, 0.75), np.full(4, 0.05)
    for candidates, expected in (([bad, good], 1), ([good, bad], 0), ([bad, bad, good, good], 2)):
        assert Screen(learnt.coordinates, learnt.worth).choose(np.array(candidates)) == expected


def test_siblings_stand_apart() -> None:
    learnt = known()
    chooser = Screen(learnt.coordinates, learnt.worth)
    candidates = np.random.default_rng(5).random((64, 4))
    chosen = [chooser.choose(candidates) for _ in range(4)]
    assert len(set(chosen)) == 4


@pytest.mark.parametrize("worth", [[], [0.5], [0.5, 0.5, 0.5]])
def test_without_anything_to_learn_from_the_first_candidate_is_chosen(worth: list[float]) -> None:
    chooser = Screen(np.random.default_rng(1).random((len(worth), 4)), np.array(worth))
    assert chooser.choose(np.random.default_rng(2).random((8, 4))) == 0


def test_expected_improvement_is_the_mean_of_what_exceeds_the_best() -> None:
    mean, spread, best = np.array([0.4, 0.5, 0.7]), np.array([0.2, 0.1, 0.05]), 0.55
    draws = mean + spread * np.random.default_rng(1).standard_normal((200_000, 3))
    expected = np.maximum(draws - best, 0).mean(axis=0)
    assert expected_improvement(mean, spread, best) == pytest.approx(expected, rel=0.02)


def test_the_controls_learn_nothing() -> None:
    for kind in ("fixed", "random", "unselected"):
        bred = []
        for candidates in (1, 64):
            settings = replace(
                DEFAULT,
                automata=AUTOMATA,
                search=replace(DEFAULT.search, kind=kind),
                evolution=evolution(candidates),
            )
            genomes = random_population(settings.evolution, settings.seed)
            adapters, scores = evaluate(genomes, settings, hill(np.full(4, 0.8)))
            arguments = (genomes, adapters, scores, (), transport(), 0, settings)
            bred.append(next_generation(*arguments)[1])
        assert bred[0] == bred[1]


def test_every_genome_is_known_once_with_what_it_was_worth() -> None:
    _, evaluated, settings = search("evolved", 2, 1)
    assert len({row.genome for row in evaluated}) == len(evaluated) == BUDGET
    genomes = random_population(settings.evolution, settings.seed)
    adapters, scores = evaluate(genomes, settings, hill(generator(1, "peak").random(4)))
    stale = [EvaluatedRow(genomes[0].id, (0.0,) * 4, 0.0), EvaluatedRow("none", (0.5,) * 4, 0.25)]
    arguments = (genomes, adapters, scores, stale, transport(), 0, settings)
    rows, _, following = next_generation(*arguments)
    worth = {row.genome: row.worth for row in rows}
    assert following[0] == stale[1]
    assert following[1:] == [
        EvaluatedRow(one.genome, one.coordinates, worth[one.genome]) for one in adapters
    ]


def test_adapters_of_other_genomes_are_refused() -> None:
    settings = replace(DEFAULT, automata=AUTOMATA, evolution=evolution(2))
    genomes = random_population(settings.evolution, settings.seed)
    adapters, scores = evaluate(genomes, settings, hill(np.full(4, 0.8)))
    with pytest.raises(CoralError, match="adapters are of other genomes"):
        next_generation(genomes, adapters[1:], scores, (), transport(), 0, settings)


@pytest.mark.slow
def test_a_search_that_learns_finds_better_genomes_at_the_same_cost() -> None:
    """On a hill and at a budget where neither chance nor breeding alone gets as far."""
    seeds = range(1, 25)
    learning = found("evolved", 16, seeds)
    chance, breeding = found("random", 1, seeds), found("evolved", 1, seeds)
    for other in (chance, breeding):
        mean, t = margin(learning, other)
        assert mean > 0.03
        assert t > 2.5


@pytest.mark.parametrize("kind", ["evolved", "random", "unselected"])
def test_a_replay_tells_what_was_seen_in_the_order_of_evaluation(kind: str) -> None:
    heights, evaluated, _ = search(kind, 1, 1)
    seen = [row.genome for row in evaluated]
    assert seen == list(heights) == sorted(seen)
    assert seen[:4] == ["000-00", "000-01", "000-02", "000-03"]
