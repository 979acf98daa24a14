"""Comparing what lies in the lake with what a stage's function returned.

Measured columns (`"measured": true` in the schema) are compared with the row's seal; all others
with the values that the function returned. A row whose seal does not hold is named for that alone,
and so is one that rests on such a row: what follows from a wrong measurement cannot be told. A
document is a row without a key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from coral_batch import lake
from coral_batch.audit.recorded import Mismatch, Place, Recorded, Row, Unusable
from coral_batch.lake import seals
from coral_batch.lake.hashes import found_sha256
from coral_batch.lake.schemas import row_key, schema_of
from coral_batch.lake.stage import Folder, as_frame
from coral_batch.lake.vouchers import voucher


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
        self._differs = False
        self._tainted = [row for one in rests_on for row in recorded.tainted.get(one, ())]

    def compare(self, expected: Any) -> None:
        """Compare the table with what a stage's function returned for it.

        Raises:
            Unusable: the table cannot be read.
        """
        table, part = self._place
        kind = lake.path(table, part).suffix
        if kind == "":
            self._folder(expected)
        elif kind == ".npz":
            self._arrays(self._found(expected), expected)
        elif kind == ".parquet":
            frame = as_frame(table, expected)
            found = self._found(frame)
            if not self._holds(found, frame):
                self._rows(found.to_dicts(), frame.to_dicts())
        else:
            content = lake.plain(expected)
            rows = content if kind == ".jsonl" else [content]
            self._rows(self._found(rows), rows)

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
        self._differs = True
        source = voucher(self._place[0], (column or "").split(".")[0])
        place = file or lake.path(*self._place)
        self._recorded.mismatches.append(Mismatch(place, row, column, found, expected, source))

    def _found(self, expected: Any) -> Any:
        """Return the table as it lies; if it cannot be read it is what it should be from now on."""
        try:
            return self._recorded.table(self._place)
        except Unusable:
            if not seals.measured_columns(schema_of(self._place[0])):
                self._recorded.correct(self._place, expected)
            raise

    def _measured(self) -> Sequence[str]:
        """Return the columns that are compared with their seals alone."""
        return () if self._again else seals.measured_columns(schema_of(self._place[0]))

    def _holds(self, found: pl.DataFrame, expected: pl.DataFrame) -> bool:
        """Whether a flat table follows, which is quicker to tell at once than row by row."""
        schema = schema_of(self._place[0])
        content = found.drop(seals.COLUMN, strict=False)
        compared = [name for name in content.columns if name not in self._measured()]
        if not content.select(compared).equals(expected.select(compared)):
            return False
        return not seals.is_sealed(schema) or found[seals.COLUMN].equals(
            seals.seal_frame(self._place[0], schema, content)
        )

    def _rows(self, found: list[Row], expected: list[Row]) -> None:
        table, schema = self._place[0], schema_of(self._place[0])
        key, measured = seals.key_columns(schema), self._measured()
        lost, rows = False, []
        for number, there, should in self._aligned(found, expected, key):
            name = dict(zip(key, row_key(should, key), strict=True))
            is_open = self._is_open(name)
            if there is None:
                lost = lost or is_open or bool(measured)  # what rests on it cannot be told
                rows.append(should)
                continue
            where = f"row {number} ({', '.join(map(str, name.values()))})" if key else None
            broken = seals.broken(table, schema, tuple(name.values()), there)
            if broken:
                self._recorded.taint(self._place, name)
                is_open = is_open or bool(key)
            follows = {
                column: value
                for column, value in should.items()
                if column in key or not (is_open or column in measured)
            }
            for column in broken:
                if column not in follows:
                    self.note(column, there[column], None, row=where)
            right = {**there, **follows}
            for path, one, other in differences(there, right, ""):
                self.note(path[1:], one, other, row=where)
            rows.append(right)
        if lost:
            self._recorded.lose(self._place)
        elif self._differs:
            self._recorded.correct(self._place, rows)

    def _is_open(self, name: Row) -> bool:
        """Whether a row with this key rests on one whose seal does not hold.

        It does when the two agree in the key columns that both tables have.
        """
        return any(
            all(name.get(column, value) == value for column, value in other.items())
            for other in self._tainted
        )

    def _aligned(
        self, found: list[Row], expected: list[Row], key: Sequence[str]
    ) -> Iterator[tuple[int, Row | None, Row]]:
        """Yield row number, row and expected row; note rows missing, too many or misplaced."""
        there, should = ([row_key(row, key) for row in rows] for rows in (found, expected))
        if only_renamed(there, should):
            yield from zip(range(1, len(found) + 1), found, expected, strict=True)
            return
        rows = dict(zip(_named(there), enumerate(found, start=1), strict=True))
        wanted = dict(zip(_named(should), expected, strict=True))
        for name in wanted:
            if name not in rows:
                self.note(None, "no such row", name)
        for name, (number, _) in rows.items():
            if name not in wanted:
                self.note(None, name, "no such row", row=f"row {number}")
        order = [name for name in wanted if name in rows]
        for one, other in zip([name for name in rows if name in wanted], order, strict=True):
            if one != other:
                self.note(None, one, f"here {other}", row=f"row {rows[one][0]}")
                break
        for name, row in wanted.items():
            number, own = rows.get(name, (0, None))
            yield number, own, row

    def _arrays(self, found: Mapping[str, np.ndarray], expected: Mapping[str, np.ndarray]) -> None:
        for name, should in expected.items():
            there = found[name]
            if there.shape != should.shape:
                shapes = (f"an array of shape {array.shape}" for array in (there, should))
                self.note(name, *shapes)
            elif len(wrong := np.argwhere(np.atleast_1d(there != should))):
                index = tuple(wrong[0].tolist()) if there.ndim else ()
                row = str(expected["genomes"][index[0]]) if index else None
                place = ".".join(map(str, (name, *index)))
                self.note(place, there[index].item(), should[index].item(), row=row)
        if self._differs:
            self._recorded.correct(self._place, expected)

    def _folder(self, expected: Mapping[str, str | Folder]) -> None:
        """Compare what a folder holds, by name: texts line by line, folders by their hashes."""
        folder = lake.path(*self._place)
        texts = any(isinstance(one, str) for one in expected.values())
        files = (file for file in folder.rglob("*") if not file.is_dir())
        there = {
            entry.relative_to(folder).as_posix(): _content(entry)
            for entry in (files if texts else folder.glob("*"))
        }
        should = {
            name: one.split("\n") if isinstance(one, str) else dict(one.files)
            for name, one in expected.items()
        }
        for name in sorted(there.keys() | should.keys()):
            if self._tainted and (texts or {"key": name} in self._tainted):
                continue
            one, other = there.get(name, "none"), should.get(name, "none")
            for path, found, wanted in differences(one, other, ""):
                column, below = (f"line{path}", "") if texts else (None, path[1:])
                self.note(column, found, wanted, file=folder / name / below)


def differences(found: object, expected: object, path: str) -> Iterator[tuple[str, object, object]]:
    """Yield path, found and expected of each value in which two JSON values differ."""
    if found == expected:
        return
    if isinstance(found, Mapping) and isinstance(expected, Mapping):
        for name in dict.fromkeys([*expected, *found]):
            yield from differences(
                found.get(name, "nothing"), expected.get(name, "nothing"), f"{path}.{name}"
            )
    elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        for index, (one, other) in enumerate(zip(found, expected, strict=True)):
            yield from differences(one, other, f"{path}.{index}")
    else:
        yield path, found, expected


def only_renamed(found: Sequence[Hashable], expected: Sequence[Hashable]) -> bool:
    """Whether at most keys were changed, so that every row still stands in its place."""
    renamed = sum(one != other for one, other in zip(found, expected, strict=False))
    strangers = (Counter(found) - Counter(expected)).total()
    return len(found) == len(expected) and renamed == strangers


def found_hashes(folder: Path) -> dict[str, str]:
    """Return the `found_sha256` of all that lies in a folder, by name: it may be no file."""
    return {entry.name: found_sha256(entry) for entry in sorted(folder.iterdir())}


def _content(entry: Path) -> object:
    """Return the hashes of a folder's files, the lines of a file, or words for what is neither."""
    if entry.is_dir():
        return found_hashes(entry)
    return entry.read_bytes().decode(errors="replace").split("\n") if entry.is_file() else "a link"


def _named(keys: Sequence[tuple[Any, ...]]) -> list[str]:
    """Return keys as texts, made unique: of equal ones all but the first are numbered."""
    counts: Counter[str] = Counter()
    names = []
    for key in keys:
        name = ", ".join(map(str, key))
        counts[name] += 1
        names.append(f"{name}, number {counts[name]} of its kind" if counts[name] > 1 else name)
    return names
