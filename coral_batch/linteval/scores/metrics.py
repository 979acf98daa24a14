"""CodeLinterEval's results for a model, and for the best genome against the base model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, dataclass

import polars as pl

from coral_batch import lake
from coral_batch.errors import apart
from coral_batch.evidence import paired
from coral_batch.evidence.paired import Estimate, Outcome, Outcomes
from coral_batch.evidence.passk import KS
from coral_batch.linteval.scores.score import CHANGES
from coral_batch.records.items import ItemTests
from coral_batch.records.problem import program_of

DECIMALS = 6

Passes = dict[str, Estimate | None]


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
        strict: likewise, over the items with tests; None also where there are none.
        outcomes: outcome -> answers; see schemas/linteval_scores.schema.json.
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
    problems = list(outcomes(scores, tests, "official"))
    official, strict = _passes(tests, seed, scores, scores, "first")
    return Summary(
        genome=scores["genome"][0],
        items=len(problems),
        functions=len({program_of(problem) for problem in problems}),
        tested=scores.drop_nulls("tests")["item"].n_unique(),
        samples=len(scores) // len(problems),
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
    return _passes(tests, seed, minus, scores, "difference")


def outcomes(scores: pl.DataFrame, tests: Sequence[ItemTests], kind: str) -> Outcomes:
    """Return how a model did on each item.

    Items are named like injected bugs, so that `coral_batch.records.problem.program_of` returns the
    function; an item without tests is a function of its own.

    Args:
        scores: its table `linteval_scores`.
        tests: the items' tests.
        kind: the score, ``official`` or ``strict``; the second leaves out items without tests.
    """
    functions = {one.id: one.function for one in tests}
    passed: dict[int, list[bool]] = {}
    for item, success in scores.select("item", kind).drop_nulls().iter_rows():
        passed.setdefault(item, []).append(success)
    return {
        f"{functions.get(item) or f'item {item}'}-{item}": Outcome(len(of_item), sum(of_item))
        for item, of_item in passed.items()
    }


def _passes(
    tests: Sequence[ItemTests], seed: int, first: pl.DataFrame, second: pl.DataFrame, part: str
) -> tuple[Passes, Passes]:
    """Estimate each published pass@k with enough samples, in the official and the strict score.

    `part` says of which part of the comparison: ``first`` or ``difference``.
    """
    official: Passes = dict.fromkeys((f"pass@{k}" for k in KS), None)
    strict = official.copy()
    for kind, found in (("official", official), ("strict", strict)):
        left, right = (outcomes(scores, tests, kind) for scores in (first, second))
        most = min((one.samples for model in (left, right) for one in model.values()), default=0)
        for k in KS:
            if k <= most:
                compared = paired.compare(left, right, k, seed, "linteval", kind, k)
                estimate: Estimate = getattr(compared, part)
                ends = (round(end, DECIMALS) for end in astuple(estimate))
                found[f"pass@{k}"] = Estimate(*ends)
    return official, strict
