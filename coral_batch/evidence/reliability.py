"""How much of the differences between genomes in selection is more than noise.

All genomes are measured on the same bugs of the same programs. Bugs of one program are similar, so
they are averaged, which gives a table of genomes by programs. Children that inherit have learned
more than their parents, so genomes are compared within the generation in which they were born. The
table's analysis of variance (Fisher 1925; without replication) separates the true differences
between genomes from noise: the choice of programs and the sampling. The share of the true
differences is the reliability of the genomes' means: Hoyt 1941, "Test reliability estimated by
analysis of variance", Psychometrika 6, equal to Cronbach's alpha. At 0.25 the order of two genomes
means almost nothing, at 0.9 it is nearly sure.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from coral_batch.records.problem import program_of
from coral_batch.records.rows import FirstChangeRow


@dataclass(frozen=True)
class Reliability:
    """How well a measure separates genomes.

    Attributes:
        genomes: number of genomes measured, each counted once.
        programs: number of programs that their bugs are in.
        spread: standard deviation between genomes without noise, >= 0.
        chance: standard deviation of the noise in a genome's mean, >= 0.
        reliability: share of the variance between the means that is not noise, in [0, 1]; 0 if all
            means are equal.
    """

    genomes: int
    programs: int
    spread: float
    chance: float
    reliability: float


def reliability(values: NDArray[np.float64], generations: Sequence[str]) -> Reliability | None:
    """Return how reliable the means of the rows are, within each generation.

    Args:
        values: (genomes, programs) array.
        generations: each genome's.

    Returns:
        The reliability; None if there are fewer than two programs, or no two genomes of one
        generation.
    """
    genomes, programs = values.shape
    _, places = np.unique(np.asarray(generations), return_inverse=True)
    free = genomes - len(set(generations))
    if free < 1 or programs < 2:
        return None
    apart = values.copy()
    for place in set(places.tolist()):
        apart[places == place] -= values[places == place].mean(axis=0)
    means = apart.mean(axis=1)
    residuals = apart - means[:, None]
    between = programs * float((means**2).sum()) / free
    error = float((residuals**2).sum()) / (free * (programs - 1))
    true = max(0.0, between - error)
    # Smaller differences are rounding.
    share = true / between if between > 1e-12 else 0.0
    return Reliability(
        genomes, programs, math.sqrt(true / programs), math.sqrt(error / programs), share
    )


def of_selection(
    scores: Iterable[pl.DataFrame], looks: Iterable[FirstChangeRow]
) -> dict[str, Reliability]:
    """Return the reliability of each measure that selection can use.

    Args:
        scores: table `scores` of each generation. A survivor has the same scores in all.
        looks: rows of the tables `first_changes`; empty if repairs need not change the program.

    Returns:
        ``repaired``: of the share of samples that pass all cases; ``right``: of the probability
        that the first change is the reference's, over the bugs for which it is known. A measure
        that has none is left out.
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
    found = {"repaired": _reliability(pl.concat(repaired)), "right": _reliability(right)}
    return {name: one for name, one in found.items() if one is not None}


def _reliability(values: pl.DataFrame) -> Reliability | None:
    """Return the reliability of a measure, over the bugs that all genomes have."""
    once = values.unique(["genome", "problem"], keep="first", maintain_order=True)
    genomes = once["genome"].n_unique()
    whole = once.drop_nulls().filter(pl.len().over("problem") == genomes).sort("genome", "problem")
    by_bug = whole["value"].to_numpy().reshape(genomes, whole["problem"].n_unique())
    programs = [program_of(problem) for problem in whole["problem"][: by_bug.shape[1]]]
    names, places = np.unique(programs, return_inverse=True)
    sums = np.array([np.bincount(places, row) for row in by_bug]).reshape(genomes, len(names))
    # An id begins with the generation of birth, e.g. 001-03.
    born = [genome.partition("-")[0] for genome in whole["genome"].unique(maintain_order=True)]
    return reliability(sums / np.bincount(places), born)
