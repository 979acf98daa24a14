"""params.yaml as frozen dataclasses; schemas/params.schema.json gives each key's unit and range."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Shares:
    """Shares of a source's problems, which sum to 1."""

    training: float
    test: float
    held_out: float


@dataclass(frozen=True)
class Source:
    reader: str
    path: str
    roles: str | Shares
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True)
class Corpus:
    sources: dict[str, Source]


@dataclass(frozen=True)
class Split:
    overlapping: str
    near_duplicate: float
    ngrams: float
    trees: float


@dataclass(frozen=True)
class Injection:
    each: int
    lines: int
    partial: bool


@dataclass(frozen=True)
class Prompt:
    docstring: bool


@dataclass(frozen=True)
class Examples:
    bugs: int
    lint: int
    portion: int | None


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

    @property
    def needed(self) -> int:
        """The fewest automata that are enough: a cell's quantiles need at least 8.

        There are about bins^3 cells, since three features come before the last.
        """
        return 8 * self.bins**3


@dataclass(frozen=True)
class Candidates:
    """The values that the mapping chooses from, one tuple per gene, in natural order."""

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
    layers: int | None


@dataclass(frozen=True)
class Sampling:
    max_new_tokens: int
    change: str
    base_temperature: float


@dataclass(frozen=True)
class Validation:
    bugs: int
    read: int
    samples: int


@dataclass(frozen=True)
class Evaluation:
    problems: str
    bugs: int
    samples: int


@dataclass(frozen=True)
class Verdicts:
    cpu_seconds: float
    wall_seconds: float
    memory_mb: int
    require: tuple[str, ...]


@dataclass(frozen=True)
class Scores:
    """One number per objective: weights, thresholds or scores.

    Its fields are the objectives: columns, fields of schemas, tables and plots follow from them.
    """

    bugfix: float
    security: float
    syntax: float
    style: float
    runtime: float


OBJECTIVES = tuple(field.name for field in fields(Scores))
"""The objectives' names, in order."""


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
    select: str
    inherit: bool


@dataclass(frozen=True)
class Linteval:
    source: str
    path: str
    language: str
    prompts: str | None
    items: int | None
    samples: int
    max_new_tokens: int
    stop: str | None
    temperature: float


@dataclass(frozen=True)
class Search:
    kind: str


@dataclass(frozen=True)
class Compute:
    workers: int | None
    threads: int | None


@dataclass(frozen=True)
class Generation:
    next: str


@dataclass(frozen=True)
class Params:
    seed: int
    corpus: Corpus
    split: Split
    injection: Injection
    prompt: Prompt
    examples: Examples
    base: Base
    automata: Automata
    calibration: Calibration
    candidates: Candidates
    training: Training
    sampling: Sampling
    validation: Validation
    evaluation: Evaluation
    verdicts: Verdicts
    objectives: Objectives
    gate: Gate
    evolution: Evolution
    search: Search
    linteval: Linteval
    compute: Compute
    generations: dict[str, Generation]
