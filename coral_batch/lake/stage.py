"""Stages: functions from tables and parameters to tables. All reading and writing is done here.

Each file in `stages/` has one such function, `make`. `run` calls it with the lake. `coral audit`
calls it with the recomputed lake and compares its output with the stored tables, if the stage
neither trains, samples nor judges.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
import polars as pl

from coral_batch import lake
from coral_batch.lake import params, tables
from coral_batch.lake.atomic import writing
from coral_batch.lake.places import path
from coral_batch.records.settings import Params

Row = TypeVar("Row")

Outputs = Mapping[str | tuple[str, str], Any]
"""Table, or table and part if it is not the stage's own part -> its content.

The content depends on the table's format: dataclass instances (JSONL), a frame or rows (Parquet), a
document (JSON), arrays (npz), a text (HTML); for a folder, name -> text of a file, or a folder to
copy. Tables are written in this order, each atomically.
"""


BEFORE_WRITING: list[Callable[[], None]] = []
"""Checks that refuse, by `CoralError`, what a stage made."""


class Tables(Protocol):
    """The tables of a lake, as a stage reads them; every method raises `CoralError`.

    The package `coral_batch.lake` implements it for the stored tables.
    """

    def read_rows(self, table: str, kind: type[Row], part: str | None = None) -> list[Row]:
        """Return a JSONL table as instances of a frozen dataclass."""

    def read_frame(self, table: str, part: str | None = None) -> pl.DataFrame:
        """Return a Parquet table."""

    def read_document(self, table: str, kind: type[Row]) -> Row:
        """Return a JSON document as a frozen dataclass, or as it is for `dict`."""

    def read_arrays(self, table: str, part: str | None = None) -> dict[str, np.ndarray]:
        """Return the arrays of an npz file."""

    def path(self, table: str, part: str | None = None) -> Path:
        """Return a folder's path."""


def run(
    make: Callable[[Tables, Params, Any], Outputs],
    part: str | None = None,
    journal: Path | None = None,
) -> dict[str, Any]:
    """Call a stage's function with the lake and params.yaml, and write what it returns.

    Args:
        make: the stage's function.
        part: the part of the lake to make; None if there is only one.
        journal: where `make` keeps progress in case it is killed; removed after writing.

    Returns:
        The written content, by table.

    Raises:
        CoralError: a table cannot be read or written or violates its schema, `make` raised it,
            params.yaml changed meanwhile, or the journal cannot be removed.
    """
    settings = params.load()
    outputs = make(lake, settings, part)
    if params.load() != settings:
        raise params.changed()
    for check in BEFORE_WRITING:
        check()
    for target, content in outputs.items():
        table, where = target if isinstance(target, tuple) else (target, part)
        write(table, content, where)
    if journal is not None:
        with writing(journal):
            journal.unlink(missing_ok=True)
    return {target if isinstance(target, str) else target[0]: outputs[target] for target in outputs}


def write(table: str, content: Any, part: str | None = None) -> None:
    """Write a table by its format; see `Outputs`."""
    kind = path(table, part).suffix
    if kind == ".jsonl":
        tables.write_rows(table, content, part)
    elif kind == ".parquet":
        tables.write_frame(table, tables.frame(table, content), part)
    elif kind == ".json":
        tables.write_document(table, content)
    elif kind == ".npz":
        tables.write_arrays(table, content, part)
    elif kind == ".html":
        tables.write_text(path(table, part), content)
    elif all(isinstance(item, str) for item in content.values()):
        for name, text in content.items():
            tables.write_text(path(table, part) / name, text)
    else:
        tables.write_folders(table, content, part)
