"""What is accepted without jsonschema is what jsonschema accepts."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coral_batch import lake
from coral_batch.errors import CoralError
from coral_batch.lake.schemas import Schema, validator
from coral_batch.search.automata.features import FEATURES
from tests.report_lake import write_lake

KINDS = ("string", "integer", "number", "boolean", "null", "object", "array")
TEXTS = st.sampled_from(["", "a", "ab", "PASS", "a\n", "0", "\N{GRINNING FACE}"]) | st.text()
NUMBERS = (
    st.sampled_from([0, 1, 1.0, -0.0, 2**53, 2**53 + 1, 10**30, float("nan"), float("inf")])
    | st.integers(-3, 3)
    | st.floats()
)
SCALARS = st.none() | st.booleans() | TEXTS | NUMBERS
# Of a schema, which is JSON itself.
CONSTANTS = st.sampled_from([None, True, "", "a", "a\n", 0, 1, 1.0, -0.0, 2**53 + 1, 0.5])
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, max_size=3)
    ),
    max_leaves=6,
)
LIMITS = st.sampled_from([0, 1, 2, 0.5, 2**53, 2.0**53, -1])
COUNTED = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
SIZES = st.integers(0, 2)


def is_valid(schema: dict[str, Any], value: Any) -> bool:
    """Ask jsonschema alone."""
    return next(Schema(schema).iter_errors(value), None) is None


def schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    fields = st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2)
    return st.fixed_dictionaries(
        {"description": st.just("")},
        optional={
            "type": st.sampled_from(KINDS)
            | st.lists(st.sampled_from(KINDS), min_size=1, unique=True),
            "enum": st.lists(CONSTANTS, min_size=1, max_size=3),
            "const": CONSTANTS,
            "pattern": st.sampled_from(["^a$", "^[a-z]+$", "b", "^$"]),
            **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), LIMITS),
            **dict.fromkeys(COUNTED, SIZES),
            "uniqueItems": st.booleans(),
            "required": st.lists(st.sampled_from(["a", "b"]), unique=True),
            "properties": fields,
            "additionalProperties": st.booleans() | inner,
            "items": inner,
            "anyOf": st.lists(inner, min_size=1, max_size=2),
        },
    )


@given(schema=st.recursive(schemas(st.just({})), schemas, max_leaves=3), value=VALUES)
@settings(max_examples=300)
def test_what_is_accepted_is_valid(schema: dict[str, Any], value: Any) -> None:
    compiled = Schema(schema)
    assert not compiled.accepts(value) or is_valid(schema, value)
    assert compiled.is_valid(value) == is_valid(schema, value)


ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "genome": st.sampled_from(["000-00", "base", "000-0", "000-00\n"]),
            "problem": st.sampled_from(["gcd", "Gcd", None]),
            "sample": st.sampled_from([0, 3, -1, None]),
            "case": st.just(0),
            "cpu_seconds": st.sampled_from([0.0, 0.7, float("nan"), None]),
            "wall_seconds": st.sampled_from([0.0, 0.9, -0.1, float("inf"), None]),
        }
    ),
    min_size=1,  # this table has to have rows
    max_size=4,
    unique_by=lambda row: (row["genome"], row["problem"], row["sample"]),
)


@given(rows=ROWS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
def test_a_frame_is_written_exactly_when_every_row_is_valid(
    tmp_path: Path, rows: list[dict[str, Any]]
) -> None:
    valid = all(is_valid(validator("case_times").schema, row) for row in rows)
    with lake.at(tmp_path):
        try:
            lake.write_frame("case_times", lake.frame("case_times", rows), "000")
            written = True
        except CoralError:
            written = False
    assert written == valid


def test_the_first_row_that_is_wrong_is_named(tmp_path: Path) -> None:
    row = {"genome": "000-00", **dict.fromkeys(FEATURES, 0.5)}
    rows = [row, {**row, "complexity": 2.5}, {**row, "complexity": 1.5}]
    with lake.at(tmp_path), pytest.raises(CoralError, match=r"row 2, complexity\n.*2\.5"):
        lake.write_frame("features", lake.frame("features", rows), "000")


def test_the_rows_of_large_tables_need_no_jsonschema(tmp_path: Path) -> None:
    """Else one keyword that is not known makes a large lake slow, and nobody sees why."""
    with lake.at(tmp_path):
        write_lake()
        for table in ("population", "adapters", "adapter_cards", "samples", "selection"):
            accepts = validator(table).accepts
            assert all(map(accepts, lake.read_rows(table, dict, "001"))), table
