"""The lake as an audit reads it: each table as it should be, as far as that is known.

A table in which something did not follow stands here as it should be; all others are read as they
lie in the lake. So one wrong value is named once, where it stands, and not again in everything that
follows from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl

from coral_batch import lake
from coral_batch.audit.mismatch import Mismatch
from coral_batch.errors import CoralError
from coral_batch.lake import seals
from coral_batch.lake.hashes import found_sha256

Row = dict[str, Any]
Key = tuple[Any, ...]
Kind = TypeVar("Kind")
Place = tuple[str, str | None]
"""A table and its part of the lake."""


class Unusable(Exception):
    """Something that is needed cannot be read; what is wrong with it has been noted."""


class Recorded:
    """A lake's tables as they should be, and the mismatches found on the way there.

    It has the methods of `coral_batch.lake.stage.Tables`.

    Attributes:
        mismatches: what does not follow.
        reads: the tables read since it was last emptied.
        tainted: table -> keys of the rows whose seal does not hold.
        part: the part whose tables are kept between two reads.
    """

    def __init__(self) -> None:
        self.mismatches: list[Mismatch] = []
        self.reads: set[Place] = set()
        self.tainted: dict[Place, set[Key]] = {}
        self.part: str | None = None
        self._corrected: dict[Place, Any] = {}
        self._unusable: set[Place] = set()
        self._kept: dict[Place, Any] = {}

    def rows(self, table: str, kind: type[Kind], part: str | None = None) -> list[Kind]:
        return [lake.build(kind, row) for row in self.raw(table, part)]

    def raw(self, table: str, part: str | None = None) -> list[Row]:
        """Return a table as JSON values, without seals."""
        return list(self._read(table, part, lambda: _unsealed(lake.read_raw(table, part))))

    def frame(self, table: str, part: str | None = None) -> pl.DataFrame:
        def read() -> pl.DataFrame:
            return lake.read_sealed_frame(table, part).drop(seals.COLUMN, strict=False)

        content = self._read(table, part, read)
        return content if isinstance(content, pl.DataFrame) else lake.frame(table, content)

    def document(self, table: str, kind: type[Kind]) -> Kind:
        value = self._read(table, None, lambda: _unsealed([lake.read_raw_document(table)])[0])
        return value if kind is dict else lake.build(kind, value)

    def arrays(self, table: str, part: str | None = None) -> dict[str, np.ndarray]:
        return self._read(table, part, lambda: lake.read_arrays(table, part))

    def folder(self, table: str, part: str | None = None) -> Path:
        if table == "base":
            self.document("card", dict)  # whose files are compared in a check of their own
        return lake.path(table, part)

    def attempt(self, place: Place, read: Callable[[], Kind]) -> Kind:
        """Call `read`; note once what it cannot read.

        Raises:
            Unusable: `read` raised a `CoralError`.
        """
        if place in self._unusable:
            raise Unusable
        try:
            return read()
        except CoralError as error:
            self._unusable.add(place)
            self.mismatches.append(Mismatch(lake.path(*place), problem=str(error)))
            raise Unusable from None

    def correct(self, place: Place, content: Any) -> None:
        """Let a table be read as `content` from now on."""
        self._corrected[place] = content
        self._unusable.discard(place)
        self._kept.pop(place, None)

    def lose(self, place: Place) -> None:
        """Let nothing be computed from a table that lacks what cannot be computed."""
        self._unusable.add(place)

    def is_lost(self, place: Place) -> bool:
        """Whether nothing can be computed from a table."""
        return place in self._unusable

    def enter(self, part: str | None) -> None:
        """Keep the tables of this part from now on, and let go of the others'."""
        if part != self.part:
            self.part = part
            self._kept = {place: kept for place, kept in self._kept.items() if place[1] is None}

    def _read(self, table: str, part: str | None, read: Callable[[], Any]) -> Any:
        place = (table, part)
        self.reads.add(place)
        if place in self._unusable:
            raise Unusable
        if place in self._corrected:
            return self._corrected[place]
        if place not in self._kept:
            content = self.attempt(place, read)
            if part not in (None, self.part):
                return content  # so that an audit holds one generation at a time
            self._kept[place] = content
        return self._kept[place]


def hashes_in(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file of a folder, by name, and words for what is no file."""
    return {file.name: found_sha256(file) for file in folder.iterdir()}


def _unsealed(rows: Sequence[Row]) -> list[Row]:
    return [{name: row[name] for name in row if name != seals.COLUMN} for row in rows]
