"""The checks of what comes out of a run: the best genome, metrics, plots, times."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict

import polars as pl

from coral_batch import lake
from coral_batch.audit.evidence import UNKNOWN, Evidence, Unusable
from coral_batch.audit.generations import compare_folders
from coral_batch.evidence.summary import Spending, spending, spent, weigh
from coral_batch.evolution.best import best
from coral_batch.report.metrics import Evaluated, Metrics, evaluate, measure
from coral_batch.report.plots import plots
from coral_batch.report.tables import Timed, measure_times
from coral_batch.rows import AdapterRow, BestRow, DurationRow, SampleRow, SelectionRow, TimeRow

# What grows with the samples of a generation, and its automata.
LARGE = (
    "automata",
    "samples",
    "verdicts",
    "case_times",
    "findings",
    "scored",
    "scores",
    "runtimes",
)


def check_metrics(evidence: Evidence, _: str | None) -> None:
    """Compute the metrics again."""
    evidence.settle_document("metrics", lake.plain(_measured(evidence)))


def check_plots(evidence: Evidence, _: str | None) -> None:
    """Draw up the plots' data again."""
    evaluated = [_evaluated(evidence, name) for name in evidence.settings.generations]
    expected = plots(_measured(evidence), evaluated, evidence.frame("scores", lake.BASELINE))
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
        chosen.passed,
    )
    evidence.settle_document("best", lake.plain(row))


def check_best_adapter(evidence: Evidence, _: str | None) -> None:
    """Hash the best adapter's files."""
    row = evidence.document("best")
    compare_folders(evidence, "best_adapter", None, {row["key"]: row["files"]})


def check_evidence(evidence: Evidence, _: str | None) -> None:
    """Weigh the best genome against the base model again."""
    settings = evidence.settings
    chosen = lake.build(BestRow, evidence.document("best"))
    base, other = (evidence.frame("scores", part) for part in lake.EVALUATIONS.values())
    selected = _fittest(evidence, chosen.generation).filter(pl.col("genome") == chosen.genome)
    expected = weigh(
        chosen,
        (evidence.frame("scores", lake.BASELINE), selected),
        (base, other),
        evidence.frame("overlaps"),
        spent([_spending(evidence, name) for name in settings.generations]),
        settings.search.kind,
        settings.seed,
    )
    evidence.settle_document("evidence", lake.plain(expected))


def check_times(evidence: Evidence, _: str | None) -> None:
    """Add the times up again."""
    expected = []
    for part in (lake.BASELINE, *evidence.settings.generations):
        expected.append(asdict(_timed(evidence, part)))
        tables = ("adapter_durations", "sample_durations", "case_times")
        if any(evidence.tainted(table, part, 1) for table in tables):
            expected[-1] = {**dict.fromkeys(expected[-1], UNKNOWN), "part": part}
    evidence.settle("times", None, expected)


def conclude(evidence: Evidence, part: str) -> None:
    """Take from a generation what the checks below need, and let go of what is large in it.

    So an audit holds one generation at a time.
    """
    for summary in (_evaluated, _fittest, _spending, _timed):
        with suppress(Unusable):
            summary(evidence, part)
    evidence.forget(LARGE, part)


def _measured(evidence: Evidence) -> Metrics:
    evaluated = [_evaluated(evidence, name) for name in evidence.settings.generations]
    baseline = evidence.frame("scores", lake.BASELINE)
    return measure(evaluated, baseline, evidence.settings.objectives.weights)


def _evaluated(evidence: Evidence, part: str) -> Evaluated:
    return evidence.once(
        "evaluated",
        part,
        lambda: evaluate(
            part,
            evidence.built("adapters", AdapterRow, part),
            evidence.built("selection", SelectionRow, part),
            evidence.frame("scores", part),
        ),
    )


def _fittest(evidence: Evidence, part: str) -> pl.DataFrame:
    """Return the scores of the generation's best genome."""
    selection = evidence.built("selection", SelectionRow, part)
    genome = best({part: selection})[1].genome
    return evidence.once(
        "fittest", part, lambda: evidence.frame("scores", part).filter(pl.col("genome") == genome)
    )


def _spending(evidence: Evidence, part: str) -> Spending:
    return evidence.once(
        "spending",
        part,
        lambda: spending(
            evidence.built("adapters", AdapterRow, part),
            evidence.built("samples", SampleRow, part),
        ),
    )


def _timed(evidence: Evidence, part: str) -> TimeRow:
    trained = part != lake.BASELINE
    return evidence.once(
        "timed",
        part,
        lambda: measure_times(
            Timed(
                part,
                evidence.built("adapter_durations", DurationRow, part) if trained else [],
                evidence.built("sample_durations", DurationRow, part),
                evidence.frame("case_times", part),
                evidence.built("samples", SampleRow, part),
            )
        ),
    )
