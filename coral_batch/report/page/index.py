"""The first page: the run at a glance. Its size hardly grows with the run.

What it shows of every genome is a point or a mark; genomes and repairs in full are on the pages of
the generations. It tells times, commit and machine, so it differs from run to run; sections other
than ``time`` and ``run`` do not.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

from markupsafe import Markup

from coral_batch.evidence.paired import Estimate
from coral_batch.evidence.summary import Evidence
from coral_batch.records.rows import AdapterCardRow, SelectionRow, TimeRow
from coral_batch.records.settings import Scores
from coral_batch.report.claims import (
    LOCATED,
    MEASURED,
    TITLES,
    conclusion,
    drawn_text,
    interval,
    paired_cells,
    slices,
)
from coral_batch.report.metrics import OBJECTIVES, Metrics
from coral_batch.report.page.charts import (
    Series,
    by_generation,
    front,
    interval_bar,
    pair,
    pareto,
    time_chart,
)
from coral_batch.report.page.generation import view
from coral_batch.report.page.lineage import LineageEntry, genealogy
from coral_batch.report.page.render import render
from coral_batch.report.page.repairs import attempts
from coral_batch.report.roles import with_training
from coral_batch.report.times import total
from coral_batch.report.views import Individual, Repair, knobs_text
from coral_batch.search.best import REFUSED, choose
from coral_batch.search.descent import line
from coral_batch.search.kinds import SEARCHES

_ENDS = ("mean", "low", "high")
# Names of the measures of overlap between programs.
_FLOORS = {"empty": "Empty answer", "unchanged": "The program as it was"}
_MEASURES = {
    "similarity": "similarity as a whole",
    "ngrams": "n-grams of tokens",
    "trees": "subtrees of the syntax",
}
# Members of the Pareto front listed by name.
_LISTED = 20


@dataclass(frozen=True)
class Run:
    """What the first page tells of.

    Attributes:
        metrics: what was achieved.
        evidence: how sure that is.
        linteval: the metrics of CodeLinterEval.
        lineage: the populations, in order.
        fates: generation -> the fate of each genome.
        best: the best genome and what became of it.
        repairs: its repairs, and those of the base model.
        origins: where the problems of all sources come from.
        weights: of the fitness.
        times: where the time went.
        card: of the base checkpoint.
        adapter: the card of the adapter that `coral export` writes.
        identity: code, data, machine and versions.
        taught: training shows CodeLinterEval's task.
        params: params.yaml as it stands.
    """

    metrics: Metrics
    evidence: Evidence
    linteval: Mapping[str, Any]
    lineage: Sequence[LineageEntry]
    fates: Mapping[str, Sequence[SelectionRow]]
    best: Individual
    repairs: tuple[Sequence[Repair], Sequence[Repair]]
    origins: Sequence[str]
    weights: Scores
    times: Sequence[TimeRow]
    card: Mapping[str, Any]
    adapter: AdapterCardRow
    identity: Mapping[str, Any]
    taught: bool
    params: str


def index_page(run: Run) -> str:
    """Return the first page."""
    metrics, evidence = run.metrics, run.evidence
    # A survivor stands in several generations and is one genome.
    rows = list({row.genome: row for fates in run.fates.values() for row in fates}.values())
    members = front(rows)
    held_out = evidence.scores.get("held_out")
    lint_change = run.linteval["official"]["pass@1"]
    of_best, of_base = (attempts(repairs) for repairs in run.repairs)
    drawn, undrawn = genealogy(run.lineage, metrics.best.genome)
    shown = {
        "refused": None if metrics.best.passed else REFUSED,
        "objectives": OBJECTIVES,
        "generations": metrics.generations,
        "floors": [(_FLOORS[name], floor) for name, floor in metrics.floors.items()],
        "titles": TITLES,
        "cells": paired_cells,
        "drawn_text": drawn_text,
        "conclusion": conclusion,
        "difference_bar": _bar,
        "slices": slices(evidence),
        "located": LOCATED,
        "warnings": with_training(evidence.scores),
        "held_out": held_out,
        "lead": held_out and paired_cells(held_out.pass_at_1),
        "measures": _MEASURES,
        "measured": MEASURED,
        "budget": evidence.budget,
        "mapped": SEARCHES[evidence.search].AUTOMATA_DECIDE,
        "linteval_rows": _linted(run.linteval),
        "price": lint_change is not None and lint_change["mean"] < 0,
        "linteval_outcomes": sorted(
            {*run.linteval["base"]["outcomes"], *run.linteval["best"]["outcomes"]}
        ),
        "charts": _charts(run),
        "problems": [
            (mine, theirs, pair(theirs.solved / theirs.samples, mine.solved / mine.samples))
            for mine, theirs in zip(of_best, of_base, strict=True)
        ],
        "genomes": len(rows),
        "front": members[:_LISTED],
        "front_size": len(members),
        "pareto": pareto(rows, members, run.best.selection, metrics.base.objectives, run.weights),
        "descent": line(
            (genome for part in run.lineage for genome in part.genomes),
            {name: worth for part in run.lineage for name, worth in part.worth.items()},
            metrics.best.genome,
        ),
        "genealogy": drawn,
        "undrawn": undrawn,
        "best": view(run.best),
        "base_knobs": knobs_text(run.repairs[1][0].sample.knobs),
        "time_chart": time_chart(run.times),
        "times": [*run.times, total("total", run.times)],
        "isolation": sorted(
            {row["isolation"] for part in run.repairs for repair in part for row in repair.verdicts}
        ),
        "determinants": json.dumps(run.adapter.determinants, indent=2, sort_keys=True),
    }
    return render("index.html", **vars(run) | shown)


def _bar(difference: Estimate) -> Markup:
    return interval_bar(*astuple(difference))


def _linted(metrics: Mapping[str, Any]) -> list[tuple[str, list[str], Any]]:
    """Return name, cells and a bar of the difference for each score of CodeLinterEval."""
    rows = []
    for kind in ("official", "strict"):
        for name, difference in metrics[kind].items():
            models = [metrics[model][kind][name] for model in ("base", "best")]
            cells = [_interval(found) for found in models] + [_interval(difference, signed=True)]
            shown = difference and interval_bar(*(difference[key] for key in _ENDS))
            rows.append((f"{kind} {name}", cells, shown or ""))
    return rows


def _interval(found: Mapping[str, float] | None, signed: bool = False) -> str:
    return interval(Estimate(*(found[key] for key in _ENDS)), signed) if found else "-"


def _charts(run: Run) -> list[tuple[str, Any]]:
    """Return name and chart: the fitness, and each objective with its threshold."""
    names = list(run.fates)
    measured = [run.metrics.generations[name] for name in names]
    base = run.metrics.base
    of_best = [choose({name: fates}).row.objectives for name, fates in run.fates.items()]
    limits = [fates[0].thresholds for fates in run.fates.values()]
    series = {
        "Fitness": [
            Series("base model", "base", [base.fitness] * len(names)),
            Series("mean of the genomes", "mean", [row.mean_fitness for row in measured]),
            Series("best genome", "best", [row.best_fitness for row in measured]),
        ]
    }
    for column, name in enumerate(OBJECTIVES):
        series[name.capitalize()] = [
            Series("threshold", "limit", [astuple(row)[column] for row in limits]),
            Series("base model", "base", [astuple(base.objectives)[column]] * len(names)),
            Series("mean", "mean", [astuple(row.objectives)[column] for row in measured]),
            Series("best genome", "best", [astuple(row)[column] for row in of_best]),
        ]
    return [(title, by_generation(title, lines, names)) for title, lines in series.items()]
