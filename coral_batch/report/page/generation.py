"""The page of a part: a generation, the base model or an evaluation.

Two runs of the same parameters give the same bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

from coral_batch import lake
from coral_batch.records.settings import OBJECTIVES
from coral_batch.report.page.charts import bar, training_curve
from coral_batch.report.page.image import data_uri, slice_through_time, snapshots
from coral_batch.report.page.render import render
from coral_batch.report.page.repairs import MOST_REPAIRS, attempts
from coral_batch.report.roles import with_training
from coral_batch.report.views import Individual, Repair, configuration_cells, knobs_cells
from coral_batch.search.automata.features import FEATURES
from coral_batch.search.best import NOBODY_PASSED

# Names of what `configuration_cells` and `knobs_cells` return.
_CONFIGURATION = ("method", "rank r", "alpha", "dropout", "modules")
_KNOBS = ("temperature", "top-p", "top-k", "repetition penalty")


def view(individual: Individual) -> dict[str, Any]:
    """Return what the page shows of a genome; images are data URIs.

    Of the gate: objective, score, threshold, whether the score reaches it, and a bar of both.
    """
    steps, grids = snapshots(individual.cells)
    adapter, fate = individual.adapter, individual.selection
    cells = (*configuration_cells(adapter.configuration), *knobs_cells(adapter.knobs))
    features = ((name, individual.features[name]) for name in FEATURES)
    return {
        "individual": individual,
        "steps": steps,
        "picture": data_uri(grids),
        "slice": data_uri(slice_through_time(individual.cells)),
        "features": [(name, value, bar(value)) for name, value in features],
        "configuration": list(zip((*_CONFIGURATION, *_KNOBS), cells, strict=True)),
        "gate": [
            (name, score, limit, name not in fate.failed, bar(score, limit))
            for name, score, limit in zip(
                OBJECTIVES, astuple(fate.objectives), astuple(fate.thresholds), strict=True
            )
        ],
        "curve": training_curve(adapter.losses),
    }


_NAMES = {
    lake.VALIDATION_BASE: "Base model on the selection problems",
    lake.EVALUATIONS["base"]: "Base model on {problems}",
    lake.EVALUATIONS["best"]: "Best genome {genome} on {problems}",
}

# Evaluation -> the page of the other model on the same problems, and its name.
_OTHER = {
    lake.EVALUATIONS["base"]: ("best", "Best genome on these problems"),
    lake.EVALUATIONS["best"]: ("base", "Base model on these problems"),
}


def part_page(part: str, individuals: Sequence[Individual], repairs: Sequence[Repair]) -> str:
    """Return the page of a part.

    Args:
        part: a generation, the base model or an evaluation.
        individuals: the genomes of a generation; else empty.
        repairs: of the part.
    """
    genomes = list(dict.fromkeys(repair.sample.genome for repair in repairs))
    problems = attempts(repairs)
    roles = {repair.scores["role"] for repair in repairs}
    where = "the held-out bugs" if roles == {"held_out"} else "all problems"
    outcomes = {
        one for attempt in problems for item in attempt["repairs"] for one in item["outcome"]
    }
    return render(
        "generation.html",
        part=part,
        name=_NAMES.get(part, f"Generation {part}").format(problems=where, genome=genomes[0]),
        selected_on=part not in lake.EVALUATIONS.values(),
        warnings=with_training(roles),
        other=_OTHER.get(part),
        before=f"{int(part) - 1:03d}" if individuals and int(part) else None,
        views=[view(individual) for individual in individuals],
        nobody_passed=NOBODY_PASSED,
        objectives=OBJECTIVES,
        genomes=genomes,
        matrix=_matrix(genomes, [attempt["problem"] for attempt in problems], repairs),
        attempts=problems,
        outcomes=sorted(outcomes, key=lambda name: (name.isupper(), name)),
        kinds=sorted({attempt["kind"] for attempt in problems}),
        shown=MOST_REPAIRS,
        isolation=sorted({row["isolation"] for repair in repairs for row in repair.verdicts}),
    )


def _matrix(
    genomes: Sequence[str], problems: Sequence[str], repairs: Sequence[Repair]
) -> list[list[tuple[int, int]]]:
    """Return a row per genome, a cell per problem: samples that pass all cases, samples."""
    drawn = Counter((one.sample.genome, one.problem.name) for one in repairs)
    solved = Counter(
        (one.sample.genome, one.problem.name) for one in repairs if one.scores["bugfix"] == 1
    )
    return [
        [(solved[genome, name], drawn[genome, name]) for name in problems] for genome in genomes
    ]
