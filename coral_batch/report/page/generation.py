"""The page of one generation, or of the base model: every genome, every distinct repair.

It holds no time and nothing of the machine: two runs from scratch give the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass

from markupsafe import Markup

from coral_batch import lake
from coral_batch.records.rows import SelectionRow
from coral_batch.report.metrics import OBJECTIVES
from coral_batch.report.page.charts import bar, training_curve
from coral_batch.report.page.image import data_uri, slice_through_time, snapshots
from coral_batch.report.page.render import render
from coral_batch.report.page.repairs import SHOWN, attempts
from coral_batch.report.roles import with_training
from coral_batch.report.views import Individual, Repair, configuration_cells, knobs_cells
from coral_batch.search.automata.features import FEATURES
from coral_batch.search.best import NOBODY_PASSED


@dataclass(frozen=True)
class GenomeView:
    """A genome as the pages show it.

    Attributes:
        individual: the genome, its adapter and its fate.
        steps: the steps of the snapshots.
        picture: the snapshots, as a data URI.
        slice: the middle row through time, as a data URI.
        features: name, value and bar of each.
        configuration, knobs: name and value of each.
        gate: objective, score, threshold, passed and bar of each.
        curve: the training curve.
    """

    individual: Individual
    steps: Sequence[int]
    picture: str
    slice: str
    features: Sequence[tuple[str, float, Markup]]
    configuration: Sequence[tuple[str, str]]
    knobs: Sequence[tuple[str, str]]
    gate: Sequence[tuple[str, float, float, bool, Markup]]
    curve: Markup


def view(individual: Individual) -> GenomeView:
    """Prepare a genome for a page."""
    steps, grids = snapshots(individual.cells)
    adapter = individual.adapter
    features = [(name, individual.features[name]) for name in FEATURES]
    return GenomeView(
        individual,
        steps,
        data_uri(grids),
        data_uri(slice_through_time(individual.cells)),
        [(name, value, bar(value, "plain")) for name, value in features],
        list(
            zip(
                ("method", "rank r", "alpha", "dropout", "modules"),
                configuration_cells(adapter.configuration),
                strict=True,
            )
        ),
        list(
            zip(
                ("temperature", "top-p", "top-k", "repetition penalty"),
                knobs_cells(adapter.knobs),
                strict=True,
            )
        ),
        gate(individual.selection),
        training_curve(adapter.losses),
    )


def gate(fate: SelectionRow) -> list[tuple[str, float, float, bool, Markup]]:
    """Return objective, score, threshold, whether it was reached, and a bar of the two."""
    return [
        (name, score, limit, name not in fate.failed, bar(score, "plain", limit))
        for name, score, limit in zip(
            OBJECTIVES, astuple(fate.objectives), astuple(fate.thresholds), strict=True
        )
    ]


_NAMES = {
    lake.VALIDATION_BASE: "The base model",
    lake.FINALS: "The best genomes, drawn again",
    lake.EVALUATIONS["base"]: "The base model, {problems}",
    lake.EVALUATIONS["best"]: "The best genome, {problems}",
}

# The page of the other model that was drawn for the same problems, and what it is called.
_BESIDE = {
    lake.EVALUATIONS["base"]: ("best", "Best genome on these problems"),
    lake.EVALUATIONS["best"]: ("base", "Base model on these problems"),
}


def part_page(part: str, individuals: Sequence[Individual], repairs: Sequence[Repair]) -> str:
    """Return the page of a part.

    Args:
        part: a generation, or another part of the lake that draws repairs.
        individuals: the generation's genomes; none for another part.
        repairs: all repairs of the part.
    """
    genomes = list(dict.fromkeys(repair.sample.genome for repair in repairs))
    problems = attempts(repairs)
    roles = {repair.scores["role"] for repair in repairs}
    held_out = roles == {"held_out"}
    name = _NAMES.get(part, f"Generation {part}")
    return render(
        "generation.html",
        part=part,
        name=name.format(problems="held out" if held_out else "all problems"),
        generation=bool(individuals),
        selected_on=part not in lake.EVALUATIONS.values(),
        again=part == lake.FINALS,
        held_out=held_out,
        warnings=with_training(roles),
        # Where the first page lies from here.
        root="" if part == lake.FINALS else "../",
        beside=_BESIDE.get(part),
        before=f"{int(part) - 1:03d}" if individuals and int(part) else None,
        views=[view(individual) for individual in individuals],
        nobody_passed=NOBODY_PASSED,
        objectives=OBJECTIVES,
        genomes=genomes,
        matrix=_matrix(genomes, [attempt.problem for attempt in problems], repairs),
        attempts=problems,
        shown=SHOWN,
        isolation=sorted({row["isolation"] for repair in repairs for row in repair.verdicts}),
    )


def _matrix(
    genomes: Sequence[str], problems: Sequence[str], repairs: Sequence[Repair]
) -> list[list[tuple[int, int]]]:
    """Return a row a genome and a cell a problem: samples that pass all cases, samples."""
    solved = {(genome, problem): (0, 0) for genome in genomes for problem in problems}
    for repair in repairs:
        key = (repair.sample.genome, repair.problem.name)
        passes, samples = solved[key]
        solved[key] = (passes + (repair.scores["bugfix"] == 1), samples + 1)
    return [[solved[genome, problem] for problem in problems] for genome in genomes]
