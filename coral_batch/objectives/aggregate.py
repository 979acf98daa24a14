"""From the scores of samples to the objectives and the fitness of genomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from coral_batch.errors import apart
from coral_batch.records.settings import OBJECTIVES, Scores


def aggregate(
    genomes: Sequence[str], problems: Sequence[str], objectives: NDArray[np.float64]
) -> tuple[list[str], NDArray[np.float64]]:
    """Average over the samples of each problem, then over the problems of each genome.

    So every problem has the same weight, however many samples it has.

    Args:
        genomes: (n,) the genome of each row.
        problems: (n,) the problem of each row, the same ones for every genome.
        objectives: (n, k) array of scores in the order of `OBJECTIVES`.

    Returns:
        The g distinct genomes, sorted, and a (g, k) array of their objectives.

    Raises:
        CoralError: the genomes have scores of different problems.
    """
    objectives = np.asarray(objectives, dtype=np.float64)
    names, row = np.unique(np.asarray(genomes, dtype=str), return_inverse=True)
    tasks, column = np.unique(np.asarray(problems, dtype=str), return_inverse=True)
    cell = row * len(tasks) + column
    counts = np.bincount(cell, minlength=len(names) * len(tasks))
    if not counts.all():
        genome, problem = divmod(int(np.argmin(counts)), len(tasks))
        raise apart(f"no score of {names[genome]} on {tasks[problem]}, which others have")
    sums = np.stack(
        [np.bincount(cell, values, minlength=len(counts)) for values in objectives.T], axis=-1
    )
    means = (sums / counts[:, None]).reshape(len(names), len(tasks), -1)
    return names.tolist(), means.mean(axis=1)


def objectives_of(scores: pl.DataFrame) -> tuple[list[str], NDArray[np.float64]]:
    """Return the g genomes of a table `scores`, sorted, and a (g, k) array of their objectives."""
    values = scores.select(OBJECTIVES).to_numpy()
    return aggregate(scores["genome"].to_list(), scores["problem"].to_list(), values)


def fitness(objectives: NDArray[np.float64], weights: Scores) -> NDArray[np.float64]:
    """Return the weighted sum of the objectives.

    Args:
        objectives: (..., k) array in the order of `OBJECTIVES`.
        weights: one weight per objective; they sum to 1.

    Returns:
        A (...) array in [0, 1]. Summed term by term in order, so bit-identical on every machine
        (a matrix product is not).
    """
    total = np.zeros(objectives.shape[:-1])
    for k, weight in enumerate(astuple(weights)):
        total = total + weight * objectives[..., k]
    # Weights may sum to a little more than 1 (`coral_batch.lake.params`).
    return np.minimum(total, 1.0)
