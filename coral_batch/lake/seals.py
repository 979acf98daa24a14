"""Seals: what vouches for a measured value after the work that measured it is gone.

Most of a table follows from other tables and can be computed again. What was measured or drawn (a
loss, a duration, a model's text, a verdict) cannot, or not cheaply. A schema marks such columns
with ``"measured": true``, names the columns that identify a row in ``"key"``, and has a column
``seal``: for each measured column the first 8 hexadecimal digits of the SHA-256 of the JSON array
``[table, *key, column, value]``, and behind them 8 digits of the SHA-256 of those digits.

A seal shows which value was changed since it was written. It is no signature: whoever changes a
value on purpose can seal it again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

COLUMN = "seal"
_DIGITS = 8
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


def key_columns(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the columns that identify a row; none for a document.

    Without seals, a key may be a field within a column: ``meta.id``.
    """
    return tuple(schema.get("key", ()))


def measured_columns(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the columns that only a seal vouches for."""
    return tuple(name for name, field in schema["properties"].items() if field.get("measured"))


def is_sealed(schema: Mapping[str, Any]) -> bool:
    """Return whether the table has seals."""
    return COLUMN in schema["properties"]


def seal(table: str, schema: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """Return the seal of a row, or of a document, of JSON values."""
    # What is missing or no number is for the schema to refuse, not for the seal.
    key = [row.get(name) for name in key_columns(schema)]
    digits = "".join(
        _digest([table, *key, name, row.get(name)]) for name in measured_columns(schema)
    )
    return digits + _digest(digits)


def seal_frame(table: str, schema: Mapping[str, Any], content: pl.DataFrame) -> pl.Series:
    """Return the seals of all rows of a flat table, the same as `seal` gives one by one."""
    start = json.dumps(table)
    keys = [_written(content, name) for name in key_columns(schema)]
    heads = [",".join((start, *row)) for row in zip(*keys, strict=True)]
    parts = []
    for name in measured_columns(schema):
        column, values = json.dumps(name), _written(content, name)
        parts.append(
            [
                _hashed(f"[{head},{column},{value}]")
                for head, value in zip(heads, values, strict=True)
            ]
        )
    rows = map("".join, zip(*parts, strict=True))
    return pl.Series(COLUMN, [digits + _hashed(f'"{digits}"') for digits in rows], pl.String())


def _written(content: pl.DataFrame, name: str) -> list[str]:
    """Return a column's values as JSON; null where there is no such column, as in `seal`."""
    column = content.get_column(name, default=pl.repeat(None, content.height, eager=True))
    values = column.to_list()
    if column.dtype == pl.Float64:
        # 0.0 and -0.0 are equal and written apart; a number holds no comma.
        return json.dumps(values)[1:-1].split(", ") if values else []
    known = {value: json.dumps(value) for value in column.unique().to_list()}
    return [known[value] for value in values]


def broken(
    table: str, schema: Mapping[str, Any], key: Sequence[Any], row: Mapping[str, Any]
) -> list[str]:
    """Return the columns of a row that its seal does not vouch for.

    Args:
        table: the table's name.
        schema: its schema.
        key: what identifies the row; given apart, since the row's own key may be wrong.
        row: the row with its seal.

    Returns:
        Names of measured columns, or `COLUMN` alone when the seal itself is damaged; none of a
        table without seals.
    """
    if not is_sealed(schema):
        return []
    found, columns = row[COLUMN] or "", measured_columns(schema)
    parts = [found[start : start + _DIGITS] for start in range(0, len(found), _DIGITS)]
    if len(parts) != len(columns) + 1 or parts[-1] != _digest("".join(parts[:-1])):
        return [COLUMN]
    return [
        name
        for name, part in zip(columns, parts, strict=False)
        if part != _digest([table, *key, name, row[name]])
    ]


def _digest(content: Any) -> str:
    return _hashed(_ENCODER.encode(content))


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
