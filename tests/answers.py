"""Comparing answers that were drawn by products of other shapes, which round differently."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from coral_batch.models.decoding.answer import Sample


def agree(ours: Sequence[Sample], theirs: Sequence[Sample]) -> None:
    """Assert that answers are the same, and as likely up to rounding."""
    for one, other in zip(ours, theirs, strict=True):
        assert one.log_probability == pytest.approx(other.log_probability, rel=1e-4)
        assert replace(one, log_probability=other.log_probability) == other
