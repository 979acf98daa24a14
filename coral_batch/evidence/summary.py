"""A run's claims about its best genome, with intervals and cost."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from coral_batch.errors import apart
from coral_batch.evidence.paired import (
    Outcome,
    Outcomes,
    Paired,
    compare,
    compare_means,
)
from coral_batch.evidence.reliability import Reliability
from coral_batch.records.problem import Bug, program_of
from coral_batch.records.rows import AdapterRow, BestRow, FirstChangeRow, SampleRow

MEASURES = ("similarity", "ngrams", "trees")
_ROLES = ("held_out", "test", "training")
OWN = "own"
"""Kind and difficulty of a bug that was not injected."""
SELECTION = "selection"
"""Name of the score that selection used, on the test problems: too high for the best genome."""


@dataclass(frozen=True)
class Comparison:
    """The best genome (second) against the base model (first) on one set of problems.

    Attributes:
        problems: number of bugs.
        programs: number of programs that they are in.
        best_samples: the best genome's samples per bug.
        k: that of pass@k: half of the samples, at least 1.
        pass_at_1: share of samples that pass all cases.
        pass_at_k: probability that one of k samples does.
    """

    problems: int
    programs: int
    best_samples: int
    k: int
    pass_at_1: Paired
    pass_at_k: Paired


@dataclass(frozen=True)
class Slice:
    """The best genome (second) against the base model (first) on some of the held-out bugs.

    Attributes:
        problems: number of bugs.
        programs: number of programs that they are in.
        paired: share of samples that pass all cases; in `Evidence.first_changes`, that measure.
    """

    problems: int
    programs: int
    paired: Paired


@dataclass(frozen=True)
class Budget:
    """What a search spent, each adapter and each draw of samples counted once.

    `decoded_tokens` counts only kept answers: those that changed nothing and were redrawn are not
    recorded.
    """

    genomes: int
    adapters: int
    training_tokens: int
    samples: int
    decoded_tokens: int


@dataclass(frozen=True)
class Closest:
    """The pair that overlaps most by one measure of `overlaps`."""

    value: float
    evaluation: str
    other: str


@dataclass(frozen=True)
class Evidence:
    """The document lake/evidence/evidence.json; schemas/evidence.schema.json describes it."""

    search: str
    best: str
    generation: str
    key: str
    passed: bool
    budget: Budget
    contamination: dict[str, Closest]
    scores: dict[str, Comparison]
    kinds: dict[str, Slice]
    difficulty: dict[str, Slice]
    first_changes: dict[str, Slice]
    reliability: dict[str, Reliability]


def outcomes(scores: pl.DataFrame) -> dict[str, Outcome]:
    """Return problem -> outcome from rows of the table `scores`, all of one model."""
    counted = scores.group_by("problem", maintain_order=True).agg(
        pl.len().alias("samples"), (pl.col("bugfix") == 1).sum().alias("solved")
    )
    return {problem: Outcome(samples, solved) for problem, samples, solved in counted.iter_rows()}


def first_changes(looks: Iterable[FirstChangeRow]) -> dict[str, dict[str, float]]:
    """Return measure -> problem -> value from rows of `first_changes`, all of one model.

    ``line`` is 1.0 if the likeliest line of the first change is the reference's, else 0.0;
    ``right`` is the probability that the first change is the reference's. Problems for which the
    reference's is unknown are left out, and so is a measure of no problems.
    """
    rows = list(looks)
    measures = {
        "line": {row.problem: float(row.found) for row in rows if row.line is not None},
        "right": {row.problem: row.right for row in rows if row.right is not None},
    }
    return {name: values for name, values in measures.items() if values}


def spent(
    generations: Iterable[tuple[Sequence[AdapterRow], Iterable[SampleRow]]],
) -> Budget:
    """Count what a search trained and decoded; reused work counts once.

    Args:
        generations: in order, the tables `adapters` and `samples` of each. A survivor has the same
            samples in all of them.
    """
    trained: dict[str, int] = {}
    drawn: dict[tuple[str, object], str] = {}  # adapter and knobs -> the first genome with both
    decoded: dict[str, list[int]] = {}  # genome -> tokens of each of its samples
    for adapters, samples in generations:
        for row in adapters:
            trained.setdefault(row.key, row.tokens)
            drawn.setdefault((row.key, row.knobs), row.genome)
        born: dict[str, list[int]] = {
            row.genome: [] for row in adapters if row.genome not in decoded
        }
        for sample in samples:
            if sample.genome in born:
                born[sample.genome].append(sample.new_tokens - sample.copied_tokens)
        decoded |= born
    counted = [tokens for genome in {*drawn.values()} for tokens in decoded[genome]]
    return Budget(len(decoded), len(trained), sum(trained.values()), len(counted), sum(counted))


def closest(overlaps: pl.DataFrame) -> dict[str, Closest]:
    """Return measure -> the held-out program that overlaps most, from the table `overlaps`."""
    found = {}
    held_out = overlaps.filter(pl.col("role") == "held_out")
    for measure in MEASURES:
        ordered = held_out.sort(measure, "evaluation", "other", descending=True)
        found[measure] = Closest(*ordered.select(measure, "evaluation", "other").row(0))
    return found


def compare_with_base(
    best: BestRow,
    selection: tuple[pl.DataFrame, pl.DataFrame],
    evaluation: tuple[pl.DataFrame, pl.DataFrame],
    looks: tuple[Sequence[FirstChangeRow], Sequence[FirstChangeRow]],
    bugs: Sequence[Bug],
    overlaps: pl.DataFrame,
    budget: Budget,
    reliability: dict[str, Reliability],
    search: str,
    seed: int,
) -> Evidence:
    """Compare the best genome with the base model, separately on each set of problems.

    Args:
        best: the best genome.
        selection: tables `scores` of the base model and of the best genome on the test problems,
            as selection used them.
        evaluation: the same of the evaluation, on problems of any roles.
        looks: tables `first_changes` of both in the evaluation; empty if repairs need not change
            the program.
        bugs: the injected bugs.
        overlaps: the table `overlaps`.
        budget: what the search spent.
        reliability: that of selection's measures.
        search: its kind.
        seed: the run's seed.

    Raises:
        CoralError: the two models were scored on different problems.
    """
    if (scored := evaluation[1]["genome"].unique().to_list()) != [best.genome]:
        raise apart(f"an evaluation of {', '.join(scored)}; the best genome is {best.genome}")
    base, other = _paired(evaluation)
    roles = dict(evaluation[0].select("problem", "role").iter_rows())
    scores = {}
    for role in _ROLES:
        names = {name for name in base if roles[name] == role}
        if names:
            scores[role] = _comparison(_only(base, names), _only(other, names), seed, role)
    scores[SELECTION] = _comparison(*_paired(selection), seed, SELECTION)
    held_out = {name for name in base if roles[name] == "held_out"}
    of_base, of_best = (
        first_changes(row for row in rows if row.problem in held_out) for rows in looks
    )
    if {name: values.keys() for name, values in of_base.items()} != {
        name: values.keys() for name, values in of_best.items()
    }:
        raise apart("first changes of different problems, of base model and best genome")

    def slices(part_of: Callable[[Bug], str]) -> dict[str, Slice]:
        parts = {bug.id: part_of(bug) for bug in bugs}
        grouped: dict[str, set[str]] = {}
        for name in held_out:
            grouped.setdefault(parts.get(name, OWN), set()).add(name)
        return {
            part: Slice(
                len(names),
                _programs(names),
                compare(_only(base, names), _only(other, names), 1, seed, "evidence slice", part),
            )
            for part, names in sorted(grouped.items())
        }

    return Evidence(
        search=search,
        best=best.genome,
        generation=best.generation,
        key=best.key,
        passed=best.passed,
        budget=budget,
        contamination=closest(overlaps),
        scores=scores,
        kinds=slices(lambda bug: bug.kind),
        difficulty=slices(difficulty),
        first_changes={
            name: Slice(
                len(values),
                _programs(values),
                compare_means(values, of_best[name], seed, "first changes", name),
            )
            for name, values in of_base.items()
        },
        reliability=reliability,
    )


def difficulty(bug: Bug) -> str:
    """Return in words how many of its cases a bug fails."""
    if bug.failed == 1:
        return "fails all cases"
    return "fails half or more" if bug.failed >= 0.5 else "fails fewer than half"


def _programs(outcomes: Iterable[str]) -> int:
    return len({program_of(problem) for problem in outcomes})


def _paired(tables: tuple[pl.DataFrame, pl.DataFrame]) -> tuple[Outcomes, Outcomes]:
    base, best = map(outcomes, tables)
    if alone := sorted(base.keys() ^ best.keys()):
        raise apart(f"scores of different problems: only one has {', '.join(alone)}")
    return base, best


def _comparison(base: Outcomes, best: Outcomes, seed: int, name: str) -> Comparison:
    of_base, of_best = (min(row.samples for row in model.values()) for model in (base, best))
    k = max(1, min(of_base, of_best) // 2)
    once = compare(base, best, 1, seed, "evidence", name, 1)
    return Comparison(
        len(base),
        _programs(base),
        of_best,
        k,
        once,
        once if k == 1 else compare(base, best, k, seed, "evidence", name, k),
    )


def _only(outcomes: Outcomes, problems: Collection[str]) -> Outcomes:
    return {problem: row for problem, row in outcomes.items() if problem in problems}
