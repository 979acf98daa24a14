"""Reads and writes the lake's tables.

A table's path, format and JSON Schema follow from its name. Every row read or written is validated
against ``schemas/TABLE.schema.json``. Writes are atomic, so a reader never sees half a table.
Formats: JSONL for tables with nested values (one frozen dataclass a row), Parquet for flat tables
(a polars frame), JSON for single documents, npz for arrays.

The content-addressed store (`coral_batch.lake.store`) is outside the lake.
"""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
import polars as pl

from coral_batch.errors import CoralError, apart, reading
from coral_batch.lake import strictjson
from coral_batch.lake.atomic import atomic, unfinished
from coral_batch.lake.places import asked_alone, path
from coral_batch.lake.schemas import Schema, first_error, row_key, subvalidator, validator

_DTYPES = {
    "string": pl.String(),
    "integer": pl.Int64(),
    "number": pl.Float64(),
    "boolean": pl.Boolean(),
}


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)

Row = TypeVar("Row")


class BrokenTable(CoralError):
    """A table that violates its schema.

    Attributes:
        table: its file.
    """

    def __init__(self, table: Path, **error: Any) -> None:
        super().__init__("a table violates its schema", file=table, action=_again(table), **error)
        self.table = table


def read_rows(table: str, row: type[Row], part: str | None = None) -> list[Row]:
    """Read a JSONL table as instances of the frozen dataclass `row`.

    Raises:
        CoralError: the file is missing, a line is not JSON, or a row violates the schema or is a
            duplicate.
    """
    file = path(table, part)
    # Not splitlines(): it also splits at U+2028 and others, which JSON strings may hold.
    lines = _read_text(file).split("\n")
    if lines[-1] == "":
        lines.pop()
    values = (
        strictjson.parse(line, file, f"line {number}") for number, line in enumerate(lines, start=1)
    )
    return [build(row, value) for value in _valid(table, values, file)]


def write_rows(table: str, rows: Iterable[Any], part: str | None = None) -> None:
    """Validate and write dataclass instances as a JSONL table, atomically.

    Raises:
        CoralError: a row violates the schema, a required row is missing, or the file cannot be
            written.
    """
    file = path(table, part)
    values = _valid(table, map(plain, rows), file)
    write_text(file, "".join(f"{_ENCODER.encode(value)}\n" for value in values))


def read_document(table: str, kind: type[Row]) -> Row:
    """Read a JSON document as the frozen dataclass `kind`, or as a `dict`.

    Errors as in `read_rows`.
    """
    file = path(table)
    value = strictjson.parse(_read_text(file), file)
    _check(validator(table), value, file)
    return build(kind, value)


def write_document(table: str, document: Any) -> None:
    """Validate and write a dataclass instance or a JSON object as a document, atomically."""
    file = path(table)
    value = plain(document)
    _check(validator(table), value, file)
    write_text(file, json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2) + "\n")


