"""Turn a generation's tables into its selection and the next population."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from coral_batch.objectives.aggregate import fitness, objectives_of
from coral_batch.records.genome import Genome
from coral_batch.records.rows import FirstChangeRow, SelectionRow
from coral_batch.records.settings import Params, Scores
from coral_batch.search.gate import thresholds
from coral_batch.search.kinds import SEARCHES
from coral_batch.search.selection import select
from coral_batch.search.worth import pass_rates, readings


def next_generation(
    genomes: Sequence[Genome],
    scores: pl.DataFrame,
    looks: Sequence[FirstChangeRow],
    generation: int,
    settings: Params,
) -> tuple[list[SelectionRow], tuple[Genome, ...]]:
    """Select among the genomes of a generation and breed the next, by the run's search.

    Args:
        genomes: the population.
        scores: table `scores` of the same population.
        looks: table `first_changes` of the same population; empty if repairs are free.
        generation: its number, from 0.
        settings: weights, gate, evolution, search and seed of the run.

    Returns:
        A selection row for each genome, the best first; and the next population.

    Raises:
        CoralError: population and scores have different genomes.
    """
    ids, objectives = objectives_of(scores)
    totals = fitness(objectives, settings.objectives.weights)
    limits = thresholds(generation, settings.gate)
    repaired = pass_rates(scores, ids)
    read = readings(looks)
    by = settings.evolution.select
    first = repaired if by == "repair" else None
    if by == "reading":
        first = np.array([read[genome] for genome in ids])
    selected = select(
        ids,
        objectives,
        totals,
        limits,
        settings.evolution.survivors,
        first,
    )
    order = np.argsort([row.place for row in selected])
    by_id = {genome.id: genome for genome in genomes}
    chosen = [by_id[ids[index]] for index in order if selected[index].survived]
    worth = totals if first is None else first
    bred = SEARCHES[settings.search.kind].breed(
        genomes,
        chosen,
        generation + 1,
        settings.evolution,
        settings.seed,
    )
    survivors = by_id.keys() & {genome.id for genome in bred}
    children: dict[str, list[str]] = {}
    for newborn in bred:
        if newborn.id not in survivors:
            for parent in newborn.parents:
                children.setdefault(parent, []).append(newborn.id)
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
                read=read.get(row.id),
                worth=float(worth[index]),
                thresholds=limits,
                passed=not row.shortfalls,
                failed=tuple(row.shortfalls),
                shortfall=row.shortfall,
                nobody_passed=nobody_passed,
                rank=row.rank,
                crowding=row.crowding,
                survived=row.id in survivors,
                children=tuple(children.get(row.id, ())),
            )
        )
    return rows, bred
