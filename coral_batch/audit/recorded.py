"""The lake as an audit reads it: the expected table where one is wrong, else the lake's own.

So a wrong value is reported once, in its own table, and not again in all tables computed from it.
Nothing is computed from a table that is known to be wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl

from coral_batch import lake
from coral_batch.errors import CoralError, cut

Kind = TypeVar("Kind")
Place = tuple[str, str | None]
"""A table and its part of the lake."""


@dataclass(frozen=True)
class Mismatch:
    """A difference between the lake and the expected tables.

    Attributes:
        file: its file.
        row: the row's number and key; None outside rows.
        column: the column, with the path inside a nested value; None for a whole row or file.
        found: the value found.
        expected: the value expected.
        source: where the expected value comes from.
        problem: why the file cannot be used; the other fields are then empty.
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
            found, expected = _apart(repr(self.found), repr(self.expected))
            lines += [f"found:    {found}", f"expected: {expected}", f"from:     {self.source}"]
        return "\n  ".join(lines) + "\n"


def _apart(found: str, expected: str) -> tuple[str, str]:
    """Cut two texts to 200 characters that include their first difference."""
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
    """A table that is needed is wrong or cannot be read; the mismatch is noted."""


class Recorded:
    """The lake's tables as an audit reads them, and the mismatches found so far.

    It has the methods of `coral_batch.lake.stage.Tables`.

    Attributes:
        mismatches: the mismatches.
    """

    def __init__(self) -> None:
        self.mismatches: list[Mismatch] = []
        self._instead: dict[Place, Any] = {}

    def read_rows(self, table: str, kind: type[Kind], part: str | None = None) -> list[Kind]:
        return [lake.build(kind, row) for row in self.table(table, part)]

    def read_frame(self, table: str, part: str | None = None) -> pl.DataFrame:
        return lake.frame(table, self.table(table, part))

    def read_document(self, table: str, kind: type[Kind]) -> Kind:
        return lake.build(kind, self.table(table))

    def read_arrays(self, table: str, part: str | None = None) -> dict[str, np.ndarray]:
        return dict(self.table(table, part))

    def path(self, table: str, part: str | None = None) -> Path:
        if self._instead.get((table, part), ()) is None:
            raise Unusable
        return lake.path(table, part)

    def table(self, table: str, part: str | None = None) -> Any:
        """Return a table by its format: a frame, rows of JSON values, a JSON object, or arrays.

        Raises:
            Unusable: it cannot be read, or is wrong.
        """
        place = (table, part)
        if place not in self._instead:
            return self.attempt(place, _read, table, part)
        if self._instead[place] is None:
            raise Unusable
        return self._instead[place]

    def attempt(self, place: Place, read: Callable[..., Kind], *arguments: object) -> Kind:
        """Call `read` with arguments; note its error as a mismatch.

        Raises:
            Unusable: `read` raised a `CoralError`.
        """
        try:
            return read(*arguments)
        except CoralError as error:
            self.note(Mismatch(lake.path(*place), problem=str(error)), place)
            raise Unusable from None

    def note(self, mismatch: Mismatch, place: Place, content: Any = None) -> None:
        """Note a mismatch; the table reads as `content` from now on, or not at all if None."""
        self.mismatches.append(mismatch)
        self._instead[place] = content


def _read(table: str, part: str | None) -> Any:
    kind = lake.path(table, part).suffix
    if kind == ".jsonl":
        return lake.read_rows(table, dict, part)
    if kind == ".json":
        return lake.read_document(table, dict)
    return (lake.read_arrays if kind == ".npz" else lake.read_frame)(table, part)
