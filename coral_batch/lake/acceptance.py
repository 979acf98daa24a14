"""What certainly satisfies a JSON Schema, found in a hundredth of jsonschema's time.

A fast pre-check by jsonschema-rs; jsonschema decides the rest, and words every message. What is
accepted here, jsonschema accepts as well, as `schemas` has it: 1.0 is no integer. A column of a
flat table is accepted at once, in polars.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Mapping
from typing import Any

import jsonschema_rs
import polars as pl

Check = Callable[[Any], bool]

_WORDS = frozenset({"$schema", "description", "key", "minRows", "title"})
"""Keywords that refuse nothing: a row's `key`, and `minRows` of a table."""

_COMBINING = frozenset({"$ref", "allOf", "anyOf", "contains", "if", "not", "oneOf", "prefixItems"})
"""Keywords whose parts are not looked into for integers."""

_KINDS: Mapping[str, type] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "null": type(None),
}

_BOUNDS: Mapping[str, Callable[[Any, float], Any]] = {
    "minimum": operator.ge,
    "maximum": operator.le,
    "exclusiveMinimum": operator.gt,
    "exclusiveMaximum": operator.lt,
}


def acceptor(schema: Mapping[str, Any]) -> Check:
    """Compile a schema to a function that says whether a JSON value certainly satisfies it."""
    try:
        json.dumps(schema, allow_nan=False)  # of a NaN jsonschema-rs makes a null
        is_valid = jsonschema_rs.Draft202012Validator(dict(schema)).is_valid
    except ValueError:  # a schema that holds what JSON cannot
        return lambda _: False
    holds_no_float = _where_integers_stand(schema)

    def accepts(value: Any) -> bool:
        try:
            return is_valid(value) and (holds_no_float is None or holds_no_float(value))
        except ValueError:  # text that UTF-8 cannot hold, or keys that are no text
            return False

    return accepts


def _where_integers_stand(schema: Any) -> Check | None:
    """Compile a check that a valid value has no float where its schema asks for an integer.

    JSON Schema calls 1.0 an integer. None where the schema names no integer.
    """
    if not isinstance(schema, Mapping):
        return None
    if schema.keys() & _COMBINING:
        return _has_no_float
    kinds = schema.get("type", ())
    kinds = (kinds,) if isinstance(kinds, str) else kinds
    fields = {
        name: check
        for name, field in schema.get("properties", {}).items()
        if (check := _where_integers_stand(field)) is not None
    }
    rest = _where_integers_stand(schema.get("additionalProperties"))
    known = schema.get("properties", {}).keys()
    item = _where_integers_stand(schema.get("items"))
    whole = "integer" in kinds and "number" not in kinds
    if not (whole or fields or rest or item):
        return None

    def holds(value: Any) -> bool:
        if type(value) is float:
            return not whole
        if type(value) is list:
            return item is None or all(map(item, value))
        if type(value) is not dict:
            return True
        if rest is not None and not all(rest(value[name]) for name in value.keys() - known):
            return False
        return all(check(value[name]) for name, check in fields.items() if name in value)

    return holds


def _has_no_float(value: Any) -> bool:
    if type(value) is dict:
        return all(map(_has_no_float, value.values()))
    return all(map(_has_no_float, value)) if type(value) is list else type(value) is not float


def doubtful(schema: Mapping[str, Any], column: pl.Series) -> pl.Series:
    """Return the distinct values of a column that may break the schema of its field.

    Args:
        schema: of one field; a null of the column is a JSON null.
        column: of strings, 64-bit integers or floats, or booleans.

    Returns:
        In order of appearance, all but those that types and bounds alone allow.
    """
    if schema.keys() - _WORDS <= {"type", *_BOUNDS}:
        named = schema.get("type", list(_KINDS))
        names = [named] if isinstance(named, str) else named
        kinds = {_KINDS[name] for name in names if name in _KINDS}
        kinds |= {int} if float in kinds else set()
        limits = {word: limit for word, limit in schema.items() if word in _BOUNDS}
        good = _within(column, kinds, limits).fill_null(type(None) in kinds)
        column = column.filter(~good)
    return column.unique(maintain_order=True)


def _within(column: pl.Series, kinds: set[type], limits: Mapping[str, float]) -> pl.Series:
    if column.dtype in (pl.String, pl.Boolean):
        known = (str if column.dtype == pl.String else bool) in kinds
        return column.is_not_null() & known
    # Beside a float, polars compares integers beyond 2^53 rounded.
    whole = column.dtype == pl.Int64 and all(type(limit) is int for limit in limits.values())
    if not (whole and int in kinds) and not (column.dtype == pl.Float64 and float in kinds):
        return column.is_null() & False
    good = column.is_finite()
    for word, limit in limits.items():
        good &= _BOUNDS[word](column, limit)
    return good
