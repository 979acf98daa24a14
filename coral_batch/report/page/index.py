"""The first page: what ran, what came of it and where to look next.

Only its sections ``time`` and ``run`` differ between two runs of the same parameters.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

from markupsafe import Markup

from coral_batch.evidence.paired import Estimate
from coral_batch.evidence.summary import Evidence
from coral_batch.records.genome import Genome
from coral_batch.records.problem import Role
from coral_batch.records.rows import AdapterCardRow, SelectionRow, TimeRow
from coral_batch.records.settings import Scores
from coral_batch.report.claims import (
    TITLES,
    conclusion,
    count,
    interval,
    paired_cells,
    reliability,
    slices,
)
from coral_batch.report.metrics import OBJECTIVES, Metrics
from coral_batch.report.page.charts import (
    Series,
    by_generation,
    descent_chart,
    front,
    held_out_chart,
    interval_bar,
    pareto,
)
from coral_batch.report.page.render import render
from coral_batch.report.roles import with_training
from coral_batch.report.times import NOTES, total
from coral_batch.search.best import REFUSED, choose
from coral_batch.search.descent import line
from coral_batch.search.kinds import SEARCHES

_FLOORS = {"empty": "empty answer", "unchanged": "unchanged program"}
# Names of the measures of overlap between programs.
_MEASURES = {
    "similarity": "similarity",
    "ngrams": "n-grams of tokens",
    "trees": "subtrees of the syntax tree",
}
# What `evolution.select` maximises.
_SCORES = {
    "reading": "probability that the first change is right",
    "repair": "share of bugs repaired",
    "fitness": "fitness",
}


@dataclass(frozen=True)
class Run:
    """The data of the first page.

    Attributes:
        metrics: the metrics of the run.
        evidence: the best genome against the base model.
        linteval: the metrics of CodeLinterEval.
        genomes: of all generations; a survivor is in several.
        fates: generation -> its table `selection`.
        roles: of all problems.
        seed: of the run.
        select: what selection maximises, `evolution.select`.
        weights: of the fitness.
        times: of each part of the run.
        card: of the base checkpoint.
        adapter: the card of the best genome's adapter.
        identity: code, data, machine and versions.
        taught: the training examples include lint errors.
        params: text of params.yaml.
    """

    metrics: Metrics
    evidence: Evidence
    linteval: Mapping[str, Any]
    genomes: Sequence[Genome]
    fates: Mapping[str, Sequence[SelectionRow]]
    roles: Iterable[Role]
    seed: int
    select: str
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
    # A survivor is in several generations.
    rows = {row.genome: row for fates in run.fates.values() for row in fates}
    worth = {name: row.worth for name, row in rows.items()}
    descent = [name for name, _ in line(run.genomes, worth, metrics.best.genome)]
    held_out = evidence.scores.get("held_out")
    linted = sorted({*run.linteval["base"]["outcomes"], *run.linteval["best"]["outcomes"]})
    shown = {
        "refused": None if metrics.best.passed else REFUSED,
        "objectives": OBJECTIVES,
        "generations": metrics.generations,
        "floors": [(_FLOORS[name], floor) for name, floor in metrics.floors.items()],
        "sources": dict.fromkeys(row.source for row in run.roles),
        "programs": Counter(row.role for row in run.roles),
        "titles": TITLES,
        "cells": paired_cells,
        "count": count,
        "conclusion": conclusion,
        "difference_bar": _bar,
        "slices": slices(evidence),
        "warnings": with_training(evidence.scores),
        "held_out": held_out,
        "held_out_chart": held_out
        and held_out_chart(held_out.pass_at_1.first, held_out.pass_at_1.second),
        "descent": descent_chart(run.genomes, worth, descent, list(run.fates)),
        "score": _SCORES[run.select],
        "measures": _MEASURES,
        "reliability": reliability(evidence),
        "budget": evidence.budget,
        "mapped": SEARCHES[evidence.search].AUTOMATA_DECIDE,
        "linteval_rows": _linted(run.linteval),
        "linteval_outcomes": linted,
        "charts": _charts(run),
        "pareto": pareto(
            list(rows.values()),
            front(list(rows.values())),
            rows[metrics.best.genome],
            metrics.base.objectives,
            run.weights,
        ),
        "times": [*run.times, total("total", run.times)],
        "time_notes": NOTES,
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
            if difference is None:  # too few answers
                continue
            shares = [_estimate(metrics[model][kind][name]) for model in ("base", "best")]
            gain = _estimate(difference)
            cells = [*map(interval, shares), interval(gain, signed=True)]
            rows.append((f"{kind} {name}", cells, _bar(gain)))
    return rows


def _estimate(found: Mapping[str, float]) -> Estimate:
    return Estimate(*(found[key] for key in ("mean", "low", "high")))


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
