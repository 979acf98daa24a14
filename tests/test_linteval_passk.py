"""pass@k is the share of k-subsets with a success."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coral_batch.evidence.passk import pass_at_k

counts = st.integers(1, 9).flatmap(
    lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))
)


@given(counts)
def test_it_counts_the_subsets_that_hold_a_success(numbers: tuple[int, int, int]) -> None:
    n, c, k = numbers
    subsets = list(combinations(range(n), k))
    hits = sum(any(sample < c for sample in subset) for subset in subsets)
    assert pass_at_k(n, c, k) == pytest.approx(hits / len(subsets), abs=1e-15)
