"""Compare a table of the lake with the result of its stage's function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from coral_batch import lake
from coral_batch.audit.recorded import Mismatch, Place, Recorded
from coral_batch.lake.schemas import row_key, validator

Row = Mapping[str, Any]
Wrong = tuple[Path, str | None, str | None, object, object]
"""File, row, column, found value and expected value of a mismatch."""


def compare(recorded: Recorded, place: Place, expected: Any, source: str) -> int:
    """Compare a table with the result of its stage's function.

    Args:
        recorded: the lake; gets the mismatches and the expected table.
        place: the table and its part.
        expected: the function's result.
        source: where that comes from, for messages.

    Returns:
        The number of mismatches.

    Raises:
        Unusable: the table cannot be read.
    """
    table, part = place
    file = lake.path(table, part)
    found: Any = _texts(file) if file.suffix == "" else recorded.table(table, part)
    if file.suffix == "":
        wrong = _lines(file, found, expected)
    elif file.suffix == ".npz":
        wrong = _arrays(file, found, expected)
    elif file.suffix == ".json":
        expected = lake.plain(expected)
        wrong = _values(file, None, found, expected)
    elif file.suffix == ".jsonl":
        expected = lake.plain(expected)
        wrong = _rows(file, table, found, expected)
    else:
        expected = lake.frame(table, expected)
        if found.equals(expected):
            return 0
        wrong = _rows(file, table, found.to_dicts(), expected.to_dicts())
    mismatches = [Mismatch(*one, source) for one in wrong]
    for mismatch in mismatches:
        recorded.note(mismatch, place, expected)
    return len(mismatches)


def _rows(file: Path, table: str, found: Sequence[Row], expected: Sequence[Row]) -> Iterator[Wrong]:
    """Yield a wrong number of rows, or else the mismatches in the first wrong row."""
    if len(found) != len(expected):
        yield file, None, None, f"{len(found)} rows", f"{len(expected)} rows"
        return
    for number, (row, right) in enumerate(zip(found, expected, strict=True), start=1):
        if row != right:
            key = row_key(right, validator(table).schema.get("key", ()))
            yield from _values(file, f"row {number} ({', '.join(map(str, key))})", row, right)
            return


def _values(file: Path, row: str | None, found: Row, expected: Row) -> Iterator[Wrong]:
    for path, one, other in differences(found, expected, ""):
        yield file, row, path[1:], one, other


def _arrays(
    file: Path, found: Mapping[str, np.ndarray], expected: Mapping[str, np.ndarray]
) -> Iterator[Wrong]:
    """Yield the first mismatch of each array."""
    for name, should in expected.items():
        for path, one, other in islice(differences(found[name].tolist(), should.tolist(), name), 1):
            yield file, None, path, one, other


def _texts(folder: Path) -> dict[str, str]:
    """Return the text of each file below a folder, by name."""
    files = (file for file in folder.rglob("*") if not file.is_dir())
    return {
        file.relative_to(folder).as_posix(): (
            file.read_bytes().decode(errors="replace") if file.is_file() else "a bad link"
        )
        for file in files
    }


def _lines(folder: Path, found: Mapping[str, str], expected: Mapping[str, str]) -> Iterator[Wrong]:
    """Yield the lines that differ in each text."""
    for name in sorted(found.keys() | expected.keys()):
        one, other = (
            texts[name].split("\n") if name in texts else "no such file"
            for texts in (found, expected)
        )
        for path, line, should in differences(one, other, ""):
            yield folder / name, None, f"line {int(path[1:]) + 1}" if path else None, line, should


def differences(found: object, expected: object, path: str) -> Iterator[tuple[str, object, object]]:
    """Yield path, found and expected value of each difference between two JSON values."""
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
