"""The threshold gate and NSGA-II."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coral_batch.records.settings import Gate, Scores
from coral_batch.search.gate import OBJECTIVES, thresholds
from coral_batch.search.selection import select

BASE = Scores(bugfix=0.2, security=0.5, syntax=0.4, style=0.3, runtime=0.4)
MAX = Scores(bugfix=0.6, security=0.9, syntax=0.8, style=0.7, runtime=0.6)
OPEN = Scores(0.0, 0.0, 0.0, 0.0, 0.0)
CLOSED = Scores(1.0, 1.0, 1.0, 1.0, 1.0)

schedules = st.sampled_from(["linear", "sqrt", "sigmoid"])
# Few distinct values, so that ties and duplicates are common.
populations = st.integers(1, 12).flatmap(
    lambda n: arrays(np.float64, (n, 5), elements=st.sampled_from([0.0, 0.25, 0.5, 0.97, 1.0]))
)


def gate(schedule: str, generations: int) -> Gate:
    return Gate(schedule, generations, BASE, MAX)


def decide(objectives: np.ndarray, limits: Scores = OPEN, survivors: int = 2, first=None):
    ids = [f"000-{index:02d}" for index in range(len(objectives))]
    return select(ids, objectives, objectives.mean(axis=1), limits, survivors, first)


def dominates(one: np.ndarray, other: np.ndarray) -> bool:
    return bool((one >= other).all() and (one > other).any())


@given(schedules, st.integers(1, 20), st.integers(0, 30))
def test_the_gate_never_loosens(schedule, generations, generation):
    now = thresholds(generation, gate(schedule, generations))
    later = thresholds(generation + 1, gate(schedule, generations))
    for name in OBJECTIVES:
        assert getattr(BASE, name) <= getattr(now, name) <= getattr(later, name)
        assert getattr(later, name) <= getattr(MAX, name)


@pytest.mark.parametrize(
    ("schedule", "first", "middle", "last"),
    [
        ("linear", 0.2, 0.4, 0.6),
        ("sqrt", 0.2, 0.482842712, 0.6),
        ("sigmoid", 0.200989049, 0.4, 0.599010951),
    ],
)
def test_the_schedules_follow_their_formulas(schedule, first, middle, last):
    bugfix = [thresholds(generation, gate(schedule, 3)).bugfix for generation in range(4)]
    assert bugfix == [first, middle, last, last]


def test_shortfalls_say_by_how_much_an_objective_failed():
    [verdict] = decide(np.array([[0.1, 0.5, 0.4, 0.3, 0.15]]), BASE)
    assert verdict.shortfalls == {"bugfix": 0.1, "runtime": 0.25}
    assert verdict.rank is None


@given(populations)
def test_ranks_are_the_non_dominated_fronts(objectives):
    ranks = [verdict.rank for verdict in decide(objectives)]
    for row, rank in enumerate(ranks):
        above = [
            ranks[other]
            for other in range(len(objectives))
            if dominates(objectives[other], objectives[row])
        ]
        assert rank == max(above, default=-1) + 1


@given(populations, st.integers(1, 5), st.randoms())
def test_the_order_of_the_genomes_does_not_matter(objectives, survivors, random):
    straight = decide(objectives, BASE, survivors)
    order = list(range(len(objectives)))
    random.shuffle(order)
    ids = [straight[row].id for row in order]
    shuffled = select(ids, objectives[order], objectives[order].mean(axis=1), BASE, survivors)
    assert sorted(shuffled, key=lambda verdict: verdict.id) == list(straight)


@given(populations, st.integers(1, 5))
def test_only_those_that_pass_survive_unless_nobody_does(objectives, survivors):
    verdicts = decide(objectives, BASE, survivors)
    passed = [verdict for verdict in verdicts if not verdict.shortfalls]
    living = [verdict for verdict in verdicts if verdict.survived]
    pool = passed or verdicts
    assert len(living) == min(survivors, len(pool))
    assert all(verdict in pool for verdict in living)
    assert sorted(verdict.place for verdict in verdicts) == list(range(len(verdicts)))
    assert all(verdict.place < len(living) for verdict in living)


def test_the_least_violating_survive_if_nobody_passes():
    objectives = np.array([[0.9, 0.9, 0.9, 0.9, 0.0], [0.9] * 5, [0.5] * 5])
    verdicts = decide(objectives, CLOSED, survivors=1)
    assert [verdict.survived for verdict in verdicts] == [False, True, False]


def test_rank_comes_before_crowding_and_crowding_before_fitness():
    objectives = np.zeros((5, 5))
    objectives[:, :2] = [[0.0, 1.0], [1.0, 0.0], [0.5, 0.5], [0.9, 0.15], [0.5, 0.4]]
    verdicts = decide(objectives)
    assert [verdict.rank for verdict in verdicts] == [0, 0, 0, 0, 1]
    # The extremes (equally fit: by id), the wider gap although less fit, the dominated one.
    assert [verdict.place for verdict in verdicts] == [0, 1, 2, 3, 4]


@given(populations, st.data(), st.integers(1, 12))
def test_repairs_come_before_the_objectives_on_either_side_of_the_gate(objectives, data, survivors):
    count = len(objectives)
    shares = arrays(np.float64, count, elements=st.sampled_from([0.0, 0.25, 0.5, 1.0]))
    repaired = data.draw(shares)
    chosen = decide(objectives, BASE, survivors, repaired)
    order = sorted(range(count), key=lambda row: chosen[row].place)
    keys = [(not chosen[row].shortfalls, repaired[row]) for row in order]
    assert keys == sorted(keys, reverse=True)
    assert sum(row.survived for row in chosen) == (
        min(survivors, sum(passed for passed, _ in keys) or count)
    )
    # Where all repair alike, the objectives decide, as they do without.
    alike = decide(objectives, BASE, survivors, np.full(count, 0.5))
    assert alike == decide(objectives, BASE, survivors)
