"""Summaries, differences, text and plots of CodeLinterEval."""

from __future__ import annotations

import polars as pl
import pytest

from coral_batch import lake
from coral_batch.errors import CoralError
from coral_batch.linteval.report.text import notes, plots, score_tables
from coral_batch.linteval.scores.metrics import Passes, compare, summarise
from coral_batch.records.items import ItemTests

SEED = 1
N = 5


def scores(successes: dict[int, int], tested: int | None = None) -> pl.DataFrame:
    """Rows in which the first `successes[item]` of N answers pass; `tested` items have tests."""
    tested = len(successes) if tested is None else tested
    return lake.frame(
        "linteval_scores",
        [
            {
                "genome": "base",
                "item": item,
                "sample": number,
                "official": number < passed,
                "strict": number + 1 < passed if index < tested else None,
                "outcome": "clean" if number < passed else "findings",
                "tests": number % 2 == 0 if index < tested else None,
            }
            for index, (item, passed) in enumerate(successes.items())
            for number in range(N)
        ],
    )


def changes(*rows: tuple[str, str]) -> pl.DataFrame:
    """The columns that are counted."""
    return pl.DataFrame(rows, schema=["code", "change"], orient="row")


# Items 1 and 2 are of one function.
TESTS = [
    ItemTests(1, "a 1", "a", (), "..."),
    ItemTests(2, "a 2", "a", (), "..."),
    ItemTests(3, "b", None, (), None),
]
SOME = changes(("E111", "fixed"), ("E111", "fixed"), ("E111", "stayed"), ("E302", "lost"))
OTHER = changes(("E111", "stayed"), ("F821", "new"))


def ends(passes: Passes, name: str = "pass@1") -> tuple[float, float, float]:
    found = passes[name]
    assert found is not None
    return found.value, found.low, found.high


def test_a_summary_is_the_mean_over_items() -> None:
    found = summarise(scores({1: 0, 2: 5, 3: 1}, tested=2), SOME, TESTS, SEED)
    assert (found.items, found.tested, found.samples) == (3, 2, N)
    mean, low, high = ends(found.official)
    assert low <= mean <= high
    assert mean == pytest.approx((0 + 1 + 0.2) / 3, abs=1e-6)
    assert ends(found.official, "pass@5")[0] == pytest.approx(2 / 3, abs=1e-6)
    assert ends(found.strict)[0] == pytest.approx(0.8 / 2, abs=1e-6)
    # Resampled answers would miss the only success of each item.
    rare = summarise(scores({1: 1, 2: 1, 3: 1}), SOME, TESTS, SEED)
    assert ends(rare.official, "pass@5")[0] == ends(rare.official, "pass@5")[2] == 1
    assert found.outcomes == {"clean": 6, "findings": 9}
    assert found.tests_passed == 6
    assert found.changes == {"fixed": 2, "stayed": 1, "lost": 1, "new": 0}


def test_items_of_one_function_count_as_one_in_the_intervals() -> None:
    successes = {1: 0, 2: 0, 3: 0, 4: 0}
    alike = summarise(scores(successes), SOME, TESTS, SEED)
    assert (alike.items, alike.functions) == (4, 3)
    apart = summarise(scores(successes), SOME, [], SEED)
    assert apart.functions == 4
    # No success says less about three functions than about four.
    assert ends(alike.official)[2] > ends(apart.official)[2] > 0.5
    alike = summarise(scores({1: 0, 2: 5}), SOME, TESTS, SEED)
    assert notes(alike).startswith("2 items of 1 functions, 2 with tests")


def test_what_there_are_too_few_samples_for_is_null_and_a_dash() -> None:
    found = summarise(scores({1: 1, 2: 2}), SOME, TESTS, SEED)
    assert found.official["pass@10"] is None
    row = score_tables({"base": found}, {}).splitlines()[2].split("  ")
    assert (row[0], row[-1].strip()) == ("base", "-")


def test_the_difference_is_taken_item_by_item() -> None:
    base, best = (scores({1: 0, 2: 2, 3: 4}), SOME), (scores({1: 1, 2: 3, 3: 5}), OTHER)
    found = compare(base, best, TESTS, SEED)
    assert ends(found.official)[0] == 0.2
    assert found.base == summarise(scores({1: 0, 2: 2, 3: 4}), SOME, TESTS, SEED)


def test_models_that_were_asked_different_things_are_not_compared() -> None:
    with pytest.raises(CoralError, match="other items than"):
        compare((scores({1: 0, 2: 2}), SOME), (scores({1: 1, 3: 3}), SOME), TESTS, SEED)


def test_the_plots_tell_by_code_what_was_fixed_and_what_is_new() -> None:
    files = plots({"base": SOME, "best": OTHER})
    assert files["fixed.csv"].splitlines()[1:] == [
        "E111 (base),E111,base,0.666667,3",
        "E111 (best),E111,best,0.0,1",
        "E302 (base),E302,base,0.0,1",
    ]
    assert files["new.csv"].splitlines()[1:] == [
        "F821 (base),F821,base,0",
        "F821 (best),F821,best,1",
    ]
