"""What selection maximises: the fitness of a genome, or the share of bugs that it repairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from coral_batch.objectives.aggregate import fitness, objectives_of
from coral_batch.records.settings import OBJECTIVES, Params


def pass_rates(scores: pl.DataFrame, ids: Sequence[str]) -> NDArray[np.float64]:
    """Return the share of repairs that pass all cases, mean over bugs, of each genome.

    Raises:
        CoralError: the genomes were not scored on the same bugs.
    """
    passes = scores.with_columns((pl.col("bugfix") == 1).cast(pl.Float64))
    genomes, means = objectives_of(passes)
    shares = dict(zip(genomes, means[:, OBJECTIVES.index("bugfix")].tolist(), strict=True))
    return np.array([shares[genome] for genome in ids])


def worth_of_one(scores: pl.DataFrame, settings: Params) -> float:
    """Return what a genome is worth, in [0, 1], as `evolution.select` has it.

    Args:
        scores: rows of the table `scores`, all of one genome.
        settings: what selection maximises, and the weights of the objectives.
    """
    ids, objectives = objectives_of(scores)
    if settings.evolution.select == "repair":
        return float(pass_rates(scores, ids)[0])
    return float(fitness(objectives, settings.objectives.weights)[0])
