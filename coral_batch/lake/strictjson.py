"""Strict JSON: no duplicate keys, no NaN or Infinity, no lone surrogates."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from coral_batch.errors import CoralError

# Possible lone surrogates, or numbers beyond the largest float.
_DOUBTFUL = re.compile(r"\\u[dD][89a-fA-F]|\d[eE]\+?\d{2}|\d{250}")


def parse(
    text: str,
    file: Path,
    field: str | None = None,
    *,
    infinite: bool = False,
    expected: str = "JSON",
) -> Any:
    """Parse JSON strictly.

    Args:
        text: the JSON text.
        file: where it comes from, for the message.
        field: where in the file, for the message.
        infinite: allow NaN and Infinity, as Python writes them.
        expected: the expected content, for the message.

    Raises:
        CoralError: `text` is not JSON, an object has a duplicate key, a number is not finite, or a
            string holds a lone surrogate, which UTF-8 cannot encode.
    """
    try:
        constant = float if infinite else _refuse_constant
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=constant)
        if _DOUBTFUL.search(text):
            json.dumps(value, ensure_ascii=False, allow_nan=infinite).encode()
    except (ValueError, RecursionError) as error:
        raise CoralError(
            "not valid JSON", file=file, field=field, found=text, expected=f"{expected} ({error})"
        ) from None
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) != len(pairs):
        raise ValueError("duplicate key in an object")
    return content


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")
