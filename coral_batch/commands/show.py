"""`coral show`: why a genome survived or not, as plain text.

This module has the overview of a generation; all other views are in `coral_batch.report.views`. Of
an answer only the extracted code is shown; samples.jsonl has the raw text.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from coral_batch import lake
from coral_batch.errors import CoralError, check_known
from coral_batch.lake import find, params
from coral_batch.records.configuration import Knobs
from coral_batch.records.genome import Genome
from coral_batch.records.problem import Bug
from coral_batch.records.rows import (
    FLOORS,
    AdapterRow,
    BestRow,
    SelectionRow,
    SubjectRow,
)
from coral_batch.records.settings import OBJECTIVES
from coral_batch.report.reading import read_individuals, read_repairs
from coral_batch.report.views import (
    Repair,
    adapter_text,
    bugs_text,
    configuration_cells,
    individual_text,
    knobs_cells,
    knobs_text,
    overview_text,
    repairs_text,
)
from coral_batch.search.best import NOBODY_PASSED
from coral_batch.search.descent import line
from coral_batch.work.text import decimal, table
from stages.arguments import known

BUGS = "bugs"
"""Given instead of a generation, shows the injected bugs."""

_FLOORS = {
    "empty": "An empty answer to each problem (no model)",
    "unchanged": "Each program unchanged (no model)",
}


def show(
    generation: Annotated[
        str,
        typer.Argument(
            help="The generation, e.g. 000; "
            + ", ".join(f"`{part}`" for part in lake.PARTS)
            + f"; or `{BUGS}` for the injected bugs.",
            callback=lambda value: known(value, *lake.PARTS, BUGS),
        ),
    ],
    genome: Annotated[
        str | None,
        typer.Argument(
            help="A genome's id, e.g. 001-01, or with `bugs` a problem; without it, the overview."
        ),
    ] = None,
    problem: Annotated[
        str | None, typer.Option(help="Show only the repairs of this problem.")
    ] = None,
) -> None:
    """Show a generation, one of its genomes, or the injected bugs."""
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    if generation == BUGS:
        if genome is not None and problem is not None:
            raise CoralError(
                "bugs are shown for one problem at a time",
                found=f"{genome} and {problem}",
                action=f"name one: `coral show {BUGS} {genome}`",
            )
        print(bugs_view(genome or problem, colour))
    elif generation in lake.PARTS:
        print(model_view(generation, genome, problem, colour))
    elif genome is None:
        if problem is not None:
            raise CoralError(
                "--problem needs a genome",
                field="--problem",
                found=problem,
                action=f"add a genome: `coral show {generation} GENOME --problem NAME`",
            )
        print(generation_view(generation))
    else:
        print(genome_view(generation, genome, problem, colour))


def bugs_view(problem: str | None, colour: bool) -> str:
    """Return the overview of the injected bugs, or those of one problem.

    Raises:
        CoralError: the problem has none.
    """
    bugs = lake.read_rows("bugs", Bug)
    if problem is None:
        return overview_text(bugs)
    programs = [bug.problem for bug in bugs]
    check_known("no injected bugs in this problem", problem, programs, file=lake.path("bugs"))
    return bugs_text([bug for bug in bugs if bug.problem == problem], colour)


def generation_view(part: str) -> str:
    """Return the overview of a generation: its genomes, their adapters and their fates."""
    population = lake.read_rows("population", Genome, part)
    adapters = lake.read_rows("adapters", AdapterRow, part)
    selection = lake.read_rows("selection", SelectionRow, part)
    genomes = table(
        ("genome", "parents", "operator", "rule", "grid seed", "density"),
        [
            (
                row.id,
                " ".join(row.parents) or "-",
                row.operator,
                row.rule,
                str(row.grid_seed),
                f"{row.density:.4f}",
            )
            for row in population
        ],
        left={"genome", "parents", "operator", "rule"},
    )
    configurations = table(
        (
            *("genome", "adapter", "method", "r", "alpha", "dropout", "modules"),
            *("T", "top-p", "top-k", "penalty"),
        ),
        [
            (
                row.genome,
                row.key[:8],
                *configuration_cells(row.configuration),
                *knobs_cells(row.knobs),
            )
            for row in adapters
        ],
        left={"genome", "adapter", "method", "modules"},
    )
    return "\n\n".join((f"Generation {part}", genomes, configurations, _fates(selection)))


def genome_view(part: str, genome: str, problem: str | None, colour: bool) -> str:
    """Return the view of a genome in a generation.

    Raises:
        CoralError: the generation has no such genome, or the genome no such problem.
    """
    individuals = {individual.genome.id: individual for individual in read_individuals(lake, part)}
    check_known("no such genome", genome, individuals, file=lake.path("population", part))
    return (
        f"Genome {genome} in generation {part}\n\n"
        + _descent(part, genome)
        + individual_text(individuals[genome])
        + "\n\n"
        + repairs_text(_repairs(part, genome, problem), colour)
    )


def _descent(part: str, genome: str) -> str:
    """Return a genome's line of descent with the value that selection used; empty without one."""
    names = [name for name in params.load().generations if name <= part]
    genomes = [row for name in names for row in lake.read_rows("population", Genome, name)]
    worth = {
        row.genome: row.worth
        for name in names
        for row in lake.read_rows("selection", SelectionRow, name)
    }
    steps = line(genomes, worth, genome)
    if len(steps) == 1:
        return ""
    return "descent   " + ", ".join(f"{name} {decimal(value, 3)}" for name, value in steps) + "\n"


