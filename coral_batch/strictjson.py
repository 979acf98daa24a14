"""JSON as the standard has it: no duplicate keys, no NaN or Infinity."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from coral_batch.errors import CoralError


def parse(text: str, file: Path, field: str | None = None) -> Any:
    """Parse JSON strictly.

    Args:
        text: the JSON text.
        file: where it comes from, for the message.
        field: where in the file, for the message.

    Raises:
        CoralError: `text` is not JSON, an object has a key twice, or a number is not finite.
    """
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise CoralError(
            "not valid JSON", file=file, field=field, found=text, expected=f"JSON ({error})"
        ) from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) != len(pairs):
        raise ValueError("a key stands twice in an object")
    return content


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
