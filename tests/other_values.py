"""Another value in the place of one of a table, which the table's schema accepts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from coral_batch.lake.schemas import Schema


def changed(row: dict[str, Any], path: Sequence[str], schema: dict[str, Any]) -> dict[str, Any]:
    """Return the row with another value at `path` that its schema accepts."""
    name, *rest = path
    field = schema["properties"][name]
    value = changed(row[name], rest, field) if rest else another(row[name], field)
    return {**row, name: value}


def another(value: Any, schema: dict[str, Any]) -> Any:
    check = Schema(schema)
    return next(new for new in others(value, schema) if new != value and check.is_valid(new))


def others(value: Any, schema: dict[str, Any]) -> Iterator[Any]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 1, value - 1)
    elif isinstance(value, float):
        yield from (value + 1e-9, value - 1e-9)
    elif isinstance(value, str):
        yield from schema.get("enum", [])
        yield from (value[:-1] + end for end in "0123456789")
        yield from (value + value[-1:], value + " ", value.replace("B", "B0", 1))
        yield from ("S", "999", "001-77")
    elif isinstance(value, list):
        items = schema.get("items", {})
        if value:
            yield [another(value[0], items), *value[1:]]
        more = (0, 0.5, "001-77", "bugfix", {"inputs": [1], "expected": 2, "tolerance": None})
        yield from ([*value, new] for new in more)
    elif isinstance(value, dict):
        for name, inner in value.items():
            field = schema.get("properties", {}).get(name) or schema.get("additionalProperties", {})
            yield {**value, name: another(inner, field if isinstance(field, dict) else {})}
        yield {"more": "text"}
    yield from (1, 0.5, "LOW", "test", None, "0" * 64)
