"""What a run claims about its best genome, how sure that is, and what it cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from coral_batch.corpus.split import ROLES, role_of
from coral_batch.evidence.paired import Needed, Outcome, Outcomes, Paired, compare, needed
from coral_batch.rows import AdapterRow, BestRow, SampleRow

MEASURES = ("similarity", "ngrams", "trees")
SELECTION = "selection"
"""Name of the score on the test problems, as selection saw it: it flatters the best genome."""


@dataclass(frozen=True)
class Comparison:
    """The best genome (second) against the base model (first) on one set of problems.

    Attributes:
        problems: number of problems.
        base_samples: the base model's samples a problem.
        best_samples: the best genome's.
        k: samples that pass@k may choose: half of those drawn, at least 1.
        pass_at_1: share of samples that pass all cases.
        pass_at_k: chance that one of k samples does.
        needed: what would tell a difference in pass@1 like this one from chance.
    """

    problems: int
    base_samples: int
    best_samples: int
    k: int
    pass_at_1: Paired
    pass_at_k: Paired
    needed: Needed


@dataclass(frozen=True)
class Budget:
    """What a search spent, each adapter and each draw of samples counted once."""

    genomes: int
    adapters: int
    training_tokens: int
    samples: int
    decoded_tokens: int


@dataclass(frozen=True)
class Closest:
    """The pair that overlaps most by one of the measures of `overlaps`."""

    value: float
    evaluation: str
    training: str


@dataclass(frozen=True)
class Evidence:
    """The document lake/evidence/evidence.json; schemas/evidence.schema.json describes it."""

    search: str
    best: str
    generation: str
    budget: Budget
    contamination: dict[str, Closest]
    scores: dict[str, Comparison]


def outcomes(scores: pl.DataFrame) -> dict[str, Outcome]:
    """Return problem -> outcome from rows of the table `scores`, all of one model."""
    counted = scores.group_by("problem", maintain_order=True).agg(
        pl.len().alias("samples"), (pl.col("bugfix") == 1).sum().alias("solved")
    )
    return {problem: Outcome(samples, solved) for problem, samples, solved in counted.iter_rows()}


def spent(
    adapters: Mapping[str, Sequence[AdapterRow]], samples: Mapping[str, Sequence[SampleRow]]
) -> Budget:
    """Count what the generations of a search trained and decoded.

    Args:
        adapters: generation -> its table `adapters`.
        samples: generation -> its table `samples`.
    """
    trained: dict[str, int] = {}
    drawn: dict[object, str] = {}
    for rows in adapters.values():
        for row in rows:
            trained.setdefault(row.key, row.tokens)
            drawn.setdefault((row.key, row.knobs), row.genome)
    subjects = set(drawn.values())
    tokens = {
        (row.genome, row.problem, row.sample): row.new_tokens
        for rows in samples.values()
        for row in rows
        if row.genome in subjects
    }
    genomes = {row.genome for rows in adapters.values() for row in rows}
    return Budget(
        len(genomes), len(trained), sum(trained.values()), len(tokens), sum(tokens.values())
    )


def closest(overlaps: pl.DataFrame) -> dict[str, Closest]:
    """Return measure -> the pair that overlaps most, from the table `overlaps`."""
    found = {}
    for measure in MEASURES:
        ordered = overlaps.sort(measure, "evaluation", "training", descending=True)
        found[measure] = Closest(*ordered.select(measure, "evaluation", "training").row(0))
    return found


def weigh(
    best: BestRow,
    selection: tuple[pl.DataFrame, pl.DataFrame],
    evaluation: tuple[pl.DataFrame, pl.DataFrame],
    overlaps: pl.DataFrame,
    budget: Budget,
    search: str,
    seed: int,
) -> Evidence:
    """Compare the best genome with the base model, on each set of problems apart.

    Args:
        best: the best genome.
        selection: tables `scores` of the base model and of the best genome on the test problems,
            as selection saw them.
        evaluation: the same of the evaluation, on problems of any roles.
        overlaps: the table of the split.
        budget: what the search spent.
        search: its kind.
        seed: the run's seed.
    """
    base, other = map(outcomes, selection)
    scores = {SELECTION: _comparison(base, other, seed, SELECTION)}
    base, other = map(outcomes, evaluation)
    for role in reversed(ROLES):
        names = [name for name in base if role_of(name) == role]
        if names:
            scores[role] = _comparison(_only(base, names), _only(other, names), seed, role)
    return Evidence(search, best.genome, best.generation, budget, closest(overlaps), scores)


def _comparison(base: Outcomes, best: Outcomes, seed: int, name: str) -> Comparison:
    of_base, of_best = (min(row.samples for row in model.values()) for model in (base, best))
    k = max(1, min(of_base, of_best) // 2)
    return Comparison(
        len(base),
        of_base,
        of_best,
        k,
        compare(base, best, 1, seed, "evidence", name, 1),
        compare(base, best, k, seed, "evidence", name, k),
        needed(base, best),
    )


def _only(outcomes: Outcomes, problems: Sequence[str]) -> Outcomes:
    return {problem: outcomes[problem] for problem in problems}
