"""Which of the best genomes is best on all bugs that they were drawn for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from coral_batch.records.rows import FinalistRow
from coral_batch.records.settings import Params
from coral_batch.search.best import Finalist
from coral_batch.search.gate import DECIMALS
from coral_batch.search.worth import worth_of_one


def rank(
    chosen: Sequence[Finalist],
    selected: Mapping[str, pl.DataFrame],
    again: pl.DataFrame,
    settings: Params,
) -> list[FinalistRow]:
    """Rank the finalists by what they are worth on all bugs that they were drawn for, best first.

    What selection saw alone flatters the genome that was lucky there.

    Args:
        chosen: what `coral_batch.search.best.finalists` returned; ties are decided by their order.
        selected: generation -> its table `scores`, of those that they count in.
        again: table `scores` of the draw on other bugs.
        settings: what selection maximises, and the weights.
    """
    rows = []
    for one in chosen:
        genome, worth = one.row.genome, one.row.worth
        before, after = (
            table.filter(pl.col("genome") == genome) for table in (selected[one.generation], again)
        )
        apart = worth_of_one(after, settings)
        together = worth_of_one(pl.concat([before, after]), settings)
        rows.append(FinalistRow(genome, one.generation, one.passed, worth, apart, together))
    return sorted(rows, key=lambda row: (not row.passed, -round(row.worth, DECIMALS)))
