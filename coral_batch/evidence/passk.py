"""pass@k by the unbiased estimator, and confidence intervals of means over items.

The estimator is that of Chen et al. 2021, "Evaluating Large Language Models Trained on Code"
(arXiv:2107.03374, equation 1): of the subsets of k of an item's n samples, the share that holds a
success. Pure functions of arrays; nothing here knows what a success is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coral_batch.errors import CoralError
from coral_batch.seeding import generator

KS = (1, 5, 10)
"""The k that CodeLinterEval publishes."""

LEVEL = 0.95
"""Of all intervals."""
DRAWS = 10_000
"""Of every bootstrap."""


@dataclass(frozen=True)
class Interval:
    """A mean over items and its percentile bootstrap interval.

    Attributes:
        mean: the mean, of whatever unit the values have.
        low: lower end of the interval; equal to `high` where all groups are alike, or there is one,
            which says nothing.
        high: upper end.
        items: number of items, >= 1.
    """

    mean: float
    low: float
    high: float
    items: int


def pass_at_k(n: int, c: int, k: int) -> float:
    """Return 1 - C(n-c, k) / C(n, k): the chance that k of n samples hold a success.

    Computed as (C(n, k) - C(n-c, k)) / C(n, k) in whole numbers with one rounding at the end, so
    neither large n nor small chances lose digits.

    Args:
        n: samples of the item, >= 1.
        c: those that succeeded, in [0, n].
        k: samples that one may choose, in [1, n].

    Raises:
        CoralError: the numbers are not in these ranges; k > n above all, which n samples say
            nothing about.
    """
    if not 0 <= c <= n:
        raise CoralError("successes out of range", field="c", found=c, expected=f"0 to n = {n}")
    if not 1 <= k <= n:
        raise CoralError(
            f"pass@{k} cannot be estimated",
            field="k",
            found=k,
            expected=f"1 to n = {n}, the samples an item has",
            action="draw more samples an item (linteval.samples in params.yaml), or ask for less",
        )
    every = math.comb(n, k)
    return (every - math.comb(n - c, k)) / every


def pass_at_k_of_items(successes: ArrayLike, k: int) -> NDArray[np.float64]:
    """Return each item's pass@k, an (items,) array in [0, 1].

    Args:
        successes: (items, n) truth values, a row an item.
        k: as in `pass_at_k`, which also says what is raised.
    """
    table = np.asarray(successes, dtype=bool)
    items, n = table.shape
    by_count = [pass_at_k(n, c, k) for c in range(n + 1)] if items else [0.0]
    return np.array(by_count)[table.sum(axis=1)]


def bootstrap_mean(
    values: ArrayLike, groups: Sequence[str], seed: int, purpose: str, *ids: str | int
) -> Interval:
    """Return the mean of one value an item, with a 95 % percentile bootstrap interval over groups.

    Groups of items that are alike are drawn with replacement (the cluster bootstrap: Davison and
    Hinkley 1997, section 3.8), `DRAWS` times; an item's samples stay together, since the value
    already sums them up. For a paired comparison pass each item's difference. With few groups the
    interval is too narrow: with eight it holds the truth in 89 to 91 % of runs (docs/notebook.md).

    Args:
        values: (items,) numbers, at least one.
        groups: of what each item is; that of an item like no other is its own.
        seed: the run's seed.
        purpose: what the random stream is for; see `coral_batch.seeding`.
        ids: what it belongs to.
    """
    numbers = np.asarray(values, dtype=np.float64)
    stream = generator(seed, purpose, *ids)
    _, places = np.unique(np.asarray(groups), return_inverse=True)
    totals, sizes = np.bincount(places, numbers), np.bincount(places)
    drawn = stream.integers(len(sizes), size=(DRAWS, len(sizes)))
    means = totals[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(numbers.mean()), float(low), float(high), len(numbers))