def frame(table: str, rows: pl.DataFrame | Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Return a flat table's rows as a frame with the columns of its schema."""
    if isinstance(rows, pl.DataFrame):
        return rows
    return pl.DataFrame(rows, schema=_columns(table), orient="row")


def read_frame(table: str, part: str | None = None) -> pl.DataFrame:
    """Read a Parquet table.

    Raises:
        CoralError: the file is missing or not Parquet, columns or values violate the schema, or a
            row is a duplicate.
    """
    file = path(table, part)
    # Not the path: polars treats [, * and ? as patterns.
    with _reading(file, "a Parquet file"), file.open("rb") as stream:
        content = pl.read_parquet(stream)
    _check_frame(table, content, file)
    return content


def write_frame(table: str, content: pl.DataFrame, part: str | None = None) -> None:
    """Validate and write a Parquet table, atomically; rows keep their order."""
    file = path(table, part)
    _check_frame(table, content, file)
    # Via memory: polars reports a full disk as its own kind of error.
    buffer = io.BytesIO()
    content.write_parquet(buffer)
    with atomic(file) as stream:
        stream.write(buffer.getbuffer())


def read_arrays(table: str, part: str | None = None) -> dict[str, np.ndarray]:
    """Read an npz file; pickled objects are refused.

    Raises:
        CoralError: the file is missing or not npz, or an array's type or shape violates the schema.
    """
    file = path(table, part)
    with _reading(file, "an npz file"), np.load(file, allow_pickle=False) as content:
        arrays = dict(content)
    _check_arrays(table, arrays, file)
    return arrays


def write_arrays(table: str, arrays: Mapping[str, np.ndarray], part: str | None = None) -> None:
    """Validate and write named arrays as an npz file, atomically."""
    file = path(table, part)
    _check_arrays(table, arrays, file)
    with atomic(file) as stream:
        np.savez_compressed(stream, allow_pickle=False, **dict(arrays))


def write_folders(table: str, folders: Mapping[str, Path], part: str | None = None) -> None:
    """Copy folders into the lake under the given names, replacing the old ones.

    Raises:
        CoralError: they cannot be written; the old ones are unchanged.
    """
    with unfinished(path(table, part)) as complete:
        complete.mkdir()
        for name, folder in folders.items():
            shutil.copytree(folder, complete / name)


def write_text(file: Path, text: str) -> None:
    """Write a text, atomically."""
    with atomic(file) as stream:
        stream.write(text.encode())


def build(kind: type[Row], value: Any) -> Row:
    """Build a dataclass from JSON that a schema has already accepted."""
    return msgspec.convert(value, kind)


def plain(value: Any) -> Any:
    """Return a dataclass instance, or a value in it, as JSON; tuples become lists."""
    if isinstance(value, str | int | float) or value is None:
        return value
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return {name: plain(item) for name, item in vars(value).items()}


def _read_text(file: Path) -> str:
    with _reading(file, "text in UTF-8"):
        return file.read_text(encoding="utf-8")


def _again(file: Path) -> str:
    """Return how to make a damaged file again."""
    return f"delete the file and {_by_hand(file) or 'run `dvc repro`'} to recreate it"


def _by_hand(file: Path) -> str | None:
    """Return how to make a file that no stage makes; None for others."""
    model = asked_alone(file)
    if model is None:
        return None
    return f"run `coral linteval samples {model}`, then `coral linteval scores {model}`"


@contextmanager
def _reading(file: Path, form: str) -> Iterator[None]:
    """Report a missing or damaged file of the lake."""
    try:
        yield
    except FileNotFoundError:
        action = _by_hand(file) or "run `dvc repro` or `dvc pull`"
        raise CoralError("a file of the lake is missing", file=file, action=action) from None
    # numpy and polars can raise anything on a damaged file.
    except (Exception, pl.exceptions.PanicException) as error:
        if isinstance(error, OSError) and error.errno is not None:  # polars' own have none
            with reading(file):
                raise
        raise CoralError(
            "a table cannot be read",
            file=file,
            found=f"{type(error).__name__}: {error}",
            expected=form,
            action=_again(file),
        ) from None


def _check(check: Schema, value: Any, file: Path, where: str = "") -> None:
    error = first_error(check, value, where)
    if error is not None:
        raise BrokenTable(file, **error)


def _valid(table: str, rows: Iterable[Any], file: Path) -> list[Any]:
    """Return rows as JSON, each of which is checked before the next is taken."""
    check = validator(table)
    values = []
    for number, value in enumerate(rows, start=1):
        _check(check, value, file, f"row {number}")
        values.append(value)
    _check_rows(check.schema, values, file)
    return values


def _check_arrays(table: str, arrays: Mapping[str, np.ndarray], file: Path) -> None:
    """Validate each array's type and shape, as JSON."""
    kinds = {
        name: {"dtype": array.dtype.kind, "shape": list(array.shape)}
        for name, array in arrays.items()
    }
    _check(validator(table), kinds, file)


def _columns(table: str) -> dict[str, pl.DataType]:
    columns = {}
    for name, field in validator(table).schema["properties"].items():
        kinds = field.get("type", "string")
        kind = kinds if isinstance(kinds, str) else next(k for k in kinds if k != "null")
        columns[name] = _DTYPES[kind]
    return columns


def _check_rows(
    schema: Mapping[str, Any], rows: pl.DataFrame | Sequence[Mapping[str, Any]], file: Path
) -> None:
    """Check for the schema's minimum of rows, and for duplicate keys among valid rows."""
    if len(rows) < schema.get("minRows", 0):
        raise BrokenTable(file, field="rows", found="none", expected="at least one")
    columns = schema.get("key")
    if columns is None or schema.get("keyRepeats"):
        return
    if isinstance(rows, pl.DataFrame):
        if rows.select(columns).n_unique() == len(rows):
            return
        rows = rows.to_dicts()
    seen = set()
    for number, row in enumerate(rows, start=1):
        key = row_key(row, columns)
        if key in seen:
            named = ", ".join(f"{name} {value}" for name, value in zip(columns, key, strict=True))
            found = f"duplicate {named}"
            raise BrokenTable(file, field=f"row {number}", found=found, expected="unique keys")
        seen.add(key)


def _check_frame(table: str, content: pl.DataFrame, file: Path) -> None:
    """Validate a frame column by column, each distinct value once.

    Schemas of Parquet tables constrain single fields only, so this equals validating every row, but
    costs time per distinct value instead of per row.
    """
    expected = _columns(table)
    if list(content.schema.items()) != list(expected.items()):
        wrong = {
            name: str(dtype)
            for name, dtype in content.schema.items()
            if expected.get(name) != dtype
        }
        raise BrokenTable(
            file,
            field="the columns",
            found=wrong or content.columns,
            expected=", ".join(f"{name}: {dtype}" for name, dtype in expected.items()),
        )
    for name in content.columns:
        check = subvalidator(table, name)
        for value in content[name].unique(maintain_order=True).to_list():
            error = first_error(check, value)
            if error is not None:
                row = content.select(pl.col(name).eq_missing(value).arg_max()).item()
                raise BrokenTable(file, **error | {"field": f"row {row + 1}, {name}"})
    _check_rows(validator(table).schema, content, file)


def find(rows: Iterable[Row], file: Path, **values: object) -> Row:
    """Return the first row with these values, to which another table refers.

    Args:
        rows: the rows of a table.
        file: the table's file, for the message.
        values: field -> value.

    Raises:
        CoralError: there is no such row.
    """
    for row in rows:
        if all(getattr(row, name) == value for name, value in values.items()):
            return row
    wanted = ", ".join(f"{name} {value}" for name, value in values.items())
    raise apart(f"no row with {wanted}", file)
