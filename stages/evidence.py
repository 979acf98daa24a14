"""Stage `evidence`: how sure it is that the best genome beats the base model, and the cost."""

import polars as pl

from coral_batch import lake
from coral_batch.evidence.reliability import of_selection
from coral_batch.evidence.summary import compare_with_base, spending, spent
from coral_batch.lake.stage import Outputs, Tables, run
from coral_batch.records.bug import Bug
from coral_batch.records.rows import BASE, AdapterRow, BestRow, FirstChangeRow, SampleRow
from coral_batch.records.settings import Params

TABLES = ("evidence",)


def make(tables: Tables, settings: Params, _: None) -> Outputs:
    best = tables.document("best", BestRow)
    selected = tables.frame("scores", best.generation).filter(pl.col("genome") == best.genome)
    base, other = (tables.frame("scores", part) for part in lake.EVALUATIONS.values())
    of_base, of_best = (
        tables.rows("first_changes", FirstChangeRow, part) for part in lake.EVALUATIONS.values()
    )
    budgets = [
        spending(tables.rows("adapters", AdapterRow, name), tables.rows("samples", SampleRow, name))
        for name in settings.generations
    ]
    reliability = of_selection(
        (tables.frame("scores", name) for name in settings.generations),
        (
            row
            for name in settings.generations
            for row in tables.rows("first_changes", FirstChangeRow, name)
        ),
    )
    document = compare_with_base(
        best,
        (tables.frame("scores", lake.BASELINE).filter(pl.col("genome") == BASE), selected),
        (base, other),
        (of_base, of_best),
        tables.rows("bugs", Bug),
        tables.frame("overlaps"),
        spent(
            budgets,
            tables.rows("samples", SampleRow, lake.FINALS),
            tables.rows("adapters", AdapterRow, lake.EVALUATIONS["best"]),
        ),
        reliability,
        settings.search.kind,
        settings.seed,
    )
    return {"evidence": document}


def evidence() -> None:
    """Compare the best genome with the base model, with intervals."""
    run(make)
