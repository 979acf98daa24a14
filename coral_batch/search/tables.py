"""A generation's tables in, its selection and the next population out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from coral_batch.errors import CoralError
from coral_batch.objectives.aggregate import aggregate, fitness
from coral_batch.records.genome import Genome
from coral_batch.records.rows import SelectionRow
from coral_batch.records.settings import OBJECTIVES, Params, Scores
from coral_batch.search.gate import thresholds
from coral_batch.search.kinds import SEARCHES
from coral_batch.search.selection import select


def next_generation(
    genomes: Sequence[Genome], scores: pl.DataFrame, generation: int, settings: Params
) -> tuple[list[SelectionRow], tuple[Genome, ...]]:
    """Select among the genomes of a generation and breed the next one, as the search has it.

    Args:
        genomes: the population.
        scores: table `scores` of the same population.
        generation: its number, from 0.
        settings: weights, gate, evolution, search and seed of the run.

    Returns:
        A selection row for each genome, the best first, and the next population.

    Raises:
        CoralError: population and scores are not of the same genomes.
    """
    objectives_of = scores.select(OBJECTIVES).to_numpy()
    ids, objectives = aggregate(
        scores["genome"].to_list(), scores["problem"].to_list(), objectives_of
    )
    if set(ids) != {genome.id for genome in genomes}:
        raise CoralError(
            "the scores are of other genomes than the population",
            found=ids,
            expected=", ".join(sorted(genome.id for genome in genomes)),
            action="run `dvc repro`",
        )
    totals = fitness(objectives, settings.objectives.weights)
    limits = thresholds(generation, settings.gate)
    repaired = pass_rates(scores, ids)
    repairs = settings.evolution.select == "repair"
    selected = select(
        ids,
        objectives,
        totals,
        limits,
        settings.evolution.survivors,
        repaired if repairs else None,
    )
    order = np.argsort([row.place for row in selected])
    by_id = {genome.id: genome for genome in genomes}
    chosen = [by_id[ids[index]] for index in order if selected[index].survived]
    bred = SEARCHES[settings.search.kind].breed(
        genomes, chosen, generation + 1, settings.evolution, settings.seed
    )
    survivors = by_id.keys() & {genome.id for genome in bred}
    children: dict[str, list[str]] = {}
    for child in bred:
        for parent in child.parents:
            children.setdefault(parent, []).append(child.id)
    nobody_passed = any(row.reprieved for row in selected)
    rows = []
    for index in order:
        row = selected[index]
        rows.append(
            SelectionRow(
                genome=row.id,
                objectives=Scores(*objectives[index].tolist()),
                fitness=float(totals[index]),
                repaired=float(repaired[index]),
                worth=float((repaired if repairs else totals)[index]),
                thresholds=limits,
                passed=not row.shortfalls,
                failed=tuple(row.shortfalls),
                shortfall=sum(row.shortfalls.values()),
                nobody_passed=nobody_passed,
                rank=row.rank,
                crowding=row.crowding,
                survived=row.id in survivors,
                children=tuple(children.get(row.id, ())),
            )
        )
    return rows, bred


def pass_rates(scores: pl.DataFrame, ids: Sequence[str]) -> NDArray[np.float64]:
    """Return the share of repairs that pass all cases, mean over bugs, of each genome."""
    by_bug = scores.group_by("genome", "problem", maintain_order=True).agg(
        (pl.col("bugfix") == 1).mean().alias("share")
    )
    shares = dict(by_bug.group_by("genome").agg(pl.col("share").mean()).iter_rows())
    return np.array([shares[genome] for genome in ids])
