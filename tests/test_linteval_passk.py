"""pass@k is the share of k-subsets with a success, and its interval is over items."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coral_batch.evidence.passk import bootstrap_mean, pass_at_k

counts = st.integers(1, 9).flatmap(
    lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))
)


@given(counts)
def test_it_counts_the_subsets_that_hold_a_success(numbers: tuple[int, int, int]) -> None:
    n, c, k = numbers
    subsets = list(combinations(range(n), k))
    hits = sum(any(sample < c for sample in subset) for subset in subsets)
    assert pass_at_k(n, c, k) == pytest.approx(hits / len(subsets), abs=1e-15)


def test_the_interval_is_the_same_on_every_run_and_holds_the_mean() -> None:
    values, each = np.linspace(0, 1, 12) ** 2, [str(number) for number in range(12)]
    first, second = (bootstrap_mean(values, each, 1, "test", "a") for _ in range(2))
    assert first == second
    assert first != bootstrap_mean(values, each, 2, "test", "a")
    assert first.low < first.mean < first.high
    assert first.mean == pytest.approx(values.mean())


def test_the_interval_narrows_with_the_items_and_vanishes_without_spread() -> None:
    def width(items: int, alike: int = 1) -> float:
        values = np.repeat([0.0, 1.0] * (items // 2), alike)
        groups = [str(number // alike) for number in range(len(values))]
        found = bootstrap_mean(values, groups, 1, "test")
        return found.high - found.low

    # A mean of n fair coins has a 95 % interval of about 2 * 1.96 * 0.5 / sqrt(n).
    assert width(100) == pytest.approx(0.196, abs=0.015)
    assert width(400) == pytest.approx(0.098, abs=0.01)
    # Items that are copies of one another add nothing.
    assert width(100, alike=3) == width(100)
    flat = bootstrap_mean([0.25] * 7, list("abcdefg"), 1, "test")
    assert (flat.low, flat.mean, flat.high, flat.items) == (0.25, 0.25, 0.25, 7)
