"""Stage `evidence`: how sure it is that the best genome beats the base model, and the cost."""

from itertools import chain

import polars as pl

from coral_batch import lake
from coral_batch.evidence.reliability import of_selection
from coral_batch.evidence.summary import compare_with_base, spent
from coral_batch.lake.stage import Outputs, Params, Tables, run
from coral_batch.records.problem import Bug
from coral_batch.records.rows import BASE, AdapterRow, BestRow, FirstChangeRow, SampleRow

TABLES = ("evidence",)


def make(tables: Tables, settings: Params, _: None) -> Outputs:
    def scores(part: str) -> pl.DataFrame:
        return tables.read_frame("scores", part)

    def looks(part: str) -> list[FirstChangeRow]:
        return tables.read_rows("first_changes", FirstChangeRow, part)

    best = tables.read_document("best", BestRow)
    of_best = scores(best.generation).filter(pl.col("genome") == best.genome)
    of_base = scores(lake.VALIDATION_BASE).filter(pl.col("genome") == BASE)
    base, other = lake.EVALUATIONS.values()
    generations = settings.generations
    adapters = (tables.read_rows("adapters", AdapterRow, name) for name in generations)
    samples = (tables.read_rows("samples", SampleRow, name) for name in generations)
    document = compare_with_base(
        best,
        (of_base, of_best),
        (scores(base), scores(other)),
        (looks(base), looks(other)),
        tables.read_rows("bugs", Bug),
        tables.read_frame("overlaps"),
        spent(zip(adapters, samples, strict=True)),
        of_selection(map(scores, generations), chain.from_iterable(map(looks, generations))),
        settings.search.kind,
        settings.seed,
    )
    return {"evidence": document}


def evidence() -> None:
    """Compare the best genome with the base model, with intervals."""
    run(make)
