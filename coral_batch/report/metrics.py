"""The metrics of a run, which DVC shows and compares.

All are selection scores: they are optimistic, since the search selected on these problems. Times
are elsewhere, so that two runs of the same parameters give the same bytes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import astuple, dataclass

import polars as pl

from coral_batch import lake
from coral_batch.evidence.summary import outcomes
from coral_batch.lake import find
from coral_batch.objectives.aggregate import fitness, objectives_of
from coral_batch.records.rows import AdapterRow, BestRow, SelectionRow
from coral_batch.records.settings import Scores
from coral_batch.search.best import choose

DECIMALS = 6


@dataclass(frozen=True)
class Evaluated:
    """The tables of one generation that the metrics need.

    Attributes:
        generation: its name.
        adapters: table `adapters`.
        selection: table `selection`.
        passes: problem -> share of all its samples that pass all cases.
    """

    generation: str
    adapters: Sequence[AdapterRow]
    selection: Sequence[SelectionRow]
    passes: Mapping[str, float]

    @property
    def best(self) -> SelectionRow:
        """Its best genome by selection."""
        return choose({self.generation: self.selection}).row


@dataclass(frozen=True)
class Summary:
    """The scores of a model."""

    fitness: float
    objectives: Scores
    pass_at_1: float
    problems_solved: int


@dataclass(frozen=True)
class GenerationMetrics:
    """The scores of a generation."""

    genomes: int
    new_adapters: int
    gate_passed: int
    best_fitness: float
    mean_fitness: float
    objectives: Scores
    pass_at_1: float
    problems_solved: int


@dataclass(frozen=True)
class Best(Summary):
    """The best genome of the run, see `coral_batch.search.best`."""

    genome: str
    generation: str
    passed: bool


@dataclass(frozen=True)
class Metrics:
    """The document lake/report/metrics.json; schemas/metrics.schema.json describes each field."""

    problems: int
    samples: int
    generations: dict[str, GenerationMetrics]
    base: Summary
    floors: dict[str, Summary]
    best: Best


def measure(
    generations: Sequence[Evaluated],
    best: BestRow,
    best_passes: Mapping[str, float],
    of_base: pl.DataFrame,
    floors: pl.DataFrame,
    weights: Scores,
) -> Metrics:
    """Compute the metrics of a run.

    Args:
        generations: the generations in order, at least one.
        best: the run's best genome.
        best_passes: selection problem -> share of the best genome's samples that pass all cases.
        of_base: the scores of the base model without an adapter.
        floors: the scores of `coral_batch.records.rows.FLOORS`.
        weights: the weights of the fitness.
    """
    problems = of_base["problem"].n_unique()
    seen: set[str] = set()
    measured = {}
    for tables in generations:
        keys = {row.key for row in tables.adapters}
        measured[tables.generation] = _generation(tables, len(keys - seen))
        seen |= keys
    return Metrics(
        problems=problems,
        samples=of_base.group_by("problem").len()["len"].item(0),
        generations=measured,
        base=_summary(of_base, weights),
        floors={
            name: _summary(floors.filter(pl.col("genome") == name), weights)
            for name in floors["genome"].unique(maintain_order=True)
        },
        best=_best(generations, best, best_passes),
    )


def passes(scores: pl.DataFrame) -> dict[str, float]:
    """Return problem -> share of its samples that pass all cases, in the table's order."""
    return {problem: one.solved / one.samples for problem, one in outcomes(scores).items()}


def _generation(tables: Evaluated, new_adapters: int) -> GenerationMetrics:
    selection, shares = tables.selection, tables.passes
    objectives = zip(*(astuple(row.objectives) for row in selection), strict=True)
    return GenerationMetrics(
        genomes=len(selection),
        new_adapters=new_adapters,
        gate_passed=sum(row.passed for row in selection),
        best_fitness=_rounded(tables.best.fitness),
        mean_fitness=_mean([row.fitness for row in selection]),
        objectives=Scores(*map(_mean, objectives)),
        pass_at_1=_mean(shares.values()),
        problems_solved=_solved(shares),
    )


def _best(generations: Sequence[Evaluated], best: BestRow, shares: Mapping[str, float]) -> Best:
    part = best.generation
    tables = find(generations, lake.path("best"), generation=part)
    chosen = find(tables.selection, lake.path("selection", part), genome=best.genome)
    return Best(
        genome=best.genome,
        generation=part,
        passed=best.passed,
        fitness=_rounded(chosen.fitness),
        objectives=Scores(*map(_rounded, astuple(chosen.objectives))),
        pass_at_1=_mean(shares.values()),
        problems_solved=_solved(shares),
    )


def _summary(scores: pl.DataFrame, weights: Scores) -> Summary:
    _, objectives = objectives_of(scores)
    shares = passes(scores)
    return Summary(
        _rounded(float(fitness(objectives, weights)[0])),
        Scores(*(_rounded(float(value)) for value in objectives[0])),
        _mean(shares.values()),
        _solved(shares),
    )


def _solved(shares: Mapping[str, float]) -> int:
    return sum(share > 0 for share in shares.values())


def _mean(values: Collection[float]) -> float:
    return _rounded(sum(values) / len(values))


def _rounded(value: float) -> float:
    """Round to `DECIMALS`, so that rounding errors are no difference."""
    return round(value, DECIMALS) + 0.0
