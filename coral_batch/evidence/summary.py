"""What a run claims about its best genome, how sure that is, and what it cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from coral_batch.corpus.split.roles import ROLES, role_of
from coral_batch.errors import CoralError
from coral_batch.evidence.paired import Needed, Outcome, Outcomes, Paired, compare, needed
from coral_batch.records.rows import AdapterRow, BestRow, SampleRow

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
    passed: bool
    budget: Budget
    contamination: dict[str, Closest]
    scores: dict[str, Comparison]


def outcomes(scores: pl.DataFrame) -> dict[str, Outcome]:
    """Return problem -> outcome from rows of the table `scores`, all of one model."""
    counted = scores.group_by("problem", maintain_order=True).agg(
        pl.len().alias("samples"), (pl.col("bugfix") == 1).sum().alias("solved")
    )
    return {problem: Outcome(samples, solved) for problem, samples, solved in counted.iter_rows()}


@dataclass(frozen=True)
class Spending:
    """What the genomes of one generation rest on; many of it may have been there before.

    Attributes:
        trained: adapter -> tokens that it was trained on.
        drawn: adapter and knobs -> the first genome that has both.
        decoded: genome -> samples and decoded tokens.
    """

    trained: Mapping[str, int]
    drawn: Mapping[tuple[str, object], str]
    decoded: Mapping[str, tuple[int, int]]


def spending(adapters: Sequence[AdapterRow], samples: Iterable[SampleRow]) -> Spending:
    """Count what the genomes of a generation rest on, from its tables `adapters` and `samples`."""
    drawn: dict[tuple[str, object], str] = {}
    for row in adapters:
        drawn.setdefault((row.key, row.knobs), row.genome)
    decoded = dict.fromkeys((row.genome for row in adapters), (0, 0))
    for sample in samples:
        if sample.genome in decoded:
            count, tokens = decoded[sample.genome]
            decoded[sample.genome] = (count + 1, tokens + sample.new_tokens)
    return Spending({row.key: row.tokens for row in adapters}, drawn, decoded)


def spent(generations: Sequence[Spending]) -> Budget:
    """Count what a search trained and decoded; what a generation found done counts once.

    Args:
        generations: in order. A genome that lives on has the same samples in each of them.
    """
    trained: dict[str, int] = {}
    drawn: dict[tuple[str, object], str] = {}
    decoded: dict[str, tuple[int, int]] = {}
    for one in reversed(generations):
        trained |= one.trained
        drawn |= one.drawn
        decoded |= one.decoded
    counts = [decoded[genome] for genome in set(drawn.values())]
    return Budget(
        len({genome for one in generations for genome in one.decoded}),
        len(trained),
        sum(trained.values()),
        sum(count for count, _ in counts),
        sum(tokens for _, tokens in counts),
    )


def closest(overlaps: pl.DataFrame) -> dict[str, Closest]:
    """Return measure -> the pair that overlaps most, from the table `overlaps`."""
    found = {}
    for measure in MEASURES:
        ordered = overlaps.sort(measure, "evaluation", "training", descending=True)
        found[measure] = Closest(*ordered.select(measure, "evaluation", "training").row(0))
    return found


def compare_with_base(
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

    Raises:
        CoralError: the two models were scored on different problems.
    """
    base, other = _paired(selection)
    scores = {SELECTION: _comparison(base, other, seed, SELECTION)}
    base, other = _paired(evaluation)
    for role in reversed(ROLES):
        names = [name for name in base if role_of(name) == role]
        if names:
            scores[role] = _comparison(_only(base, names), _only(other, names), seed, role)
    return Evidence(
        search, best.genome, best.generation, best.passed, budget, closest(overlaps), scores
    )


def _paired(tables: tuple[pl.DataFrame, pl.DataFrame]) -> tuple[Outcomes, Outcomes]:
    base, best = map(outcomes, tables)
    if alone := sorted(base.keys() ^ best.keys()):
        raise CoralError(
            "the base model and the best genome were scored on different problems",
            field="problem",
            found=f"only one has {', '.join(alone)}",
            expected="the same problems in both tables",
            action="run `dvc repro`",
        )
    return base, best


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
