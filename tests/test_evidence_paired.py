"""Paired comparisons on synthetic scores with known answers."""

from collections.abc import Callable

import numpy as np
import pytest

from coral_batch.evidence import paired
from coral_batch.evidence.paired import Outcome, Outcomes, Paired, compare, compare_means
from coral_batch.seeding import generator

NAMES = [f"problem{index}" for index in range(40)]


def outcomes(solved: list[int], samples: int = 8) -> Outcomes:
    return {name: Outcome(samples, count) for name, count in zip(NAMES, solved, strict=False)}


def test_a_planted_effect_is_found() -> None:
    base, better = outcomes([1, 0, 2, 1, 3, 0, 2, 1]), outcomes([6, 7, 8, 5, 8, 6, 7, 7])
    found = compare(base, better, 1, 1, "test")
    assert found.first.value == pytest.approx(10 / 64)
    assert found.difference.value == pytest.approx(44 / 64)
    assert found.difference.low > 0.5
    assert not found.unclear
    assert found.first.high < found.second.low


def test_equal_models_show_no_clear_difference() -> None:
    same = outcomes([0, 8, 4, 2, 6, 1, 7, 3])
    found = compare(same, same, 1, 1, "test")
    assert found.difference.value == 0
    assert found.unclear


@pytest.mark.parametrize(
    ("won", "lost", "unclear"), [(4, 0, True), (5, 0, True), (6, 0, False), (9, 2, True)]
)
def test_one_sample_per_problem_needs_more_than_a_few_wins(
    won: int, lost: int, unclear: bool
) -> None:
    """The exact sign test gives two-sided p of 0.125, 0.0625, 0.031 and 0.065."""
    base = outcomes([0] * won + [1] * lost + [0] * (40 - won - lost), 1)
    better = outcomes([1] * won + [0] * (40 - won), 1)
    found = compare(base, better, 1, 1, "test")
    assert found.difference.low > 0
    assert found.unclear == unclear


@pytest.mark.parametrize(("programs", "missed"), [(1, 0.975), (8, 0.369), (40, 0.088)])
def test_programs_that_are_all_alike_leave_room_for_others(programs: int, missed: float) -> None:
    """The upper end of none of n by Clopper and Pearson, from a table."""
    none, every = outcomes([0] * programs), outcomes([8] * programs)
    found = compare(none, every, 1, 1, "test")
    assert found.first.low == 0 and found.second.high == found.difference.high == 1
    assert found.first.high == pytest.approx(missed, abs=5e-4)
    assert found.second.low == pytest.approx(1 - missed, abs=5e-4)
    assert found.difference.low == pytest.approx(1 - 2 * missed, abs=1e-3)
    assert found.unclear == (programs < 6)
    same = compare(none, none, 1, 1, "test").difference
    assert -same.low == same.high == found.first.high


def test_bugs_of_one_program_count_once() -> None:
    def width(names: list[str]) -> float:
        base = {name: Outcome(1, 0) for name in names}
        better = {name: Outcome(1, int(index < 6)) for index, name in enumerate(names)}
        found = compare(base, better, 1, 1, "test").difference
        return found.high - found.low

    alike = [f"{task}-{number}" for task in "abcd" for number in (1, 2, 3)]
    assert width(alike) > 1.5 * width([f"program{number}" for number in range(12)])


def test_means_of_exact_values_are_compared_like_single_samples() -> None:
    """A value has no noise of its own: halving all halves the interval."""
    base, better = [0, 0, 1, 0, 1, 0, 0, 1], [1, 0, 1, 1, 1, 1, 0, 0]
    single = compare(outcomes(base, 1), outcomes(better, 1), 1, 1, "test")

    def means(factor: float) -> Paired:
        first, second = (
            dict(zip(NAMES, np.multiply(row, factor), strict=False)) for row in (base, better)
        )
        return compare_means(first, second, 1, "test")

    whole, half = means(1.0), means(0.5)
    for name in ("first", "second", "difference"):
        assert getattr(whole, name) == getattr(single, name)
    assert half.difference.low == pytest.approx(whole.difference.low / 2)
    assert half.difference.high == pytest.approx(whole.difference.high / 2)


def test_pairing_finds_what_overlapping_intervals_hide() -> None:
    """Problems differ a lot, and the models a little on every problem."""
    base = outcomes([1 + 2 * index for index in range(20)], 64)
    better = outcomes([11 + 2 * index for index in range(20)], 64)
    found = compare(base, better, 1, 1, "test")
    assert found.first.high > found.second.low
    assert not found.unclear


Chances = Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]]


def same_chances(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    chances = random.beta(0.5, 0.7, size=8)
    return chances, chances


def other_problems_but_no_mean_effect(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    first, other = random.beta(0.5, 0.7, size=(2, 8))
    return first, np.where(random.random(8) < 0.3, other, first)


@pytest.mark.parametrize("samples", [1, 4, 8])
@pytest.mark.parametrize("chances", [same_chances, other_problems_but_no_mean_effect])
def test_no_effect_is_claimed_no_more_often_than_the_level_allows(
    samples: int, chances: Chances, monkeypatch: pytest.MonkeyPatch
) -> None:
    """400 runs of eight problems: 20 claims are expected at 95 %, 33 or more in 1 of 200 cases."""
    monkeypatch.setattr(paired, "DRAWS", 500)
    claims = 0
    for run in range(400):
        random = generator(7, "coverage", samples, run)
        first, second = (
            outcomes(random.binomial(samples, share).tolist(), samples) for share in chances(random)
        )
        claims += not compare(first, second, 1, run, "test").unclear
    assert claims <= 32


def test_the_interval_of_pass_at_5_holds_its_value() -> None:
    """Repeated samples would have fewer of the rare successes."""
    rare = {f"p{number}": Outcome(10, 1 + number % 2) for number in range(300)}
    found = compare(rare, rare, 5, 1, "test").first
    assert found.value == pytest.approx((1 / 2 + 7 / 9) / 2)
    assert found.low < found.value < found.high
