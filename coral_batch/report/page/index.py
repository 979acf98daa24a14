"""The first page: what ran, what came of it and where to look next.

Only its sections ``time`` and ``run`` differ between two runs of the same parameters.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import Any

from coral_batch import lake
from coral_batch.evidence.paired import Estimate
from coral_batch.evidence.summary import Evidence
from coral_batch.lake import find, params
from coral_batch.lake.stage import Tables
from coral_batch.records.example import Example
from coral_batch.records.genome import Genome
from coral_batch.records.problem import Role
from coral_batch.records.rows import AdapterCardRow, BestRow, SelectionRow, TimeRow
from coral_batch.records.settings import OBJECTIVES, Params
from coral_batch.report import claims
from coral_batch.report.metrics import Metrics
from coral_batch.report.page.charts import (
    Series,
    by_generation,
    descent_chart,
    held_out_chart,
    interval_bar,
    pareto,
)
from coral_batch.report.page.identity import identity
from coral_batch.report.page.render import render
from coral_batch.report.roles import with_training
from coral_batch.report.times import NOTES, total
from coral_batch.search.best import REFUSED, choose
from coral_batch.search.descent import line
from coral_batch.work.text import interval

_FLOORS = {"empty": "empty answer", "unchanged": "unchanged program"}
# Names of the measures of overlap between programs.
_MEASURES = {
    "similarity": "similarity",
    "ngrams": "n-grams of tokens",
    "trees": "subtrees of the syntax tree",
}
# What `evolution.select` maximises.
_SCORES = {
    "reading": "probability of the right first change",
    "repair": "share of bugs repaired",
    "fitness": "fitness",
}


def index_page(tables: Tables, settings: Params) -> str:
    """Return the first page."""
    metrics = tables.read_document("metrics", Metrics)
    evidence = tables.read_document("evidence", Evidence)
    linteval = tables.read_document("linteval_metrics", dict)
    times, roles = tables.read_rows("times", TimeRow), tables.read_rows("manifest", Role)
    names = settings.generations
    # A survivor is in several generations.
    genomes = [row for name in names for row in tables.read_rows("population", Genome, name)]
    fates = {name: tables.read_rows("selection", SelectionRow, name) for name in names}
    rows: dict[str, SelectionRow] = {}
    for row in (row for of_generation in fates.values() for row in of_generation):
        rows.setdefault(row.genome, row)
    worth = {name: row.worth for name, row in rows.items()}
    descent = [name for name, _ in line(genomes, worth, metrics.best.genome)]
    held_out = evidence.scores.get("held_out")
    cards = tables.read_rows("adapter_cards", AdapterCardRow, metrics.best.generation)
    key = tables.read_document("best", BestRow).key
    adapter = find(cards, lake.path("adapter_cards", metrics.best.generation), key=key)
    data = [lake.path("problems", source) for source in settings.corpus.sources]
    data += [lake.path(table) for table in ("manifest", "bugs", "examples")]
    return render(
        "index.html",
        metrics=metrics,
        evidence=evidence,
        linteval=linteval,
        seed=settings.seed,
        card=tables.read_document("card", dict),
        adapter=adapter,
        identity=identity(data, adapter.determinants["arithmetic"]),
        taught=any(row.lint for row in tables.read_rows("examples", Example)),
        params=params.FILE.read_text(encoding="utf-8"),
        refused=None if metrics.best.passed else REFUSED,
        objectives=OBJECTIVES,
        floors=[(_FLOORS[name], floor) for name, floor in metrics.floors.items()],
        sources=dict.fromkeys(row.source for row in roles),
        programs=Counter(row.role for row in roles),
        claims=claims,
        difference_bar=interval_bar,
        warnings=with_training(evidence.scores),
        held_out=held_out,
        held_out_chart=held_out
        and held_out_chart(held_out.pass_at_1.first, held_out.pass_at_1.second),
        descent=descent_chart(genomes, worth, descent, list(names)),
        score=_SCORES[settings.evolution.select],
        measures=_MEASURES,
        limits={
            "similarity": settings.split.near_duplicate,
            "ngrams": settings.split.ngrams,
            "trees": settings.split.trees,
        },
        mapped=evidence.search != "random",
        linteval_rows=_linted(linteval),
        linteval_outcomes=sorted({*linteval["base"]["outcomes"], *linteval["best"]["outcomes"]}),
        charts=_charts(metrics, fates),
        pareto=pareto(
            list(rows.values()),
            rows[metrics.best.genome],
            metrics.base.objectives,
            settings.objectives.weights,
        ),
        times=[*times, total("total", times)],
        time_notes=NOTES,
        determinants=json.dumps(adapter.determinants, indent=2, sort_keys=True),
    )


def _linted(metrics: Mapping[str, Any]) -> list[tuple[str, list[str], Any]]:
    """Return name, cells and a bar of the difference for each score of CodeLinterEval."""
    rows = []
    for kind in ("official", "strict"):
        for name, difference in metrics[kind].items():
            if difference is None:  # too few answers
                continue
            shares = [Estimate(**metrics[model][kind][name]) for model in ("base", "best")]
            gain = Estimate(**difference)
            cells = [*(interval(share) for share in shares), interval(gain, signed=True)]
            rows.append((f"{kind} {name}", cells, interval_bar(gain)))
    return rows


def _charts(metrics: Metrics, fates: Mapping[str, Sequence[SelectionRow]]) -> list[tuple[str, Any]]:
    """Return name and chart: the fitness, and each objective with its threshold."""
    names, base = list(fates), metrics.base
    measured = [metrics.generations[name] for name in names]
    of_best = [choose({name: rows}).row.objectives for name, rows in fates.items()]
    limits = [rows[0].thresholds for rows in fates.values()]
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
