"""CodeLinterEval's results for a model, and for the best genome against the base model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from coral_batch import lake
from coral_batch.errors import apart
from coral_batch.evidence.passk import KS, Interval, bootstrap_mean, pass_at_k_of_items
from coral_batch.linteval.scores.score import CHANGES
from coral_batch.records.items import ItemTests

DECIMALS = 6

Passes = dict[str, Interval | None]


@dataclass(frozen=True)
class Summary:
    """One model's scores.

    Attributes:
        genome: genome id, or `coral_batch.records.rows.BASE`.
        items: items answered.
        functions: functions that the items are about, by name; an item without tests counts as
            one. Intervals are over functions, since a function's items are alike.
        tested: items that have tests.
        samples: answers per item.
        official: ``pass@k`` -> its mean over items; None where k is more than `samples`.
        strict: likewise.
        outcomes: outcome -> answers; see `coral_batch.linteval.scores.score.Score`.
        tests_passed: answers that pass all tests of their item, whatever flake8 says.
        changes: change -> (answer, flake8 code) pairs.
    """

    genome: str
    items: int
    functions: int
    tested: int
    samples: int
    official: Passes
    strict: Passes
    outcomes: dict[str, int]
    tests_passed: int
    changes: dict[str, int]


@dataclass(frozen=True)
class Comparison:
    """The base model, the best genome, and their difference.

    Attributes:
        base: the base model without an adapter.
        best: the best genome's adapter, drawn with the same knobs.
        official: ``pass@k`` -> best minus base, item by item; None as in `Summary`.
        strict: likewise.
    """

    base: Summary
    best: Summary
    official: Passes
    strict: Passes


def summarise(
    scores: pl.DataFrame, changes: pl.DataFrame, tests: Sequence[ItemTests], seed: int
) -> Summary:
    """Summarise one model.

    Args:
        scores: its table `linteval_scores`, at least one row, as many for every item.
        changes: its table `linteval_changes`.
        tests: the items' tests.
        seed: the run's seed, for the intervals.
    """
    functions = _functions(scores, tests)
    official, strict = _passes(functions, seed, scores)
    return Summary(
        genome=scores["genome"][0],
        items=len(functions),
        functions=len(set(functions)),
        tested=scores.drop_nulls("tests")["item"].n_unique(),
        samples=len(scores) // len(functions),
        official=official,
        strict=strict,
        outcomes=dict(sorted(Counter(scores["outcome"].to_list()).items())),
        tests_passed=int(scores["tests"].fill_null(False).sum()),
        changes={change: int((changes["change"] == change).sum()) for change in CHANGES},
    )


def compare(
    base: tuple[pl.DataFrame, pl.DataFrame],
    best: tuple[pl.DataFrame, pl.DataFrame],
    tests: Sequence[ItemTests],
    seed: int,
) -> Comparison:
    """Summarise both models and their differences.

    Args:
        base: the base model's tables `linteval_scores` and `linteval_changes`.
        best: the best genome's.
        tests: the items' tests.
        seed: the run's seed.

    Raises:
        CoralError: they did not answer the same items equally often.
    """
    if not base[0].select("item", "sample").equals(best[0].select("item", "sample")):
        file = lake.path("linteval_scores", "best")
        raise apart("other items than those that the base model answered", file)
    return Comparison(
        summarise(*base, tests, seed),
        summarise(*best, tests, seed),
        *difference(best[0], base[0], tests, seed),
    )


def difference(
    scores: pl.DataFrame, minus: pl.DataFrame, tests: Sequence[ItemTests], seed: int
) -> tuple[Passes, Passes]:
    """Return the difference of two models, item by item, in the official and the strict score.

    Args:
        scores: one model's table `linteval_scores`.
        minus: the other's, of the same items in the same order.
        tests: the items' tests.
        seed: the run's seed, for the intervals.
    """
    return _passes(_functions(scores, tests), seed, scores, minus)


def _functions(scores: pl.DataFrame, tests: Sequence[ItemTests]) -> list[str]:
    """Return the function that each item is about; the item itself if it has no tests."""
    known = {one.id: one.function for one in tests}
    return [
        known.get(item) or f"item {item}" for item in scores["item"].unique(maintain_order=True)
    ]


def _passes(functions: Sequence[str], seed: int, *models: pl.DataFrame) -> tuple[Passes, Passes]:
    """Estimate each published pass@k with enough samples, or the difference of two models' one, in
    the official and the strict score.
    """
    official: Passes = dict.fromkeys((f"pass@{k}" for k in KS), None)
    strict = official.copy()
    for kind, found in (("official", official), ("strict", strict)):
        # An (items, samples) array per model.
        successes = [one[kind].to_numpy().reshape(len(functions), -1) for one in models]
        for k in KS:
            if k <= min(one.shape[1] for one in successes):
                values, *others = (pass_at_k_of_items(one, k) for one in successes)
                values = values - others[0] if others else values
                exact = bootstrap_mean(values, functions, seed, "linteval", kind, k)
                mean, low, high = (
                    round(end, DECIMALS) + 0.0 for end in (exact.mean, exact.low, exact.high)
                )
                found[f"pass@{k}"] = Interval(mean, low, high, exact.items)
    return official, strict
