"""Comparing what lies in the lake with what a stage's function returned.

Measured columns (`"measured": true` in the schema) are compared with the row's seal; all others
with the values that the function returned. A row whose seal does not hold is named for that alone,
and so is one that rests on such a row: what follows from a wrong measurement cannot be told. A
document is a row without a key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from coral_batch import lake
from coral_batch.audit.recorded import UNKNOWN, Mismatch, Place, Recorded, Row, Unusable
from coral_batch.lake import seals
from coral_batch.lake.hashes import found_sha256
from coral_batch.lake.schemas import row_key, schema_of
from coral_batch.lake.stage import Folder, as_frame
from coral_batch.lake.vouchers import voucher


class Comparison:
    """One table beside what it should be.

    Attributes:
        left: whether anything was left open since it rests on a row whose seal does not hold.

    Args:
        recorded: the lake; gets the mismatches, and the table as it should be.
        place: the table and its part.
        rests_on: the tables that it was computed from.
        again: whether measured columns were measured again, and are compared as well.
    """

    def __init__(self, recorded: Recorded, place: Place, rests_on: set[Place], again: bool) -> None:
        self._recorded = recorded
        self._place = place
        self._again = again
        self._differs = False
        self.left = False
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

    def _note(
        self, row: str | None, column: str | None, found: object, expected: object, below: str = ""
    ) -> None:
        """Note that something does not follow; its source is what vouches for the column."""
        self._differs = True
        source = voucher(self._place[0], (column or "").split(".")[0])
        file = lake.path(*self._place) / below
        self._recorded.mismatches.append(Mismatch(file, row, column, found, expected, source))

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
        schema, measured = schema_of(self._place[0]), self._measured()
        content = found.drop(seals.COLUMN, strict=False)
        if not content.drop(measured).equals(expected.drop(measured)):
            return False
        return not seals.is_sealed(schema) or found[seals.COLUMN].equals(
            seals.seal_frame(self._place[0], schema, content)
        )

    def _rows(self, found: list[Row], expected: list[Row]) -> None:
        table, schema = self._place[0], schema_of(self._place[0])
        key, measured = seals.key_columns(schema), self._measured()
        there, should = (
            [", ".join(map(str, row_key(row, key))) for row in rows] for rows in (found, expected)
        )
        rows = by_name(enumerate(found, start=1), there, should)
        wanted = by_name(expected, should, should)
        self._places(rows, wanted)
        lost, right = False, []
        for name, row in wanted.items():
            known = dict(zip(key, row_key(row, key), strict=True))
            # It rests on a row whose seal does not hold if both agree in the columns of both keys.
            is_open = any(known | other == other | known for other in self._tainted)
            self.left = self.left or is_open
            if name not in rows:
                self._note(None, None, "no such row", name)
                lost = lost or is_open or bool(measured)  # what rests on it cannot be told
                right.append(row)
                continue
            number, own = rows[name]
            where = f"row {number} ({name})" if key else None
            broken = seals.broken(table, schema, tuple(known.values()), own)
            if broken:
                self._recorded.taint(self._place, known)
                is_open = is_open or bool(key)
            left = row.keys() if is_open else measured  # what cannot be told
            follows = {column: row[column] for column in row if column in key or column not in left}
            for column in broken:
                if column not in follows:
                    self._note(where, column, own[column], UNKNOWN)
            right.append({**own, **follows})
            for path, one, other in differences(own, right[-1], ""):
                self._note(where, path[1:], one, other)
        if self._differs:
            self._recorded.correct(self._place, None if lost else right)

    def _places(self, rows: Mapping[str, tuple[int, Row]], wanted: Mapping[str, Row]) -> None:
        """Note rows too many, and of the others the first that is misplaced."""
        for name, (number, _) in rows.items():
            if name not in wanted:
                self._note(f"row {number}", None, name, "no such row")
        order = [name for name in wanted if name in rows]
        for one, other in zip([name for name in rows if name in wanted], order, strict=True):
            if one != other:
                self._note(f"row {rows[one][0]}", None, one, f"here {other}")
                break

    def _arrays(self, found: Mapping[str, np.ndarray], expected: Mapping[str, np.ndarray]) -> None:
        for name, should in expected.items():
            there = found[name]
            if there.shape != should.shape:
                shapes = (f"an array of shape {array.shape}" for array in (there, should))
                self._note(None, name, *shapes)
            elif len(wrong := np.argwhere(np.atleast_1d(there != should))):
                index = tuple(wrong[0])[: there.ndim]
                row = str(expected["genomes"][index[0]]) if index else None
                place = ".".join(map(str, (name, *index)))
                self._note(row, place, there[index].item(), should[index].item())
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
                self.left = True
                continue
            one, other = there.get(name, "none"), should.get(name, "none")
            for path, found, wanted in differences(one, other, ""):
                column, below = (f"line{path}", "") if texts else (None, path[1:])
                self._note(None, column, found, wanted, f"{name}/{below}")


def differences(found: object, expected: object, path: str) -> Iterator[tuple[str, object, object]]:
    """Yield path, found and expected of each value in which two JSON values differ."""
    if found == expected:
        return
    if isinstance(found, Mapping) and isinstance(expected, Mapping):
        for name in dict.fromkeys([*expected, *found]):
            one, other = found.get(name, "nothing"), expected.get(name, "nothing")
            yield from differences(one, other, f"{path}.{name}")
    elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        for index, (one, other) in enumerate(zip(found, expected, strict=True)):
            yield from differences(one, other, f"{path}.{index}")
    else:
        yield path, found, expected


def by_name(rows: Iterable[Any], keys: Sequence[str], expected: Sequence[str]) -> dict[str, Any]:
    """Return rows by their keys; of equal ones all but the first are numbered.

    Where at most keys were changed, so that every row still stands in its place, it is called by
    the key that is expected there.
    """
    renamed = sum(one != other for one, other in zip(keys, expected, strict=False))
    strangers = (Counter(keys) - Counter(expected)).total()
    in_place = len(keys) == len(expected) and renamed == strangers
    counts: Counter[str] = Counter()
    named = {}
    for key, row in zip(expected if in_place else keys, rows, strict=True):
        counts[key] += 1
        name = key if counts[key] == 1 else f"{key}, number {counts[key]} of its kind"
        named[name] = row
    return named


def _content(entry: Path) -> object:
    """Return the hashes of a folder's files, the lines of a file, or words for what is neither."""
    if entry.is_dir():
        return {file.name: found_sha256(file) for file in sorted(entry.iterdir())}
    return entry.read_bytes().decode(errors="replace").split("\n") if entry.is_file() else "a link"
