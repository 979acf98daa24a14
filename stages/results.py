"""Stage `results`: scores and durations of the run, as tables, plots and text."""

import polars as pl

from coral_batch import lake
from coral_batch.lake.stage import Outputs, Params, Tables, run
from coral_batch.records.rows import BASE, AdapterRow, BestRow, SelectionRow
from coral_batch.report.metrics import Evaluated, measure, passes
from coral_batch.report.outcome import outcome, plots
from coral_batch.report.times import run_times, times_text

TABLES = ("metrics", "plots", "times")


def make(tables: Tables, settings: Params, _: None) -> Outputs:
    generations = [_evaluated(tables, name) for name in settings.generations]
    scores = tables.read_frame("scores", lake.VALIDATION_BASE)
    of_base = scores.filter(pl.col("genome") == BASE)
    floors = scores.filter(pl.col("genome") != BASE)
    best = tables.read_document("best", BestRow)
    of_best = tables.read_frame("scores", best.generation).filter(pl.col("genome") == best.genome)
    solved = passes(of_best)
    weights = settings.objectives.weights
    metrics = measure(generations, best, solved, of_base, floors, weights)
    return {
        "plots": plots(metrics, generations),
        "metrics": metrics,
        "times": run_times(tables, settings),
    }


def _evaluated(tables: Tables, name: str) -> Evaluated:
    return Evaluated(
        name,
        tables.read_rows("adapters", AdapterRow, name),
        tables.read_rows("selection", SelectionRow, name),
        passes(tables.read_frame("scores", name)),
    )


def results() -> None:
    """Compare the generations with the base model."""
    written = run(make)
    print(outcome(written["metrics"]), times_text(written["times"]), sep="\n\n")
