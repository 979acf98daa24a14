"""Seals of whole tables are those of their rows."""

from __future__ import annotations

from typing import Any

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from coral_batch import lake
from coral_batch.lake import seals
from coral_batch.lake.schemas import validator

KEY = {
    "genome": st.sampled_from(["000-00", "base"]),
    "problem": st.text(max_size=2),
    "sample": st.integers(0, 2**53 + 1),
    "case": st.integers(0, 3),
}
VERDICT = {
    "test": st.none() | st.text(max_size=2),
    "kind": st.sampled_from(["PASS", "FAIL"]),
    "detail": st.text() | st.sampled_from(['"', "\\", "\x00", "\N{GRINNING FACE}"]),
    "isolation": st.just("a+b"),
}
TIME = {
    "passed": st.booleans(),
    "cpu_seconds": st.floats() | st.sampled_from([0.0, -0.0, 1e-7, 5e-324]) | st.none(),
    "wall_seconds": st.floats(),
}


def rows(columns: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[list[dict[str, Any]]]:
    return st.lists(st.fixed_dictionaries({**KEY, **columns}), max_size=4)


@given(verdicts=rows(VERDICT), times=rows(TIME))
def test_a_frame_is_sealed_as_its_rows_are(
    verdicts: list[dict[str, Any]], times: list[dict[str, Any]]
) -> None:
    for table, content in (("verdicts", verdicts), ("case_times", times)):
        schema = validator(table).schema
        sealed = seals.seal_frame(table, schema, lake.frame(table, content))
        assert sealed.to_list() == [seals.seal(table, schema, row) for row in content]


def test_what_is_missing_is_for_the_schema_to_refuse() -> None:
    schema = validator("verdicts").schema
    row = {"genome": "000-00", "kind": "PASS"}
    sealed = seals.seal_frame("verdicts", schema, pl.DataFrame([row]))
    assert sealed.to_list() == [seals.seal("verdicts", schema, row)]
