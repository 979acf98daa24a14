"""JSON as the standard has it and a file can hold it.

No key twice, no NaN or Infinity, no half of a surrogate pair.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from coral_batch.errors import CoralError

# What may stand for half of a surrogate pair, or for a number beyond the greatest float.
_DOUBTFUL = re.compile(r"\\u[dD][89a-fA-F]|\d[eE]\+?\d{3}|\d{309}")


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
        infinite: whether NaN and Infinity are let through, as Python writes them.
        expected: what has to stand there, for the message.

    Raises:
        CoralError: `text` is not JSON, an object has a key twice, a number is not finite, or a
            string holds half of a surrogate pair, which UTF-8 cannot write.
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
        raise ValueError("a key stands twice in an object")
    return content


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")
