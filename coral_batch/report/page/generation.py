"""The page of one generation, or of the base model: every genome, every distinct repair.

It holds no time and nothing of the machine: two runs from scratch give the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

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

# What `configuration_cells` and `knobs_cells` give.
_CONFIGURATION = ("method", "rank r", "alpha", "dropout", "modules")
_KNOBS = ("temperature", "top-p", "top-k", "repetition penalty")


def view(individual: Individual) -> dict[str, Any]:
    """Return what the pages show of a genome; pictures are data URIs."""
    steps, grids = snapshots(individual.cells)
    adapter = individual.adapter
    cells = (*configuration_cells(adapter.configuration), *knobs_cells(adapter.knobs))
    features = [(name, individual.features[name]) for name in FEATURES]
    return {
        "individual": individual,
        "steps": steps,
        "picture": data_uri(grids),
        "slice": data_uri(slice_through_time(individual.cells)),
        "features": [(name, value, bar(value, "plain")) for name, value in features],
        "configuration": list(zip((*_CONFIGURATION, *_KNOBS), cells, strict=True)),
        "gate": gate(individual.selection),
        "curve": training_curve(adapter.losses),
    }


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
        held_out=held_out,
        warnings=with_training(roles),
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
