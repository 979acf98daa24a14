"""The only module that knows where things are in the lake, and that reads or writes them.

A table is named; its place, format and JSON Schema follow from the name. Every row read or written
is validated against ``schemas/TABLE.schema.json``; writes go to a temporary file that is renamed,
so a reader never sees half a table. Formats: JSONL for tables with nested values
(one frozen dataclass a row), Parquet for flat ones (a polars frame), JSON for single documents,
npz for arrays.

Not here: the content-addressed store (`coral_batch.lake.store`), which lies outside the lake.
"""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
import polars as pl

from coral_batch.errors import CoralError
from coral_batch.lake import strictjson
from coral_batch.lake.acceptance import doubtful
from coral_batch.lake.atomic import atomic, unfinished
from coral_batch.lake.places import SCHEMAS, asked_alone, path
from coral_batch.lake.schemas import Schema, first_error, first_repeat, subvalidator, validator

_DTYPES = {
    "string": pl.String(),
    "integer": pl.Int64(),
    "number": pl.Float64(),
    "boolean": pl.Boolean(),
}

AGAIN = "remove the file and run `dvc repro`, which makes it again"

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)

Row = TypeVar("Row")


class BrokenTable(CoralError):
    """A table that breaks its schema.

    Attributes:
        table: where it lies.
    """

    table: Path


def read_rows(table: str, row: type[Row], part: str | None = None) -> list[Row]:
    """Read a JSONL table as instances of the frozen dataclass `row`.

    Raises:
        CoralError: the file is missing, a line is not JSON, or a row breaks the schema or is there
            twice.
    """
    values = _read_lines(table, part)
    _check_keys(_validator(table).schema, values, path(table, part))
    return [build(row, value) for value in values]


def _read_lines(table: str, part: str | None) -> list[dict[str, Any]]:
    file = path(table, part)
    check = _validator(table)
    rows = []
    # Not splitlines(): it also breaks at U+2028 and others, which JSON strings may hold.
    lines = _read_text(file).split("\n")
    if lines[-1] == "":
        lines.pop()
    for number, line in enumerate(lines, start=1):
        value = strictjson.parse(line, file, f"line {number}")
        error = first_error(check, value, f"row {number}")
        if error is not None:
            raise _broken(file, error)
        rows.append(value)
    _check_rows(check.schema, len(rows), file)
    return rows


def write_rows(table: str, rows: Iterable[Any], part: str | None = None) -> None:
    """Validate and write dataclass instances as a JSONL table, atomically.

    Raises:
        CoralError: a row breaks the schema, there is none where there has to be one, or the disk
            does not take it.
    """
    file = path(table, part)
    check = _validator(table)
    values, lines = [], []
    for number, row in enumerate(rows, start=1):
        value = plain(row)
        error = first_error(check, value, f"row {number}")
        if error is not None:
            raise _broken(file, error)
        values.append(value)
        lines.append(_ENCODER.encode(value) + "\n")
    _check_rows(check.schema, len(values), file)
    _check_keys(check.schema, values, file)
    with atomic(file) as stream:
        stream.write("".join(lines).encode())


def read_document(table: str, kind: type[Row]) -> Row:
    """Read a JSON document as the frozen dataclass `kind`, or as it is for `dict`.

    Errors as in `read_rows`.
    """
    file = path(table)
    value = strictjson.parse(_read_text(file), file)
    error = first_error(validator(table), value)
    if error is not None:
        raise _broken(file, error)
    return build(kind, value)


def write_document(table: str, document: Any) -> None:
    """Validate and write a dataclass instance or a JSON object as a document, atomically."""
    file = path(table)
    value = plain(document)
    error = first_error(validator(table), value)
    if error is not None:
        raise _broken(file, error)
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2) + "\n"
    with atomic(file) as stream:
        stream.write(text.encode())


