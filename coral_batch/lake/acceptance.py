"""What certainly satisfies a JSON Schema, found in a small part of jsonschema's time.

Sound and not complete: what is accepted here, jsonschema accepts as well (as `schemas` has it: 1.0
is no integer, NaN no number); what is not goes to jsonschema, which decides and finds the words. So
only speed depends on how many keywords are known here. A column of a flat table is accepted at
once, in polars.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping, Sized
from typing import Any

import polars as pl

Check = Callable[[Any], bool]

_WORDS = frozenset({"$schema", "description", "from", "key", "measured", "minRows", "title"})
"""Keywords that refuse nothing: a row's `key`, what is `measured`, and `minRows` of a table."""

_KINDS: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "object": (dict,),
    "array": (list,),
}

_BOUNDS: Mapping[str, Callable[[Any, float], Any]] = {
    "minimum": operator.ge,
    "maximum": operator.le,
    "exclusiveMinimum": operator.gt,
    "exclusiveMaximum": operator.lt,
}


def acceptor(schema: Mapping[str, Any]) -> Check:
    """Compile a schema to a function that says whether a JSON value certainly satisfies it."""
    checks = []
    for keyword, limit in schema.items():
        if keyword in _WORDS:
            continue
        if keyword not in _CHECKS:
            return _never
        checks.append(_CHECKS[keyword](limit, schema))

    def accepts(value: Any) -> bool:
        for check in checks:  # noqa: SIM110 (half the time of all())
            if not check(value):
                return False
        return True

    return checks[0] if len(checks) == 1 else accepts


def _never(_: Any) -> bool:
    return False


def _type(names: str | list[str], _: Mapping[str, Any]) -> Check:
    kinds = _kinds(names)
    if float not in kinds:
        # The very type: bool is no integer.
        return lambda value: type(value) in kinds
    return lambda value: type(value) in kinds and (type(value) is not float or math.isfinite(value))


def _kinds(names: str | list[str]) -> frozenset[type]:
    named = [names] if isinstance(names, str) else names
    return frozenset(kind for name in named for kind in _KINDS[name])


def _enum(values: list[Any], _: Mapping[str, Any]) -> Check:
    # Of texts and null alone: to JSON 1 and 1.0 are equal, to Python 1 and True as well.
    known = frozenset(value for value in values if value is None or type(value) is str)
    return lambda value: (value is None or type(value) is str) and value in known


def _pattern(pattern: str, _: Mapping[str, Any]) -> Check:
    search = re.compile(pattern).search
    return lambda value: type(value) is not str or search(value) is not None


def _bound(within: Callable[[Any, float], Any]) -> Callable[[float, Any], Check]:
    return lambda limit, _: lambda value: type(value) not in (int, float) or within(value, limit)


def _longest(kind: type[Sized], limit: int) -> Check:
    return lambda value: type(value) is not kind or len(value) <= limit


def _shortest(kind: type[Sized], limit: int) -> Check:
    return lambda value: type(value) is not kind or len(value) >= limit


def _properties(fields: Mapping[str, Any], _: Mapping[str, Any]) -> Check:
    checks = {name: acceptor(field) for name, field in fields.items()}

    def accepts(value: Any) -> bool:
        if type(value) is not dict:
            return True
        for name, item in value.items():
            check = checks.get(name)
            if check is not None and not check(item):
                return False
        return True

    return accepts


def _required(names: list[str], _: Mapping[str, Any]) -> Check:
    needed = frozenset(names)
    return lambda value: type(value) is not dict or needed <= value.keys()


def _additional(rest: Any, schema: Mapping[str, Any]) -> Check:
    if isinstance(rest, bool) and rest:
        return lambda _: True
    known = frozenset(schema.get("properties", ()))
    if isinstance(rest, bool):
        return lambda value: type(value) is not dict or value.keys() <= known
    check = acceptor(rest)
    return lambda value: (
        type(value) is not dict
        or all(check(item) for name, item in value.items() if name not in known)
    )


def _items(item: Any, _: Mapping[str, Any]) -> Check:
    if not isinstance(item, dict):
        return _never
    check = acceptor(item)
    return lambda value: type(value) is not list or all(map(check, value))


def _unique(_: Any, __: Mapping[str, Any]) -> Check:
    return lambda value: (
        type(value) is not list
        or (all(type(item) is str for item in value) and len(set(value)) == len(value))
    )


_CHECKS: Mapping[str, Callable[[Any, Mapping[str, Any]], Check]] = {
    "type": _type,
    "enum": _enum,
    "pattern": _pattern,
    **{word: _bound(within) for word, within in _BOUNDS.items()},
    "minLength": lambda limit, _: _shortest(str, limit),
    "maxLength": lambda limit, _: _longest(str, limit),
    "minItems": lambda limit, _: _shortest(list, limit),
    "maxItems": lambda limit, _: _longest(list, limit),
    "minProperties": lambda limit, _: _shortest(dict, limit),
    "maxProperties": lambda limit, _: _longest(dict, limit),
    "properties": _properties,
    "required": _required,
    "additionalProperties": _additional,
    "items": _items,
    "uniqueItems": _unique,
}


def doubtful(schema: Mapping[str, Any], column: pl.Series) -> pl.Series:
    """Return the distinct values of a column that may break the schema of its field.

    Args:
        schema: of one field; a null of the column is a JSON null.
        column: of strings, 64-bit integers or floats, or booleans.

    Returns:
        In order of appearance, all but those that types and bounds alone allow.
    """
    if schema.keys() - _WORDS <= {"type", *_BOUNDS}:
        kinds = _kinds(schema.get("type", list(_KINDS)))
        limits = {word: limit for word, limit in schema.items() if word in _BOUNDS}
        good = _within(column, kinds, limits).fill_null(type(None) in kinds)
        column = column.filter(~good)
    return column.unique(maintain_order=True)


def _within(column: pl.Series, kinds: frozenset[type], limits: Mapping[str, float]) -> pl.Series:
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
