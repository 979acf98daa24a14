"""Comparing what lies in the lake with what a stage's function returned.

Measured columns (`"measured": true` in the schema) are compared with the row's seal; all others
with the values that the function returned. A row whose seal does not hold is named for that alone,
and so is one that rests on such a row: what follows from a wrong measurement cannot be told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from coral_batch import lake
from coral_batch.audit.mismatch import Mismatch, differences
from coral_batch.audit.recorded import Key, Place, Recorded, Row, Unusable, hashes_in
from coral_batch.errors import CoralError
from coral_batch.lake import seals
from coral_batch.lake.schemas import row_key, validator
from coral_batch.lake.stage import Folder, as_frame
from coral_batch.lake.vouchers import voucher
from coral_batch.records.rows import REFERENCE


class Comparison:
    """One table beside what it should be.

    Args:
        recorded: the lake; gets the mismatches, and the table as it should be.
        place: the table and its part.
        rests_on: the tables that it was computed from.
        again: whether measured columns were measured again, and are compared as well.
    """

    def __init__(
        self, recorded: Recorded, place: Place, rests_on: set[Place], again: bool = False
    ) -> None:
        self._recorded = recorded
        self._place = place
        self._again = again
        self._tainted = {
            source: keys for source in rests_on if (keys := recorded.tainted.get(source))
        }

    def compare(self, expected: Any) -> None:
        """Compare the table with what a stage's function returned for it.

        Raises:
            Unusable: the table cannot be read.
        """
        kind = lake.path(*self._place).suffix
        if kind == ".parquet":
            self._frame(as_frame(self._place[0], expected))
        elif kind == ".jsonl":
            self._rows([lake.plain(row) for row in expected])
        elif kind == ".json":
            self._document(lake.plain(expected))
        elif kind == ".npz":
            self._arrays(expected)
        elif all(isinstance(content, str) for content in expected.values()):
            self._texts(expected)
        else:
            self._folders(expected)

    def note(
        self,
        column: str | None,
        found: object,
        expected: object,
        *,
        row: str | None = None,
        file: Path | None = None,
    ) -> None:
        """Note that something does not follow; its source is what vouches for the column."""
        source = voucher(self._place[0], (column or "").split(".")[0])
        place = file or lake.path(*self._place)
        self._recorded.mismatches.append(Mismatch(place, row, column, found, expected, source))

    def _frame(self, expected: pl.DataFrame) -> None:
        """Compare a flat table at once, and row by row where it differs."""
        try:
            found = lake.read_sealed_frame(*self._place)
        except CoralError:
            self._rows(expected.to_dicts())  # which notes it
            return
        schema = _schema(self._place[0])
        content = found.drop(seals.COLUMN, strict=False)
        compared = [name for name in content.columns if name not in self._measured(schema)]
        holds = content.select(compared).equals(expected.select(compared))
        if holds and seals.is_sealed(schema):
            expected_seals = seals.seal_frame(self._place[0], schema, content)
            holds = found[seals.COLUMN].equals(expected_seals)
        if not holds:
            self._rows(expected.to_dicts())

    def _measured(self, schema: Mapping[str, Any]) -> Sequence[str]:
        return () if self._again else seals.measured_columns(schema)

    def _rows(self, expected: Sequence[Row]) -> None:
        table, part = self._place
        schema = _schema(table)
        key = seals.key_columns(schema)
        measured = self._measured(schema)
        try:
            found = self._recorded.attempt(self._place, lambda: lake.read_raw(table, part))
        except Unusable:
            if not seals.measured_columns(schema):
                self._recorded.correct(self._place, expected)
            raise
        before = len(self._recorded.mismatches)
        rows = []
        for number, there, should in self._aligned(found, expected, key):
            name = row_key(should, key)
            if there is None:
                if measured or self._is_open(name, key):
                    self._recorded.lose(self._place)  # what rests on it cannot be told
                rows.append(should)
                continue
            where = f"row {number} ({', '.join(map(str, name))})"
            broken = seals.broken(table, schema, name, there) if seals.is_sealed(schema) else []
            for column in broken:
                self.note(column, there[column], None, row=where)
            if broken:
                self._recorded.tainted.setdefault(self._place, set()).add(name)
            is_open = bool(broken) or self._is_open(name, key)
            right = {}
            for column, value in there.items():
                if column == seals.COLUMN:
                    continue
                right[column] = value
                if column in measured or (is_open and column not in key):
                    continue
                right[column] = should[column]
                for path, one, other in differences(value, should[column], column):
                    self.note(path, one, other, row=where)
            rows.append(right)
        if len(self._recorded.mismatches) > before and not self._recorded.is_lost(self._place):
            self._recorded.correct(self._place, rows)

    def _is_open(self, name: Key, key: Sequence[str]) -> bool:
        """Whether a row rests on one whose measured values do not hold.

        It does when the two agree in the key columns that both tables have; times of a reference
        concern every repair of its problem.
        """
        own = dict(zip(key, name, strict=True))
        for (table, _), names in self._tainted.items():
            columns = seals.key_columns(_schema(table))
            shared = [index for index, column in enumerate(columns) if column in own]
            for other in names:
                of_reference = REFERENCE in other
                if all(
                    other[index] == own[columns[index]]
                    or (of_reference and columns[index] in ("genome", "sample"))
                    for index in shared
                ):
                    return True
        return False

    def _aligned(
        self, found: list[Row], expected: Sequence[Row], key: Sequence[str]
    ) -> Iterator[tuple[int, Row | None, Row]]:
        """Yield row number, row and expected row; note rows missing, too many or misplaced."""
        there = [row_key(row, key) for row in found]
        should = [row_key(row, key) for row in expected]
        if only_renamed(there, should):
            yield from zip(range(1, len(found) + 1), found, expected, strict=True)
            return
        there, should = _numbered(there), _numbered(should)
        by_key = dict(zip(there, found, strict=True))
        numbers = {name: number for number, name in enumerate(there, start=1)}
        common = set(there) & set(should)
        for name in should:
            if name not in common:
                self.note(None, "no such row", _named(name))
        for name in there:
            if name not in common:
                self.note(None, _named(name), "no such row", row=f"row {numbers[name]}")
        order = [name for name in there if name in common]
        wanted = [name for name in should if name in common]
        for one, other in zip(order, wanted, strict=True):
            if one != other:
                self.note(None, _named(one), f"here {_named(other)}", row=f"row {numbers[one]}")
                break
        for name, row in zip(should, expected, strict=True):
            yield numbers.get(name, 0), by_key.get(name), row

    def _document(self, expected: Row) -> None:
        table = self._place[0]
        schema = _schema(table)
        found = self._recorded.attempt(self._place, lambda: lake.read_raw_document(table))
        broken = seals.broken(table, schema, (), found) if seals.is_sealed(schema) else []
        right = {}
        for column, value in found.items():
            if column == seals.COLUMN:
                if column in broken:
                    self.note(column, value, None)
                continue
            right[column] = value
            if column in self._measured(schema):
                if column in broken:
                    self.note(column, value, None)
            elif not self._tainted:
                right[column] = expected[column]
                for path, one, other in differences(value, expected[column], column):
                    self.note(path, one, other)
        if broken:
            self._recorded.tainted[self._place] = {()}
        self._recorded.correct(self._place, right)

    def _arrays(self, expected: Mapping[str, np.ndarray]) -> None:
        arrays = self._recorded.attempt(self._place, lambda: lake.read_arrays(*self._place))
        before = len(self._recorded.mismatches)
        for name in expected.keys() | arrays.keys():
            found, should = arrays.get(name), expected.get(name)
            if found is None or should is None or found.shape != should.shape:
                self.note(name, _shape(found), _shape(should))
                continue
            wrong = np.argwhere(np.atleast_1d(found != should))
            if len(wrong):
                index = tuple(wrong[0].tolist()) if found.ndim else ()
                row = str(expected["genomes"][index[0]]) if index else None
                place = ".".join(map(str, (name, *index)))
                self.note(place, found[index].item(), should[index].item(), row=row)
        if len(self._recorded.mismatches) > before:
            self._recorded.correct(self._place, dict(expected))

    def _texts(self, expected: Mapping[str, str]) -> None:
        """Compare the files of a folder, by name, with the texts that they should hold."""
        folder = lake.path(*self._place)
        there = {
            file.relative_to(folder).as_posix() for file in folder.rglob("*") if not file.is_dir()
        }
        if self._tainted:
            return
        for name in sorted(there | expected.keys()):
            file = folder / name
            found = file.read_bytes().decode(errors="replace") if name in there else "none"
            should = expected.get(name, "no such file").split("\n")
            for path, one, other in differences(found.split("\n"), should, "line"):
                self.note(path, one, other, file=file)

    def _folders(self, expected: Mapping[str, Folder]) -> None:
        """Compare folders with the hashes of their files."""
        folder = lake.path(*self._place)
        there = {entry.name for entry in folder.iterdir()} if folder.is_dir() else set()
        for name in sorted(there ^ expected.keys()):
            one, other = ("a folder", "none") if name in there else ("no folder", "one")
            self.note(None, one, other, file=folder / name)
        doubtful = {key for names in self._tainted.values() for key in names}
        for name in sorted(there & expected.keys()):
            if (name,) in doubtful:
                continue
            files, known = hashes_in(folder / name), dict(expected[name].files)
            for path, found, should in differences(files, known, ""):
                self.note(None, found, should, file=folder / name / path[1:])


def only_renamed(found: Sequence[Key], expected: Sequence[Key]) -> bool:
    """Whether at most keys were changed, so that every row still stands in its place."""
    renamed = sum(one != other for one, other in zip(found, expected, strict=False))
    strangers = (Counter(found) - Counter(expected)).total()
    return len(found) == len(expected) and renamed == strangers


def _schema(table: str) -> dict[str, Any]:
    return validator(lake.SCHEMAS.get(table, table)).schema


def _shape(array: np.ndarray | None) -> str:
    return "no such array" if array is None else f"an array of shape {array.shape}"


def _numbered(keys: Sequence[Key]) -> list[Key]:
    """Make keys unique: after each stands how many before it are the same."""
    counts: Counter[Key] = Counter()
    numbered = []
    for key in keys:
        numbered.append((*key, counts[key]))
        counts[key] += 1
    return numbered


def _named(key: Key) -> str:
    *name, again = key
    return ", ".join(map(str, name)) + (f", number {again + 1} of its kind" if again else "")