def frame(table: str, rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Build a frame with the columns, in the order and of the types of the table's schema."""
    return pl.DataFrame(rows, schema=_columns(table), orient="row")


def read_frame(table: str, part: str | None = None) -> pl.DataFrame:
    """Read a Parquet table.

    Raises:
        CoralError: the file is missing or is no Parquet, columns or values break the schema, or a
            row is there twice.
    """
    file = path(table, part)
    try:
        with file.open("rb") as stream:  # of a path, polars takes [, * and ? for patterns
            content = pl.read_parquet(stream)
    except FileNotFoundError:
        raise _missing(file) from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise CoralError(
            "a table cannot be read",
            file=file,
            found=str(error),
            expected="a Parquet file",
            action=AGAIN,
        ) from None
    _check_frame(table, content, file)
    _check_keys(_validator(table).schema, content, file)
    return content


def write_frame(table: str, content: pl.DataFrame, part: str | None = None) -> None:
    """Validate and write a Parquet table, atomically; the rows keep their order."""
    file = path(table, part)
    _check_frame(table, content, file)
    _check_keys(_validator(table).schema, content, file)
    # By way of memory: polars tells a full disk as an error of its own.
    buffer = io.BytesIO()
    content.write_parquet(buffer)
    with atomic(file) as stream:
        stream.write(buffer.getbuffer())


def read_arrays(table: str, part: str | None = None) -> dict[str, np.ndarray]:
    """Read an npz file; pickled objects are refused.

    Raises:
        CoralError: the file is missing or is no npz, or an array's type or shape break the schema.
    """
    file = path(table, part)
    try:
        with np.load(file, allow_pickle=False) as content:
            arrays = dict(content)
    except FileNotFoundError:
        raise _missing(file) from None
    except Exception as error:
        raise CoralError(
            "arrays cannot be read",
            file=file,
            found=f"{type(error).__name__}: {error}",
            expected="an npz file",
            action=AGAIN,
        ) from None
    _check_arrays(table, arrays, file)
    return arrays


def write_arrays(table: str, arrays: Mapping[str, np.ndarray], part: str | None = None) -> None:
    """Validate and write named arrays as an npz file, atomically."""
    file = path(table, part)
    _check_arrays(table, arrays, file)
    with atomic(file) as stream:
        np.savez_compressed(stream, allow_pickle=False, **dict(arrays))


def write_folders(table: str, folders: Mapping[str, Path], part: str | None = None) -> None:
    """Copy folders into the lake under the names given; what lay there before is replaced.

    Raises:
        CoralError: the disk does not take them; what lay there before still does.
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
    """Return a dataclass instance, or what it may hold, as JSON: tuples as lists."""
    if isinstance(value, str | int | float) or value is None:
        return value
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return {name: plain(item) for name, item in vars(value).items()}


def _validator(table: str) -> Schema:
    return validator(SCHEMAS.get(table, table))


def _read_text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise _missing(file) from None
    except UnicodeDecodeError as error:
        raise CoralError("a table is not UTF-8", file=file, found=str(error)) from None
    except OSError as error:
        raise CoralError(
            "a table cannot be read", file=file, found=error.strerror, action=AGAIN
        ) from None


def _missing(file: Path) -> CoralError:
    model = asked_alone(file)
    action = "run `dvc repro`, which makes it, or `dvc pull`"
    if model is not None:
        action = f"run `coral linteval samples {model}`, then `coral linteval scores {model}`"
    return CoralError("a file of the lake is missing", file=file, action=action)


def _broken(file: Path, error: Mapping[str, Any]) -> BrokenTable:
    broken = BrokenTable("a table breaks its schema", file=file, action=AGAIN, **error)
    broken.table = file
    return broken


def _check_arrays(table: str, arrays: Mapping[str, np.ndarray], file: Path) -> None:
    """Validate the type and the shape of each array, as JSON."""
    kinds = {
        name: {"dtype": array.dtype.kind, "shape": list(array.shape)}
        for name, array in arrays.items()
    }
    error = first_error(_validator(table), kinds)
    if error is not None:
        raise _broken(file, error)


def _columns(table: str) -> dict[str, pl.DataType]:
    columns = {}
    for name, field in _validator(table).schema["properties"].items():
        kinds = field.get("type", "string")
        kind = kinds if isinstance(kinds, str) else next(k for k in kinds if k != "null")
        columns[name] = _DTYPES[kind]
    return columns


def _check_rows(schema: Mapping[str, Any], rows: int, file: Path) -> None:
    if rows < schema.get("minRows", 0):
        raise _broken(file, {"field": "rows", "found": "none", "expected": "at least one"})


def _check_keys(
    schema: Mapping[str, Any], rows: pl.DataFrame | Sequence[Mapping[str, Any]], file: Path
) -> None:
    """Insist that no two rows, valid otherwise, have the same key where the schema says so."""
    columns = schema.get("key")
    if columns is None or schema.get("keyRepeats"):
        return
    if isinstance(rows, pl.DataFrame):
        if rows.select(columns).n_unique() == rows.height:
            return
        rows = rows.to_dicts()
    error = first_repeat(rows, columns)
    if error is not None:
        raise _broken(file, error)


def _check_frame(table: str, content: pl.DataFrame, file: Path) -> None:
    """Validate a frame column by column, over those of its distinct values that are in doubt.

    The schemas of Parquet tables constrain single fields only, so this is equal to validating
    every row, at a cost that grows with those values instead of the rows.
    """
    expected = _columns(table)
    if list(content.schema.items()) != list(expected.items()):
        wrong = {
            name: str(dtype)
            for name, dtype in content.schema.items()
            if expected.get(name) != dtype
        }
        raise _broken(
            file,
            {
                "field": "the columns",
                "found": wrong or content.columns,
                "expected": ", ".join(f"{name}: {dtype}" for name, dtype in expected.items()),
            },
        )
    _check_rows(_validator(table).schema, content.height, file)
    for name in content.columns:
        check = subvalidator(SCHEMAS.get(table, table), name)
        for value in doubtful(check.schema, content[name]).to_list():
            error = first_error(check, value)
            if error is None:
                continue
            row = content.with_row_index("row").filter(pl.col(name).eq_missing(value))["row"][0]
            raise _broken(file, {**error, "field": f"row {row + 1}, {name}"})


def find(rows: Iterable[Row], file: Path, **values: object) -> Row:
    """Return the first row with these values, which another table says is there.

    Args:
        rows: the rows of a table.
        file: where the table lies, for the message.
        values: field -> its value.

    Raises:
        CoralError: there is none.
    """
    for row in rows:
        if all(getattr(row, name) == value for name, value in values.items()):
            return row
    raise CoralError(
        "the tables do not belong together",
        file=file,
        found="no row with " + ", ".join(f"{name} {value}" for name, value in values.items()),
        action="run `dvc repro`",
    )
