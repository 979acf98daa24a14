"""The checks of what comes out of a run: the best genome, metrics, plots, times."""

from __future__ import annotations

from dataclasses import asdict

import polars as pl

from coral_batch import lake
from coral_batch.audit.evidence import UNKNOWN, Evidence
from coral_batch.audit.generations import compare_folders
from coral_batch.evidence.summary import spent, weigh
from coral_batch.evolution.best import best
from coral_batch.report.metrics import Evaluated, Metrics, measure
from coral_batch.report.plots import plots
from coral_batch.report.tables import Timed, measure_times
from coral_batch.rows import AdapterRow, BestRow, DurationRow, SampleRow, SelectionRow


def check_metrics(evidence: Evidence, _: str | None) -> None:
    """Compute the metrics again."""
    evidence.settle_document("metrics", lake.plain(asdict(_measured(evidence))))


def check_plots(evidence: Evidence, _: str | None) -> None:
    """Draw up the plots' data again."""
    baseline = lake.frame("scores", evidence.rows("scores", lake.BASELINE))
    expected = plots(_measured(evidence), _evaluated(evidence), baseline)
    evidence.settle_texts("plots", expected)


def check_best(evidence: Evidence, _: str | None) -> None:
    """Pick the best genome again."""
    selections = {
        name: evidence.built("selection", SelectionRow, name)
        for name in evidence.settings.generations
    }
    part, chosen = best(selections)
    (adapter,) = (
        row for row in evidence.built("adapters", AdapterRow, part) if row.genome == chosen.genome
    )
    cards = {row["key"]: row["files"] for row in evidence.rows("adapter_cards", part)}
    row = BestRow(
        part,
        chosen.genome,
        adapter.key,
        cards[adapter.key],
        adapter.configuration,
        adapter.knobs,
        chosen.fitness,
    )
    evidence.settle_document("best", lake.plain(asdict(row)))


def check_best_adapter(evidence: Evidence, _: str | None) -> None:
    """Hash the best adapter's files."""
    row = evidence.document("best")
    compare_folders(evidence, "best_adapter", None, {row["key"]: row["files"]})


def check_evidence(evidence: Evidence, _: str | None) -> None:
    """Weigh the best genome against the base model again."""
    settings = evidence.settings
    chosen = lake.build(BestRow, evidence.document("best"))
    scores = {
        part: lake.frame("scores", evidence.rows("scores", part))
        for part in (chosen.generation, lake.BASELINE, *lake.EVALUATIONS.values())
    }
    base, other = (scores[part] for part in lake.EVALUATIONS.values())
    selected = scores[chosen.generation].filter(pl.col("genome") == chosen.genome)
    expected = weigh(
        chosen,
        (scores[lake.BASELINE], selected),
        (base, other),
        lake.frame("overlaps", evidence.rows("overlaps")),
        spent(
            {name: evidence.built("adapters", AdapterRow, name) for name in settings.generations},
            {name: evidence.built("samples", SampleRow, name) for name in settings.generations},
        ),
        settings.search.kind,
        settings.seed,
    )
    evidence.settle_document("evidence", lake.plain(asdict(expected)))


def check_times(evidence: Evidence, _: str | None) -> None:
    """Add the times up again."""
    expected = []
    for part in (lake.BASELINE, *evidence.settings.generations):
        trained = part != lake.BASELINE
        timed = Timed(
            part,
            evidence.built("adapter_durations", DurationRow, part) if trained else [],
            evidence.built("sample_durations", DurationRow, part),
            lake.frame("case_times", evidence.rows("case_times", part)),
            evidence.built("samples", SampleRow, part),
        )
        expected.append(asdict(measure_times(timed)))
        tables = ("adapter_durations", "sample_durations", "case_times")
        if any(evidence.tainted(table, part, 1) for table in tables):
            expected[-1] = {**dict.fromkeys(expected[-1], UNKNOWN), "part": part}
    evidence.settle("times", None, expected)


def _measured(evidence: Evidence) -> Metrics:
    baseline = lake.frame("scores", evidence.rows("scores", lake.BASELINE))
    return measure(_evaluated(evidence), baseline, evidence.settings.objectives.weights)


def _evaluated(evidence: Evidence) -> list[Evaluated]:
    return [
        Evaluated(
            name,
            evidence.built("adapters", AdapterRow, name),
            evidence.built("selection", SelectionRow, name),
            lake.frame("scores", evidence.rows("scores", name)),
        )
        for name in evidence.settings.generations
    ]
