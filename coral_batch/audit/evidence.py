"""What an audit has established so far, and the comparison of a table with what it should be.

A table that has been checked stands here as it should be: computed again where it can be, and as
it was found where only its seals vouch for it. Later checks build on that, so that one wrong value
is named once, where it stands, and not again in everything that follows from it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from coral_batch import lake
from coral_batch.audit.doubt import Doubt
from coral_batch.audit.vouchers import voucher
from coral_batch.errors import CoralError
from coral_batch.lake import seals
from coral_batch.lake.schemas import row_key, validator
from coral_batch.records.settings import Params

UNKNOWN = object()
"""In an expected row: what this value follows from does not hold, so it is taken as found."""

Row = dict[str, Any]
Key = tuple[Any, ...]
Kind = TypeVar("Kind")


class Unusable(Exception):
    """A table or folder that a check needs cannot be read; what is wrong has been noted."""


class Evidence:
    """The tables of a lake as they should be, and the doubts found on the way there.

    Args:
        settings: the run's parameters.
    """

    def __init__(self, settings: Params) -> None:
        self.settings = settings
        self.doubts: list[Doubt] = []
        self._settled: dict[tuple[str, str | None], Any] = {}
        self._built: dict[tuple[str, str | None], list[Any]] = {}
        self._unusable: set[tuple[str, str | None]] = set()
        self._tainted: dict[tuple[str, str | None], set[Key]] = {}

    def rows(self, table: str, part: str | None = None) -> list[Row]:
        """Return a table as it should be; as it is where this audit has not checked it.

        Raises:
            Unusable: it cannot be read.
        """
        if (table, part) not in self._settled or (table, part) in self._unusable:
            raw = self.attempt(table, part, lambda: lake.read_raw(table, part))
            self._settled[table, part] = [_without_seal(row) for row in raw]
        settled = self._settled[table, part]
        return settled.to_dicts() if isinstance(settled, pl.DataFrame) else list(settled)

    def frame(self, table: str, part: str | None = None) -> pl.DataFrame:
        """Return a flat table like `rows`."""
        if (table, part) not in self._settled or (table, part) in self._unusable:
            read = self.attempt(table, part, lambda: lake.read_frame(table, part))
            self._settled[table, part] = read
        settled = self._settled[table, part]
        return settled if isinstance(settled, pl.DataFrame) else lake.frame(table, settled)

    def built(self, table: str, kind: type[Kind], part: str | None = None) -> list[Kind]:
        """Return `rows` as dataclass instances."""
        rows = self.rows(table, part)
        if (table, part) not in self._built:
            self._built[table, part] = [lake.build(kind, row) for row in rows]
        return list(self._built[table, part])

    def document(self, table: str) -> Row:
        """Return a document like `rows`."""
        if (table, None) not in self._settled:
            raw = self.attempt(table, None, lambda: lake.read_raw_document(table))
            self._settled[table, None] = _without_seal(raw)
        return dict(self._settled[table, None])

    def tainted(self, table: str, part: str | None, width: int) -> set[Key]:
        """Return the keys, cut to `width` columns, of rows whose measured values do not hold."""
        return {key[:width] for key in self._tainted.get((table, part), ())}

    def attempt(self, table: str, part: str | None, read: Callable[[], Kind]) -> Kind:
        """Call `read`; note once what it cannot read.

        Raises:
            Unusable: `read` raised a `CoralError`.
        """
        if (table, part) in self._unusable:
            raise Unusable
        try:
            return read()
        except CoralError as error:
            self._unusable.add((table, part))
            self.doubts.append(Doubt(lake.path(table, part), problem=str(error)))
            raise Unusable from None

    def doubt(
        self,
        table: str,
        part: str | None,
        column: str | None,
        found: object,
        expected: object,
        *,
        row: str | None = None,
        file: Path | None = None,
    ) -> None:
        """Note that something does not follow; its source is the column's voucher."""
        place = file or lake.path(table, part)
        source = voucher(table, (column or "").split(".")[0])
        self.doubts.append(Doubt(place, row, column, found, expected, source))

    def settle(
        self,
        table: str,
        part: str | None,
        expected: Sequence[Row],
        within: Callable[[Row], Row] = lambda _: {},
    ) -> list[Row]:
        """Compare a table with what it should be, and keep the latter.

        Args:
            table: a JSONL or Parquet table.
            part: its part of the lake.
            expected: the rows as they should be, in order, without measured columns and `within`.
            within: computes the columns that follow from measured ones of the same row.

        Returns:
            The rows as they should be, measured values as found.
        """
        schema = validator(lake.SCHEMAS.get(table, table)).schema
        measured = seals.measured_columns(schema)
        key = seals.key_columns(schema)
        try:
            found = self.attempt(table, part, lambda: lake.read_raw(table, part))
        except Unusable:
            if not measured:
                self._settled[table, part] = list(expected)
            raise
        tainted = self._tainted.setdefault((table, part), set())
        settled = []
        for number, there, should in self._aligned(table, part, found, expected, key):
            name = row_key(should, key)
            if there is None:
                if measured or UNKNOWN in should.values():
                    # What rests on this table cannot be told without the row.
                    self._unusable.add((table, part))
                settled.append(should)
                continue
            where = f"row {number} ({', '.join(map(str, name))})"
            broken = seals.broken(table, schema, name, there) if seals.is_sealed(schema) else []
            for column in broken:
                self.doubt(table, part, column, there[column], None, row=where)
            if broken:
                tainted.add(name)
            inside = dict.fromkeys(within(there), UNKNOWN) if broken else within(there)
            whole = {**should, **inside, **{column: there[column] for column in measured}}
            assert {*whole, seals.COLUMN} == {*there, seals.COLUMN}, f"{table}: {sorted(whole)}"
            for column in there:
                if column == seals.COLUMN:
                    continue
                if whole[column] is UNKNOWN:
                    whole[column] = there[column]
                for path, one, other in differences(there[column], whole[column], column):
                    self.doubt(table, part, path, one, other, row=where)
            settled.append({column: whole[column] for column in there if column != seals.COLUMN})
        self._settled[table, part] = settled
        self._built.pop((table, part), None)
        return settled

    def settle_frame(self, table: str, part: str | None, expected: pl.DataFrame) -> None:
        """Compare a flat table with what it should be: at once, and row by row where it differs.

        Args:
            table: a Parquet table.
            part: its part of the lake.
            expected: as it should be, without measured columns.
        """
        try:
            found = lake.read_sealed_frame(table, part)
        except CoralError:
            self.settle(table, part, expected.to_dicts())  # which tells it
            return
        content = found.drop(seals.COLUMN, strict=False)
        holds = content.select(expected.columns).equals(expected)
        schema = validator(table).schema
        if holds and seals.is_sealed(schema):
            holds = found[seals.COLUMN].equals(seals.seal_frame(table, schema, content))
        if holds:
            self._settled[table, part] = content
        else:
            self.settle(table, part, expected.to_dicts())

    def settle_document(self, table: str, expected: Row | None) -> Row:
        """Compare a document with what it should be; with None, only with its seal."""
        found = self.attempt(table, None, lambda: lake.read_raw_document(table))
        schema = validator(table).schema
        if seals.is_sealed(schema):
            for column in seals.broken(table, schema, (), found):
                if expected is None or column == seals.COLUMN:
                    self.doubt(table, None, column, found[column], None)
        plain = _without_seal(found)
        should = plain if expected is None else {**plain, **expected}
        for name in plain:
            for path, one, other in differences(plain[name], should[name], name):
                self.doubt(table, None, path, one, other)
        self._settled[table, None] = should
        return should

    def settle_texts(self, table: str, expected: Mapping[str, str]) -> None:
        """Compare the files of a folder, by name, with the texts that they should hold."""
        folder = lake.path(table)
        there = {file.name for file in folder.iterdir()} if folder.is_dir() else set()
        for name in sorted(there | expected.keys()):
            found = (
                (folder / name).read_bytes().decode(errors="replace") if name in there else "none"
            )
            lines, should = found.split("\n"), expected.get(name, "no such file").split("\n")
            for path, one, other in differences(lines, should, "line"):
                self.doubt(table, None, path, one, other, file=folder / name)

    def keep(self, table: str, part: str | None, content: Any) -> None:
        """Keep what a check established by itself."""
        self._settled[table, part] = content

    def kept(self, table: str, part: str | None) -> Any:
        """Return what `keep` was given, or None."""
        return self._settled.get((table, part))

    def once(self, name: str, part: str | None, make: Callable[[], Kind]) -> Kind:
        """Return what `make` returned the first time, also after `forget`.

        Args:
            name: what it is; not a table.
            part: the part of the lake that it belongs to.
            make: may raise `Unusable`, and is then called again.
        """
        if (name, part) not in self._settled:
            self._settled[name, part] = make()
        return self._settled[name, part]

    def forget(self, tables: Iterable[str], part: str | None) -> None:
        """Let go of tables that no later check asks for; which rows are tainted is still known."""
        for table in tables:
            self._settled.pop((table, part), None)
            self._built.pop((table, part), None)

    def _aligned(
        self,
        table: str,
        part: str | None,
        found: list[Row],
        expected: Sequence[Row],
        key: Sequence[str],
    ) -> Iterator[tuple[int, Row | None, Row]]:
        """Yield row number, row and expected row; note rows missing, too many or misplaced."""
        plain = [[row_key(row, key) for row in rows] for rows in (found, expected)]
        renamed = sum(one != other for one, other in zip(*plain, strict=False))
        strangers = (Counter(plain[0]) - Counter(plain[1])).total()
        if len(found) == len(expected) and renamed == strangers:
            # At most, keys were changed: every row still stands in its place.
            yield from zip(range(1, len(found) + 1), found, expected, strict=True)
            return
        there, should = _numbered(plain[0]), _numbered(plain[1])
        by_key = dict(zip(there, found, strict=True))
        numbers = {name: number for number, name in enumerate(there, start=1)}
        common = set(there) & set(should)
        for name in should:
            if name not in common:
                self.doubt(table, part, None, "no such row", _named(name))
        for name in there:
            if name not in common:
                self.doubt(
                    table, part, None, _named(name), "no such row", row=f"row {numbers[name]}"
                )
        order = [name for name in there if name in common]
        wanted = [name for name in should if name in common]
        for one, other in zip(order, wanted, strict=True):
            if one != other:
                where = f"row {numbers[one]}"
                self.doubt(table, part, None, _named(one), f"here {_named(other)}", row=where)
                break
        for name, row in zip(should, expected, strict=True):
            yield numbers.get(name, 0), by_key.get(name), row


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


def _numbered(keys: Sequence[Key]) -> list[Key]:
    """Make keys unique: behind each stands how many before it are the same."""
    counts: Counter[Key] = Counter()
    numbered = []
    for key in keys:
        numbered.append((*key, counts[key]))
        counts[key] += 1
    return numbered


def _named(key: Key) -> str:
    *name, again = key
    return ", ".join(map(str, name)) + (f", number {again + 1} of its kind" if again else "")


def _without_seal(row: Row) -> Row:
    return {column: value for column, value in row.items() if column != seals.COLUMN}
