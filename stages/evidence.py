"""Stage `evidence`: how sure it is that the best genome beats the base model, and the cost."""

import polars as pl

from coral_batch import lake
from coral_batch.evidence.summary import Spending, spending, spent, weigh
from coral_batch.lake import params
from coral_batch.records.rows import AdapterRow, BestRow, SampleRow
from coral_batch.report.claims import claims


def evidence() -> None:
    """Compare the best genome with the base model, with intervals."""
    settings = params.load()
    best = lake.read_document("best", BestRow)
    selected = lake.read_frame("scores", best.generation).filter(pl.col("genome") == best.genome)
    base, other = (lake.read_frame("scores", part) for part in lake.EVALUATIONS.values())
    document = weigh(
        best,
        (lake.read_frame("scores", lake.BASELINE), selected),
        (base, other),
        lake.read_frame("overlaps"),
        spent([_spending(name) for name in settings.generations]),
        settings.search.kind,
        settings.seed,
    )
    lake.write_document("evidence", document)
    print(claims(document))


def _spending(generation: str) -> Spending:
    return spending(
        lake.read_rows("adapters", AdapterRow, generation),
        lake.read_rows("samples", SampleRow, generation),
    )
