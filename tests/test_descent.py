"""From whom a genome descends, and by which line."""

import pytest

from coral_batch.errors import CoralError
from coral_batch.search.descent import ancestors, line
from tests.rows import genome

LIVED = [
    *(genome("000-00"), genome("000-01"), genome("000-02")),
    *(genome("000-01"), genome("001-00", "000-01", "000-02")),
    *(genome("002-00", "001-00", "000-01"), genome("001-00", "000-01", "000-02")),
]


def test_ancestors_are_parents_and_theirs() -> None:
    assert ancestors(LIVED, "002-00") == {"002-00", "001-00", "000-01", "000-02"}
    assert ancestors(LIVED, "000-00") == {"000-00"}


def test_the_line_goes_by_the_better_parent() -> None:
    worth = {"000-00": 0.9, "000-01": 0.4, "000-02": 0.5, "001-00": 0.7, "002-00": 0.6}
    assert line(LIVED, worth, "002-00") == [("000-02", 0.5), ("001-00", 0.7), ("002-00", 0.6)]
    assert line(LIVED, {**worth, "001-00": 0.3}, "002-00") == [("000-01", 0.4), ("002-00", 0.6)]


def test_a_parent_of_another_run_is_told() -> None:
    lived = [genome("001-00", "000-02"), genome("002-00", "001-00")]
    worth = {"001-00": 0.7, "002-00": 0.6}
    for known in (worth, {**worth, "000-02": 0.5}):
        with pytest.raises(CoralError, match="000-02, a parent of 001-00, in no population"):
            line(lived, known, "002-00")
