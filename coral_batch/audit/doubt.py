"""What an audit finds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Doubt:
    """Something that does not follow.

    Attributes:
        file: where it stands.
        row: the row's number and key; None for what is not in a row.
        column: the column, with the path inside a nested value; None for a whole row or file.
        found: what stands there.
        expected: what should; None where it is not known.
        source: what that follows from.
        problem: why the file cannot be read at all, in words; the other fields are empty then.
    """

    file: Path
    row: str | None = None
    column: str | None = None
    found: object = None
    expected: object = None
    source: str = ""
    problem: str | None = None
