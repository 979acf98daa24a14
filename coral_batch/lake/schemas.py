"""The JSON Schemas in schemas/, compiled once, and error messages for violations.

A schema may refer to a part of itself (``"$ref": "#/$defs/..."``) or of another file
(``"$ref": "params.schema.json#/..."``). No schema names an objective: a property or list entry with
``{objective}`` stands for one per objective, and ``"{objectives}"`` for their number.

jsonschema-rs accepts clearly valid values, about 100 times as fast as jsonschema. jsonschema
decides the rest and gives the messages.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, reduce
from operator import getitem
from pathlib import Path
from typing import Any

import jsonschema_rs
from jsonschema import Draft4Validator, Draft202012Validator, TypeChecker
from jsonschema.exceptions import ValidationError, best_match
from jsonschema.protocols import Validator
from jsonschema.validators import extend

from coral_batch.errors import CoralError
from coral_batch.lake.places import SCHEMAS
from coral_batch.records.settings import OBJECTIVES

FOLDER = Path(__file__).resolve().parents[2] / "schemas"


def _is_number(checker: TypeChecker, value: object) -> bool:
    integer = checker.is_type(value, "integer")
    return integer or (isinstance(value, float) and math.isfinite(value))


def _matches(_: Any, pattern: str, text: Any, __: Any) -> Iterator[ValidationError]:
    if not isinstance(text, str):
        return
    ended = rf"{pattern[:-1]}\Z" if pattern.endswith("$") else pattern
    if not re.search(ended, text):
        yield ValidationError(f"{text!r} does not match {pattern!r}")


# Since Draft 6, 1.0 is an integer, and Python's NaN passes every bound; we allow neither. In Python
# `$` also matches before a final newline, in JSON Schema only at the end.
_Strict = extend(
    Draft202012Validator,
    {"pattern": _matches},
    type_checker=Draft4Validator.TYPE_CHECKER.redefine("number", _is_number),
)


class Schema:
    """A compiled JSON Schema.

    Args:
        schema: as JSON.

    Attributes:
        schema: the same.
    """

    def __init__(self, schema: dict[str, Any]) -> None:
        self.schema = schema
        self._strict: Validator = _Strict(schema)
        self._quick = jsonschema_rs.Draft202012Validator(schema)
        self._types = jsonschema_rs.Draft4Validator(_types(schema) | _DEFINITIONS)

    def is_valid(self, value: Any) -> bool:
        """Whether a JSON value satisfies the schema."""
        return self.accepts(value) or self._strict.is_valid(value)

    def accepts(self, value: Any) -> bool:
        """Whether a JSON value certainly satisfies the schema."""
        try:
            return self._quick.is_valid(value) and self._types.is_valid(value)
        except ValueError:  # text that UTF-8 cannot hold
            return False

    def iter_errors(self, value: Any) -> Iterator[ValidationError]:
        """Yield every violation."""
        return self._strict.iter_errors(value)


_COMBINING = frozenset({"$ref", "allOf", "anyOf", "contains", "if", "not", "oneOf", "prefixItems"})
"""Keywords whose parts are not searched for types; their values must not hold floats."""
_EXACT = {"$ref": "#/definitions/exact"}
_DEFINITIONS = {
    "definitions": {
        "exact": {
            "type": ["null", "boolean", "integer", "string", "array", "object"],
            "items": _EXACT,
            "additionalProperties": _EXACT,
        }
    }
}


def _types(schema: Any) -> Any:
    """Return a schema's types for Draft 4; later drafts count 1.0 as an integer."""
    if not isinstance(schema, dict):
        return schema
    if schema.keys() & _COMBINING:
        return _EXACT
    fields = schema.get("properties", {})
    nested = [word for word in ("items", "additionalProperties") if word in schema]
    return {
        **({"type": schema["type"]} if "type" in schema else {}),
        "properties": {name: _types(field) for name, field in fields.items()},
        **{word: _types(schema[word]) for word in nested},
    }


def read(name: str) -> dict[str, Any]:
    """Return ``schemas/NAME.schema.json`` with all references resolved."""
    file = f"{name}.schema.json"
    content = {key: part for key, part in _parse(file).items() if key != "$defs"}
    written: dict[str, Any] = _written_out(content, file)
    return written


@cache
def _parse(file: str) -> Any:
    return json.loads((FOLDER / file).read_text(encoding="utf-8"))


