"""The rows of the lake's nested tables as frozen dataclasses; schemas/ says what each field means.

Rows that are a module's own currency live there: `Problem` and `Role` in `coral_batch.corpus`,
`Genome` in `coral_batch.evolution`, `Example` in `coral_batch.adapters`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from coral_batch.errors import CoralError
from coral_batch.evolution.configuration import AdapterConfiguration, Knobs
from coral_batch.params import Scores

BASE = "base"
"""The `genome` of the base model without an adapter."""

REFERENCE = "reference"
"""The `genome` of the rows of `case_times` that time the reference programs."""


Row = TypeVar("Row")


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


@dataclass(frozen=True)
class AdapterRow:
    genome: str
    key: str
    coordinates: tuple[float, ...]
    configuration: AdapterConfiguration
    knobs: Knobs
    losses: tuple[float, ...]
    tokens: int
    diverged: bool


@dataclass(frozen=True)
class AdapterCardRow:
    key: str
    determinants: dict[str, Any]
    files: dict[str, str]


@dataclass(frozen=True)
class SampleRow:
    genome: str
    problem: str
    sample: int
    seed: int
    knobs: Knobs
    prompt: str
    raw: str
    code: str
    prompt_tokens: int
    new_tokens: int
    finish: str


@dataclass(frozen=True)
class SelectionRow:
    genome: str
    objectives: Scores
    fitness: float
    thresholds: Scores
    passed: bool
    failed: tuple[str, ...]
    shortfall: float
    nobody_passed: bool
    rank: int | None
    crowding: float | None
    survived: bool
    children: tuple[str, ...]


@dataclass(frozen=True)
class BestRow:
    generation: str
    genome: str
    key: str
    files: dict[str, str]
    configuration: AdapterConfiguration
    knobs: Knobs
    fitness: float
    passed: bool


@dataclass(frozen=True)
class TimeRow:
    part: str
    trained: int
    adapters_reused: int
    training_seconds: float
    decoded: int
    decodings_reused: int
    decoding_seconds: float
    cases: int
    cpu_seconds: float
    wall_seconds: float


@dataclass(frozen=True)
class DurationRow:
    unit: str
    seconds: float
    reused: bool


@dataclass(frozen=True)
class LintSampleRow:
    item: int
    sample: int
    genome: str
    adapter: str | None
    seed: int
    knobs: Knobs
    prompt: str
    raw: str
    code: str
    prompt_tokens: int
    new_tokens: int
    finish: str
