"""params.yaml as frozen dataclasses, validated against schemas/params.schema.json.

The schema says what each key means, its unit and its range. `load` refuses unknown keys,
duplicate keys, wrong types and values out of range with one message that names the key.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Corpus:
    source: str
    path: str
    url: str | None
    revision: str | None


@dataclass(frozen=True)
class Split:
    near_duplicate: float


@dataclass(frozen=True)
class Prompt:
    docstring: bool


@dataclass(frozen=True)
class Base:
    model: str
    revision: str | None


@dataclass(frozen=True)
class Automata:
    height: int
    width: int
    steps: int


@dataclass(frozen=True)
class Calibration:
    automata: int
    bins: int


@dataclass(frozen=True)
class Candidates:
    """What the mapping may choose from, one tuple of candidates a gene, in their natural order."""

    r: tuple[int, ...]
    lora_alpha: tuple[int, ...]
    lora_dropout: tuple[float, ...]
    target_modules: tuple[tuple[str, ...], ...]
    method: tuple[str, ...]
    temperature: tuple[float, ...]
    top_p: tuple[float, ...]
    top_k: tuple[int, ...]
    repetition_penalty: tuple[float, ...]


@dataclass(frozen=True)
class Training:
    passes: int
    batch_size: int
    learning_rate: float
    warmup_steps: int
    weight_decay: float
    max_grad_norm: float


@dataclass(frozen=True)
class Verdicts:
    cpu_seconds: float
    wall_seconds: float
    memory_mb: int
    require: tuple[str, ...]


@dataclass(frozen=True)
class Scores:
    """One number an objective: weights, thresholds or scores."""

    bugfix: float
    security: float
    syntax: float
    style: float
    runtime: float


@dataclass(frozen=True)
class Objectives:
    weights: Scores
    runtime: str


@dataclass(frozen=True)
class Gate:
    schedule: str
    generations: int
    base: Scores
    max: Scores


@dataclass(frozen=True)
class Evolution:
    population: int
    survivors: int
    crossover: float
    mutation: float
