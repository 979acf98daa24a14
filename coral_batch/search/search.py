"""The plans of a generation's genomes, by the run's search."""

from __future__ import annotations

import polars as pl

from coral_batch.records.settings import Params
from coral_batch.search.automata.features import FEATURES
from coral_batch.search.kinds import SEARCHES
from coral_batch.search.mapping.transport import Transport
from coral_batch.search.plan import Plan


def plan(features: pl.DataFrame, transport: Transport, settings: Params) -> list[Plan]:
    """Return the plan of every genome of a generation.

    Args:
        features: table `features`.
        transport: the calibration.
        settings: the search, the candidates and the seed of the run.
    """
    return SEARCHES[settings.search.kind].plan(
        features["genome"].to_list(),
        transport(features.select(FEATURES).to_numpy()),
        settings.candidates,
        settings.seed,
    )
