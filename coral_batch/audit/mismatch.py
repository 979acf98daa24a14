"""What an audit finds, and how it is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from coral_batch.errors import shorten


@dataclass(frozen=True)
class Mismatch:
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

    def __str__(self) -> str:
        """Return a block of lines."""
        lines = [", ".join(str(word) for word in (self.file, self.row, self.column) if word)]
        if self.problem is not None:
            lines += self.problem.split("\n")
        else:
            expected = "another value" if self.expected is None else shorten(self.expected)
            lines += [f"found:    {shorten(self.found)}", f"expected: {expected}"]
            lines += [f"from:     {self.source}"]
        return "\n  ".join(lines) + "\n"


def differences(found: object, expected: object, path: str) -> Iterator[tuple[str, object, object]]:
    """Yield path, found and expected of each value in which two JSON values differ."""
    if isinstance(found, Mapping) and isinstance(expected, Mapping):
        for name in dict.fromkeys([*expected, *found]):
            yield from differences(
                found.get(name, "nothing"), expected.get(name, "nothing"), f"{path}.{name}"
            )
    elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        for index, (one, other) in enumerate(zip(found, expected, strict=True)):
            yield from differences(one, other, f"{path}.{index}")
    elif found != expected:
        yield path, found, expected
