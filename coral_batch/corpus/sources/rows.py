"""Rows of published data sets: a file found, its rows parsed, held to a schema, made into problems.

A file holds a row a line (JSONL) or an array of rows, compressed or not. Every row is validated; a
row that is not in the published format stops the reading, one that no problem can be made of is
handed back with its reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from coral_batch.corpus.sources.text import read_text
from coral_batch.errors import CoralError
from coral_batch.lake import strictjson
from coral_batch.lake.schemas import first_error, validator
from coral_batch.records.problem import DroppedProblem, Loss, Problem

Row = TypeVar("Row")

ROLES_FILE = "roles.jsonl"
"""The roles of a source's problems, which may stand beside its data set; no data set itself."""


@dataclass(frozen=True)
class Form:
    """A published form of rows.

    Attributes:
        schema: the name of its schema: ``schemas/SCHEMA.schema.json``.
        called: its name in messages, e.g. ``MBPP``.
        optional: what stands for a field that some of the published files leave out.
        further: whether fields beyond the schema are left out; otherwise they are refused.
    """

    schema: str
    called: str
    optional: Mapping[str, Any] = field(default_factory=dict)
    further: bool = True


class Lost(Exception):
    """No problem can be made of a row: why."""

    def __init__(self, reason: Loss, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason: Loss = reason
        self.detail = detail


def find_file(path: Path, *endings: str) -> Path:
    """Return the data set's file: the path itself, or the one file in the folder `path`.

    Args:
        path: the file, or a folder.
        endings: how the names of such files may end, e.g. ``.jsonl``.

    Raises:
        CoralError: the folder holds none or several.
    """
    if not path.is_dir():
        return path
    names = sorted(file.name for file in path.iterdir() if file.name.endswith(endings))
    found = [name for name in names if name != ROLES_FILE and not name.startswith(".")]
    if len(found) != 1:
        raise CoralError(
            f"the folder holds {'several data sets' if found else 'no data set'}",
            file=path,
            found=", ".join(found) or "none",
            expected=f"one file named *{', *'.join(endings)}",
            action="set the source's path in params.yaml (corpus.sources) to the file",
        )
    return path / found[0]


def read_rows(
    file: Path,
    form_of: Callable[[Mapping[str, Any]], Form],
    key: str | None = "task_id",
    *,
    infinite: bool = False,
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Read the rows of a file in their order, each with its place, e.g. ``line 3``.

    Args:
        file: the file.
        form_of: tells the form that a row is to have.
        key: the field that no two rows share; None for none.
        infinite: whether numbers may be NaN or Infinity, which JSON does not know.

    Raises:
        CoralError: the file cannot be read or is empty, a line is not JSON, a row breaks its
            schema, or two rows have one key.
    """
    first: dict[Any, str] = {}
    empty = True
    for where, value in _values(file, infinite):
        empty = False
        form = form_of(value if isinstance(value, dict) else {})
        row = _known(value, form)
        error = first_error(validator(form.schema), row, where)
        if error is not None:
            raise CoralError(f"a row is not in the format of {form.called}", file=file, **error)
        if key is not None and row[key] in first:
            raise CoralError(
                f"two rows have one {key.replace('_', ' ')}",
                file=file,
                field=f"{where}, {key}",
                found=row[key],
                expected=f"another id than that of {first[row[key]]}",
            )
        if key is not None:
            first[row[key]] = where
        yield where, row
    if empty:
        raise CoralError("the data set is empty", file=file, expected="at least one row")


def _values(file: Path, infinite: bool) -> Iterator[tuple[str, Any]]:
    text = read_text(file)
    if text.lstrip().startswith("["):
        for number, value in enumerate(strictjson.parse(text, file, infinite=infinite), start=1):
            yield f"row {number}", value
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            place = f"line {number}"
            yield place, strictjson.parse(line, file, place, infinite=infinite)


def _known(value: Any, form: Form) -> Any:
    if not isinstance(value, dict):
        return value
    if form.further:
        names = validator(form.schema).schema["properties"]
        value = {name: value[name] for name in value if name in names}
    return {**form.optional, **value}


def gather(
    path: Path, rows: Iterable[tuple[str, Row]], make: Callable[[str, Row], Problem]
) -> tuple[list[Problem], list[DroppedProblem]]:
    """Make problems of rows, and keep which can be none.

    Args:
        path: where the data set lies, for the message.
        rows: the name of each row's problem, and the row.
        make: makes the problem of a name and a row, or raises `Lost`.

    Raises:
        CoralError: no problem is left.
    """
    problems, dropped = [], []
    for name, row in rows:
        try:
            problems.append(make(name, row))
        except Lost as lost:
            dropped.append(DroppedProblem(name, lost.reason, lost.detail))
    if not problems:
        raise CoralError(
            "no problem can be made of the data set",
            file=path,
            found="; ".join(f"{one.name}: {one.detail}" for one in dropped[:3]),
            expected="at least one row that can be tested",
        )
    return problems, dropped
