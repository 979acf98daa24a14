"""pass@k by the unbiased estimator.

The estimator is that of Chen et al. 2021, "Evaluating Large Language Models Trained on Code"
(arXiv:2107.03374, equation 1): the share of the k-subsets of an item's n samples that hold a
success.
"""

from __future__ import annotations

import math

KS = (1, 5, 10)
"""The k that CodeLinterEval publishes."""

LEVEL = 0.95
"""Confidence level of all intervals."""
DRAWS = 10_000
"""Draws of every bootstrap."""


def pass_at_k(n: int, c: int, k: int) -> float:
    """Return 1 - C(n-c, k) / C(n, k): the chance that k of n samples hold a success.

    Computed as (C(n, k) - C(n-c, k)) / C(n, k) in integers with one rounding at the end, so large n
    and small probabilities lose no digits.

    Args:
        n: samples of the item, >= 1.
        c: those that succeeded, in [0, n].
        k: samples drawn, in [1, n].
    """
    every = math.comb(n, k)
    return (every - math.comb(n - c, k)) / every
