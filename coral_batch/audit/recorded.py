"""The lake as an audit reads it: each table as it should be, as far as that is known.

A table in which something did not follow stands here as it should be; all others are read as they
lie in the lake. So one wrong value is named once, where it stands, and not again in everything that
follows from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl

from coral_batch import lake
from coral_batch.errors import CoralError, cut, shorten
from coral_batch.lake import seals
from coral_batch.lake.stage import as_frame
from coral_batch.records.rows import REFERENCE

Row = dict[str, Any]
Kind = TypeVar("Kind")
Place = tuple[str, str | None]
"""A table and its part of the lake."""


UNKNOWN = object()
"""What should stand somewhere, where that is not known."""


@dataclass(frozen=True)
class Mismatch:
    """Something that does not follow.

    Attributes:
        file: where it stands.
        row: the row's number and key; None for what is not in a row.
        column: the column, with the path inside a nested value; None for a whole row or file.
        found: what stands there.
        expected: what should, or `UNKNOWN`.
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
            found, expected = shorten(self.found), "another value"
            if self.expected is not UNKNOWN:
                found, expected = _apart(repr(self.found), repr(self.expected))
            lines += [f"found:    {found}", f"expected: {expected}"]
            lines += [f"from:     {self.source}"]
        return "\n  ".join(lines) + "\n"


def _apart(found: str, expected: str) -> tuple[str, str]:
    """Cut two texts to 200 characters that hold the first in which they differ."""
    differ = (
        place
        for place, (one, other) in enumerate(zip(found, expected, strict=False))
        if one != other
    )
    alike = next(differ, min(len(found), len(expected)))
    start = alike - 50 if alike > 150 else 0
    before = "..." if start else ""
    return cut(before + found[start:]), cut(before + expected[start:])


class Unusable(Exception):
    """Something that is needed cannot be read; what is wrong with it has been noted."""


class Recorded:
    """A lake's tables as they should be, and the mismatches found on the way there.

    It has the methods of `coral_batch.lake.stage.Tables`.

    Attributes:
        mismatches: what does not follow.
        reads: the tables read since it was last emptied.
        tainted: table -> columns and values that what rests on it has where a seal does not hold.
    """

    def __init__(self) -> None:
        self.mismatches: list[Mismatch] = []
        self.reads: set[Place] = set()
        self.tainted: dict[Place, list[Row]] = {}
        self._instead: dict[Place, Any] = {}

    def rows(self, table: str, kind: type[Kind], part: str | None = None) -> list[Kind]:
        return [lake.build(kind, row) for row in self.raw(table, part)]

    def raw(self, table: str, part: str | None = None) -> list[Row]:
        """Return a table as JSON values, without seals; of a document its only row."""
        content = self.table((table, part))
        if isinstance(content, pl.DataFrame):
            return content.drop(seals.COLUMN, strict=False).to_dicts()
        return [{name: row[name] for name in row if name != seals.COLUMN} for row in content]

    def frame(self, table: str, part: str | None = None) -> pl.DataFrame:
        return as_frame(table, self.table((table, part))).drop(seals.COLUMN, strict=False)

    def document(self, table: str, kind: type[Kind]) -> Kind:
        (value,) = self.raw(table)
        return value if kind is dict else lake.build(kind, value)  # type: ignore[return-value]

    def arrays(self, table: str, part: str | None = None) -> dict[str, np.ndarray]:
        return self.table((table, part))

    def folder(self, table: str, part: str | None = None) -> Path:
        if table == "base":
            self.document("card", dict)  # whose files are compared in a check of their own
        return lake.path(table, part)

    def table(self, place: Place) -> Any:
        """Return a table, seals included.

        Returns:
            By the format: a frame, rows of JSON values, of which a document has one, or arrays.

        Raises:
            Unusable: it cannot be read, or nothing can be computed from it.
        """
        self.reads.add(place)
        if place in self._instead:
            if self._instead[place] is None:
                raise Unusable
            return self._instead[place]
        kind = lake.path(*place).suffix
        reads = {".npz": lake.read_arrays, ".parquet": lake.read_sealed_frame}
        return self.attempt(place, reads.get(kind, lake.read_raw), *place)

    def attempt(self, place: Place, read: Callable[..., Kind], *arguments: object) -> Kind:
        """Call `read` with arguments; note what it cannot read.

        Raises:
            Unusable: `read` raised a `CoralError`.
        """
        try:
            return read(*arguments)
        except CoralError as error:
            self.correct(place, None)
            self.mismatches.append(Mismatch(lake.path(*place), problem=str(error)))
            raise Unusable from None

    def correct(self, place: Place, content: Any) -> None:
        """Let a table be read as `content`, rows or arrays, from now on; as None not at all."""
        self._instead[place] = content

    def taint(self, place: Place, key: Row) -> None:
        """Note that the seal of the row with this key does not hold."""
        if key.get("genome") == REFERENCE:
            # Times of a reference concern every repair of its problem.
            key = {name: key[name] for name in key if name not in ("genome", "sample")}
        self.tainted.setdefault(place, []).append(key)
