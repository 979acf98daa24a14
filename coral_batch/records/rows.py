"""The rows of the lake's nested tables; schemas/ says what each field means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from coral_batch.records.configuration import AdapterConfiguration, Knobs
from coral_batch.records.settings import Scores

BASE = "base"
"""The `genome` of the base model without an adapter."""

FLOORS = ("empty", "unchanged")
"""The `genome`s of two repairs that no model makes: an empty answer, and the buggy program."""

REFERENCE = "reference"
"""The `genome` of the rows of `case_times` that time the reference programs."""


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
class SubjectRow:
    """A model that answers are drawn from: a genome, or the base model alone.

    Attributes:
        genome: its id, or `BASE`.
        key: key of its adapter; None for the base model alone.
        folder: the adapter's PEFT folder, relative to the lake; None likewise.
        files: SHA-256 of each of its files, by name.
        knobs: how its repairs are drawn.
    """

    genome: str
    key: str | None
    folder: str | None
    files: dict[str, str]
    knobs: Knobs


@dataclass(frozen=True)
class SampleRow:
    genome: str
    problem: str
    sample: int
    knobs: Knobs
    prompt: str
    raw: str
    code: str
    prompt_tokens: int
    new_tokens: int
    copied_tokens: int
    redrawn: int
    finish: str
    log_probability: float | None


@dataclass(frozen=True)
class FirstChangeRow:
    """A model's probabilities for its first change of a program; see the schema."""

    genome: str
    problem: str
    unchanged: float
    lines: tuple[float, ...]
    line: int | None
    right: float | None

    @property
    def found(self) -> bool:
        """Whether the likeliest line of the first change is that of the reference's change."""
        return self.line == 1 + self.lines.index(max(self.lines))


@dataclass(frozen=True)
class SelectionRow:
    genome: str
    objectives: Scores
    fitness: float
    repaired: float
    read: float | None
    worth: float
    thresholds: Scores
    passed: bool
    failed: tuple[str, ...]
    shortfall: float
    nobody_passed: bool
    rank: int | None
    crowding: float | None
    survived: bool
    children: tuple[str, ...]

    @property
    def by_reading(self) -> bool:
        """Whether selection went by the reading."""
        return self.worth == self.read


@dataclass(frozen=True)
class InheritedRow:
    """The adapter of a survivor, which the next generation keeps and its children start from."""

    genome: str
    key: str
    folder: str
    files: dict[str, str]
    determinants: dict[str, Any]
    losses: tuple[float, ...]
    tokens: int
    diverged: bool


@dataclass(frozen=True)
class BestRow:
    generation: str
    genome: str
    key: str
    configuration: AdapterConfiguration
    knobs: Knobs
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
    knobs: Knobs
    prompt: str
    raw: str
    code: str
    prompt_tokens: int
    new_tokens: int
    finish: str