def model_view(part: str, genome: str | None, problem: str | None, colour: bool) -> str:
    """Return the repairs of a model of a part: the base model or the best genome.

    `validation/base` also has `FLOORS`, answers without a model.

    Raises:
        CoralError: the part has no such genome, or the genome no such problem.
    """
    subjects = [row.genome for row in lake.read_rows("subjects", SubjectRow, part)]
    known = [*subjects, *(FLOORS if part == lake.VALIDATION_BASE else ())]
    shown = subjects[0] if genome is None else genome
    check_known("no such genome", shown, known, file=lake.path("subjects", part))
    repairs = _repairs(part, shown, problem)
    about = _about(part, shown, repairs[0].sample.knobs)
    return f"{about}\n\n" + repairs_text(repairs, colour)


def _about(part: str, genome: str, knobs: Knobs) -> str:
    """Describe a subject of a part."""
    if genome in FLOORS:
        return _FLOORS[genome]
    if part == lake.EVALUATIONS["best"]:
        best = lake.read_document("best", BestRow)
        adapters = lake.read_rows("adapters", AdapterRow, best.generation)
        adapter = find(adapters, lake.path("adapters", best.generation), genome=genome)
        return f"The best genome, {genome}\n\n{adapter_text(adapter)}"
    return f"The base model without an adapter\n\nknobs     {knobs_text(knobs)}"


def _fates(selection: Sequence[SelectionRow]) -> str:
    read = selection[0].by_reading
    measured = ("read" if read else "fixed", "fitness", *OBJECTIVES)
    header = ("genome", *measured, "gate", "rank", "alive", "children")
    thresholds = selection[0].thresholds
    limits = [f"{decimal(getattr(thresholds, objective), 3)} " for objective in OBJECTIVES]
    rows: list[Sequence[str]] = [("threshold", "", "", *limits, "", "", "", "")]
    for row in selection:
        marked = [
            decimal(getattr(row.objectives, objective), 3)
            + ("!" if objective in row.failed else " ")
            for objective in OBJECTIVES
        ]
        rows.append(
            (
                row.genome,
                decimal(100 * (row.worth if read else row.repaired), 1),
                decimal(row.fitness, 3),
                *marked,
                "passed" if row.passed else "failed",
                "-" if row.rank is None else str(row.rank),
                "yes" if row.survived else "no",
                str(len(row.children)),
            )
        )
    text = table(header, rows, left={"genome", "gate", "alive"})
    what = "read: P(right first change), mean" if read else "fixed: answers that pass all cases"
    text += f"\n{what}, in percent; alive: survived"
    if any(row.failed for row in selection):
        text += "; !: below the threshold"
    if selection[0].nobody_passed:
        text += f"\n{NOBODY_PASSED}"
    return text


def _repairs(part: str, genome: str, problem: str | None) -> list[Repair]:
    repairs = read_repairs(lake, params.load(), part, genome)
    if problem is None:
        return repairs
    names = [repair.problem.name for repair in repairs]
    file = lake.path("samples", part)
    check_known("no repairs of this problem", problem, names, file=file, field="--problem")
    return [repair for repair in repairs if repair.problem.name == problem]
