"""Stage `evidence`: how sure it is that the best genome beats the base model, and the cost."""

import polars as pl

from coral_batch import lake
from coral_batch.evidence.reliability import of_selection
from coral_batch.evidence.summary import compare_with_base, spent
from coral_batch.lake.stage import Outputs, Tables, run
from coral_batch.records.problem import Bug
from coral_batch.records.rows import BASE, AdapterRow, BestRow, FirstChangeRow, SampleRow
from coral_batch.records.settings import Params

TABLES = ("evidence",)


def make(tables: Tables, settings: Params, _: None) -> Outputs:
    best = tables.read_document("best", BestRow)
    selected = tables.read_frame("scores", best.generation).filter(pl.col("genome") == best.genome)
    base, other = (tables.read_frame("scores", part) for part in lake.EVALUATIONS.values())
    of_base, of_best = (
        tables.read_rows("first_changes", FirstChangeRow, part)
        for part in lake.EVALUATIONS.values()
    )
    drawn = (
        (
            tables.read_rows("adapters", AdapterRow, name),
            tables.read_rows("samples", SampleRow, name),
        )
        for name in settings.generations
    )
    reliability = of_selection(
        (tables.read_frame("scores", name) for name in settings.generations),
        (
            row
            for name in settings.generations
            for row in tables.read_rows("first_changes", FirstChangeRow, name)
        ),
    )
    document = compare_with_base(
        best,
        (
            tables.read_frame("scores", lake.VALIDATION_BASE).filter(pl.col("genome") == BASE),
            selected,
        ),
        (base, other),
        (of_base, of_best),
        tables.read_rows("bugs", Bug),
        tables.read_frame("overlaps"),
        spent(drawn),
        reliability,
        settings.search.kind,
        settings.seed,
    )
    return {"evidence": document}


def evidence() -> None:
    """Compare the best genome with the base model, with intervals."""
    run(make)
