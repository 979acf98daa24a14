"""The threshold gate: what a genome must reach in each objective, tightening every generation."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from coral_batch.records.settings import OBJECTIVES, Gate, Scores

# Thresholds and objectives are compared in units of 1e-9, so that 0.2 + 0.4 is 0.6 and a mean of
# sixes reaches it.
DECIMALS = 9


def thresholds(generation: int, settings: Gate) -> Scores:
    """Return the thresholds of a generation: base + sigma * (max - base) for each objective.

    With x = generation / (settings.generations - 1), at most 1, sigma is x (linear), sqrt(x) or
    1 / (1 + exp(-12 (x - 0.5))) (sigmoid). In a gate of one generation x = 1.

    `settings.generations` is not the number of generations that run: otherwise adding a generation
    would change the thresholds of the others.

    Args:
        generation: from 0.
        settings: schedule, number of generations, thresholds at both ends.
    """
    last = settings.generations - 1
    x = min(generation / last, 1.0) if last > 0 else 1.0
    sigma = {
        "linear": x,
        "sqrt": math.sqrt(x),
        "sigmoid": 1 / (1 + math.exp(-12 * (x - 0.5))),
    }[settings.schedule]
    return Scores(
        **{
            name: round(base + sigma * (getattr(settings.max, name) - base), DECIMALS)
            for name, base in vars(settings.base).items()
        }
    )


def shortfalls(objectives: NDArray[np.float64], limits: Scores) -> NDArray[np.float64]:
    """Return by how much each objective misses its threshold, 0 where it does not.

    Args:
        objectives: (n, k) array in the order of `OBJECTIVES`, each in [0, 1].
        limits: the thresholds.

    Returns:
        (n, k) array; a genome passes the gate where its row is all 0.
    """
    required = np.array([getattr(limits, name) for name in OBJECTIVES])
    return np.maximum(np.round(required - objectives, DECIMALS), 0.0)
