"""How much of the differences that selection saw between genomes is more than chance.

Every genome meets the same bugs of the same programs. Bugs of one program are alike, so their mean
counts, which makes a table of genomes by programs. Its analysis of variance (Fisher 1925; without
replication) takes apart what genomes differ by in the long run and what the choice of these few
programs, and the luck of drawing, add to each. The share of the first is the reliability of the
genomes' means: Hoyt 1941, "Test reliability estimated by analysis of variance", Psychometrika 6,
equal to Cronbach's alpha. At 0.25 the order of two genomes says next to nothing, at 0.9 nearly all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from coral_batch.records.bug import program_of
from coral_batch.records.rows import FirstChangeRow


@dataclass(frozen=True)
class Reliability:
    """What a measure of genomes is worth for telling them apart.

    Attributes:
        genomes: how many were measured, each counted once.
        programs: on bugs of how many programs each.
        spread: standard deviation between genomes, chance taken out, >= 0.
        chance: standard deviation of what chance adds to a genome's mean, >= 0.
        reliability: share of the variance between the means that is not chance, in [0, 1]; 0 where
            the means are all the same.
    """

    genomes: int
    programs: int
    spread: float
    chance: float
    reliability: float


def reliability(values: NDArray[np.float64]) -> Reliability:
    """Return how reliable the means of the rows are.

    Args:
        values: (genomes, programs) array, at least 2 by 2.
    """
    genomes, programs = values.shape
    means = values.mean(axis=1)
    residuals = values - means[:, None] - values.mean(axis=0) + values.mean()
    between = programs * float(means.var(ddof=1))
    error = float((residuals**2).sum()) / ((genomes - 1) * (programs - 1))
    true = max(0.0, between - error)
    # What differs by roundings alone is the same.
    share = true / between if between > 1e-12 else 0.0
    return Reliability(
        genomes, programs, math.sqrt(true / programs), math.sqrt(error / programs), share
    )


def of_selection(
    scores: Iterable[pl.DataFrame], looks: Iterable[FirstChangeRow]
) -> dict[str, Reliability]:
    """Return the reliability of what was measured of the genomes before one was chosen.

    Args:
        scores: table `scores` of each generation. A genome that lives on scores alike in all.
        looks: rows of the tables `first_changes`; none where repairs need not change the program.

    Returns:
        ``repaired``: of the share of samples that pass all cases; ``right``: of the probability
        that the first change is the reference's, over the bugs for which it is known. Neither where
        there are fewer than two genomes or programs.
    """
    repaired = [
        frame.group_by("genome", "problem").agg((pl.col("bugfix") == 1).mean().alias("value"))
        for frame in scores
    ]
    right = pl.DataFrame(
        [(row.genome, row.problem, row.right) for row in looks],
        {"genome": pl.String, "problem": pl.String, "value": pl.Float64},
        orient="row",
    )
    tables = {"repaired": _table(pl.concat(repaired)), "right": _table(right)}
    return {name: reliability(table) for name, table in tables.items() if min(table.shape) > 1}


def _table(values: pl.DataFrame) -> NDArray[np.float64]:
    """Return genomes by programs, in order of their names, over the bugs that all genomes have."""
    once = values.unique(["genome", "problem"], keep="first", maintain_order=True)
    genomes = once["genome"].n_unique()
    whole = once.drop_nulls().filter(pl.len().over("problem") == genomes).sort("genome", "problem")
    by_bug = whole["value"].to_numpy().reshape(genomes, whole["problem"].n_unique())
    programs = [program_of(problem) for problem in whole["problem"][: by_bug.shape[1]]]
    names, places = np.unique(programs, return_inverse=True)
    sums = np.array([np.bincount(places, row) for row in by_bug]).reshape(genomes, len(names))
    return sums / np.bincount(places)
