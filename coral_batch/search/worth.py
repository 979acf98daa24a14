"""What selection may maximise besides the fitness of a genome."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from coral_batch.objectives.aggregate import objectives_of
from coral_batch.records.rows import FirstChangeRow
from coral_batch.records.settings import OBJECTIVES


def pass_rates(scores: pl.DataFrame, ids: Sequence[str]) -> NDArray[np.float64]:
    """Return the share of repairs that pass all cases, mean over bugs, of each genome.

    Raises:
        CoralError: the genomes were not scored on the same bugs.
    """
    passes = scores.with_columns((pl.col("bugfix") == 1).cast(pl.Float64))
    genomes, means = objectives_of(passes)
    shares = dict(zip(genomes, means[:, OBJECTIVES.index("bugfix")].tolist(), strict=True))
    return np.array([shares[genome] for genome in ids])


def readings(looks: Sequence[FirstChangeRow]) -> dict[str, float]:
    """Return the mean probability, over bugs, that a genome's first change is the right one.

    A genome without a known right change is left out.
    """
    of_genome: dict[str, list[float]] = defaultdict(list)
    for look in looks:
        if look.right is not None:
            of_genome[look.genome].append(look.right)
    return {genome: float(np.mean(values)) for genome, values in of_genome.items()}