def _written_out(node: Any, file: str) -> Any:
    """Resolve references and objectives; keywords next to a reference take precedence."""
    if node == "{objectives}":
        return len(OBJECTIVES)
    if isinstance(node, list):
        return [_written_out(item, file) for entry in node for item in _for_each_objective(entry)]
    if not isinstance(node, dict):
        return node
    found = {}
    if "$ref" in node:
        other, pointer = node["$ref"].split("#/")
        other = other or file
        found = _written_out(reduce(getitem, pointer.split("/"), _parse(other)), other)
    pairs = (pair for item in node.items() for pair in _for_each_objective(item))
    own = {key: _written_out(value, file) for key, value in pairs if key not in {"$ref", "$defs"}}
    return {**found, **own}


def _for_each_objective(entry: Any) -> list[Any]:
    """Return a list entry or a key-value pair once, or once per objective."""
    named = entry[0] if isinstance(entry, tuple) else entry
    if not isinstance(named, str) or "{objective}" not in named:
        return [entry]
    return [_name(entry, objective) for objective in OBJECTIVES]


def _name(node: Any, objective: str) -> Any:
    """Insert the objective's name into every string of a node."""
    if isinstance(node, str):
        named = node.replace("{objective}", objective)
        return named.replace("{Objective}", objective.capitalize())
    if isinstance(node, dict):
        return {_name(key, objective): _name(value, objective) for key, value in node.items()}
    if isinstance(node, list | tuple):
        return type(node)(_name(item, objective) for item in node)
    return node


@cache
def validator(name: str) -> Schema:
    """Return the schema of a table of the lake, or ``schemas/NAME.schema.json``."""
    return Schema(read(SCHEMAS.get(name, name)))


@cache
def subvalidator(table: str, field: str) -> Schema:
    """Return the schema of one field of a flat table."""
    return Schema(validator(table).schema["properties"][field])


def require_valid(
    check: Schema,
    value: Any,
    problem: str,
    file: Path,
    where: str = "",
    action: str | None = None,
) -> None:
    """Raise `CoralError` with this problem if a value of a file is not valid; see `first_error`."""
    error = first_error(check, value, where)
    if error is not None:
        raise CoralError(problem, file=file, action=action, **error)


def first_error(check: Schema, value: Any, where: str = "") -> dict[str, Any] | None:
    """Validate `value`; describe the most relevant violation as `CoralError` arguments.

    Args:
        check: the compiled schema.
        value: the JSON value.
        where: prefix of the field, e.g. ``row 3``.

    Returns:
        None, or a dict with ``field``, ``found`` and ``expected``.
    """
    if check.is_valid(value):
        return None
    error = best_match(check.iter_errors(value))
    assert error is not None
    path = ".".join(str(part) for part in error.absolute_path)
    field = ", ".join(part for part in (where, path) if part) or "the whole document"
    found = error.instance
    expected = _expectation(error.validator, error.validator_value, error.schema)
    if error.validator == "additionalProperties":
        found = sorted(set(error.instance) - set(error.schema.get("properties", {})))
    elif error.validator == "required":
        missing = [key for key in error.validator_value if key not in error.instance]
        found, expected = f"missing {', '.join(missing)}", ", ".join(missing)
    return {"field": field, "found": found, "expected": expected}


def row_key(row: Mapping[str, Any], columns: Sequence[str]) -> tuple[Any, ...]:
    """Return a row's key, as the schema's ``key`` defines it; ``meta.id`` is a nested field."""
    return tuple(reduce(getitem, column.split("."), row) for column in columns)


def _expectation(keyword: str, limit: Any, schema: dict[str, Any]) -> str:
    words = {
        "type": "type",
        "enum": "one of",
        "minimum": "at least",
        "maximum": "at most",
        "exclusiveMinimum": "more than",
        "exclusiveMaximum": "less than",
        "pattern": "text matching",
        "minLength": "text of at least this length:",
        "minItems": "at least this many items:",
        "maxItems": "at most this many items:",
        "minProperties": "at least this many entries:",
        "uniqueItems": "no item twice:",
        "const": "exactly",
    }
    if keyword == "additionalProperties":
        return f"only {', '.join(sorted(schema.get('properties', {})))}"
    if keyword == "oneOf":
        return ", or ".join(map(_alternative, limit))
    shown = " or ".join(limit) if keyword == "type" and isinstance(limit, list) else limit
    expected = f"{words.get(keyword, keyword)} {shown}"
    description = schema.get("description")
    return f"{expected} ({description})" if description else expected


def _alternative(schema: dict[str, Any]) -> str:
    """Describe one of several alternative schemas."""
    if "enum" in schema:
        return f"one of {', '.join(map(str, schema['enum']))}"
    return f"an {schema['type']} of {', '.join(schema['required'])}"
