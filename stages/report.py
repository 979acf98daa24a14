"""Stage `report`: what the run achieved and took, as tables, plots and on the terminal."""

import polars as pl

from coral_batch import lake
from coral_batch.lake.stage import Outputs, Tables, run
from coral_batch.records.rows import BASE, AdapterRow, BestRow, DurationRow, SampleRow, SelectionRow
from coral_batch.records.settings import Params
from coral_batch.report.metrics import Evaluated, evaluate, measure, passes
from coral_batch.report.plots import plots
from coral_batch.report.tables import Timed, measure_times, results, times

TABLES = ("metrics", "plots", "times")


def make(tables: Tables, settings: Params, _: None) -> Outputs:
    generations = [_evaluated(tables, name) for name in settings.generations]
    scores = tables.frame("scores", lake.BASELINE)
    baseline = scores.filter(pl.col("genome") == BASE)
    floors = scores.filter(pl.col("genome") != BASE)
    best = tables.document("best", BestRow)
    of_best = tables.frame("scores", best.generation).filter(pl.col("genome") == best.genome)
    solved = passes(of_best)
    weights = settings.objectives.weights
    metrics = measure(generations, best, solved, baseline, floors, weights)
    return {
        "plots": plots(metrics, generations, solved, baseline),
        "metrics": metrics,
        "times": [
            measure_times(_timed(tables, part)) for part in (lake.BASELINE, *settings.generations)
        ],
    }


def _evaluated(tables: Tables, name: str) -> Evaluated:
    return evaluate(
        name,
        tables.rows("adapters", AdapterRow, name),
        tables.rows("selection", SelectionRow, name),
        tables.frame("scores", name),
    )


def _timed(tables: Tables, part: str) -> Timed:
    trained = part != lake.BASELINE
    return Timed(
        part,
        tables.rows("adapter_durations", DurationRow, part) if trained else [],
        tables.rows("sample_durations", DurationRow, part),
        tables.frame("case_times", part),
        tables.rows("samples", SampleRow, part),
    )


def report() -> None:
    """Compare the generations with the base model."""
    written = run(make)
    print(results(written["metrics"]), times(written["times"]), sep="\n\n")
