"""The JSON Schemas in schemas/, compiled once, and how a violation is told."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from jsonschema.protocols import Validator
from jsonschema.validators import extend

FOLDER = Path(__file__).resolve().parent.parent / "schemas"


def _is_integer(_: Any, value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(checker: Any, value: object) -> bool:
    return _is_integer(checker, value) or (isinstance(value, float) and math.isfinite(value))


# JSON Schema calls 1.0 an integer, and Python's NaN slips through every bound; neither is meant.
_Strict = extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine_many(
        {"integer": _is_integer, "number": _is_number}
    ),
)


@cache
def validator(name: str) -> Validator:
    """Return the validator of ``schemas/NAME.schema.json``."""
    schema = json.loads((FOLDER / f"{name}.schema.json").read_text(encoding="utf-8"))
    return _Strict(schema)


@cache
def subvalidator(name: str, field: str) -> Validator:
    """Return the validator of one field of a flat table's schema."""
    return _Strict(validator(name).schema["properties"][field])


def first_error(check: Validator, value: Any, where: str = "") -> dict[str, Any] | None:
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
        found, expected = sorted(error.instance), f"the missing {', '.join(missing)} as well"
    return {"field": field, "found": found, "expected": expected}


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
    shown = " or ".join(limit) if keyword == "type" and isinstance(limit, list) else limit
    expected = f"{words.get(keyword, keyword)} {shown}"
    description = schema.get("description")
    return f"{expected} ({description})" if description else expected
