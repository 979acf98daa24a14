"""Turn a generation's tables into its selection and the next population."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from coral_batch.errors import apart
from coral_batch.objectives.aggregate import fitness, objectives_of
from coral_batch.records.genome import Genome
from coral_batch.records.rows import (
    AdapterCardRow,
    AdapterRow,
    FirstChangeRow,
    InheritedRow,
    SelectionRow,
    SubjectRow,
)
from coral_batch.records.settings import OBJECTIVES, Params, Scores
from coral_batch.search.gate import thresholds
from coral_batch.search.kinds import breed
from coral_batch.search.selection import select


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
        CoralError: the tables are of different genomes or problems.
    """
    ids, objectives = objectives_of(scores)
    by_id = {genome.id: genome for genome in genomes}
    if by_id.keys() != set(ids):
        found = f"scores of {', '.join(ids)}; the population is {', '.join(by_id)}"
        raise apart(f"in generation {generation}, {found}")
    totals = fitness(objectives, settings.objectives.weights)
    limits = thresholds(generation, settings.gate)
    repaired = pass_rates(scores)
    read = readings(looks)
    by = settings.evolution.select
    first = repaired if by == "repair" else None
    if by == "reading":
        if lacking := [genome for genome in ids if genome not in read]:
            raise apart(f"in generation {generation}, no first changes of {', '.join(lacking)}")
        first = np.array([read[genome] for genome in ids])
    selected = select(ids, objectives, totals, limits, settings.evolution.survivors, first)
    order = np.argsort([row.place for row in selected])
    chosen = [by_id[ids[index]] for index in order if selected[index].survived]
    worth = totals if first is None else first
    bred = breed(genomes, chosen, generation + 1, settings)
    survivors = by_id.keys() & {genome.id for genome in bred}
    children: dict[str, list[str]] = defaultdict(list)
    for newborn in bred:
        if newborn.id not in survivors:
            for parent in newborn.parents:
                children[parent].append(newborn.id)
    nobody_passed = all(row.shortfalls for row in selected)
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
                children=tuple(children[row.id]),
            )
        )
    return rows, bred


def pass_rates(scores: pl.DataFrame) -> NDArray[np.float64]:
    """Return the share of repairs that pass all cases, mean over bugs; see `objectives_of`."""
    passes = scores.with_columns((pl.col("bugfix") == 1).cast(pl.Float64))
    _, means = objectives_of(passes)
    shares: NDArray[np.float64] = means[:, OBJECTIVES.index("bugfix")]
    return shares


def readings(looks: Sequence[FirstChangeRow]) -> dict[str, float]:
    """Return the mean probability, over bugs, that a genome's first change is the right one.

    A genome without a known right change is left out.
    """
    of_genome: dict[str, list[float]] = defaultdict(list)
    for look in looks:
        if look.right is not None:
            of_genome[look.genome].append(look.right)
    return {genome: float(np.mean(values)) for genome, values in of_genome.items()}


def inherited(
    survivors: Iterable[str],
    adapters: Sequence[AdapterRow],
    cards: Sequence[AdapterCardRow],
    subjects: Sequence[SubjectRow],
) -> list[InheritedRow]:
    """Return a row per survivor.

    Args:
        survivors: their ids, in order.
        adapters: table `adapters` of their generation.
        cards: table `adapter_cards` likewise.
        subjects: table `subjects` likewise.

    Raises:
        CoralError: a table lacks a survivor.
    """
    by_genome = {row.genome: row for row in adapters}
    by_key = {card.key: card for card in cards}
    folders = {row.genome: str(row.folder) for row in subjects}
    rows = []
    for genome in survivors:
        adapter, folder = by_genome.get(genome), folders.get(genome)
        card = by_key.get(adapter.key) if adapter is not None else None
        if adapter is None or card is None or folder is None:
            raise apart(f"{genome} without its adapter")
        rows.append(
            InheritedRow(
                genome,
                adapter.key,
                folder,
                card.files,
                card.determinants,
                adapter.losses,
                adapter.tokens,
                adapter.diverged,
            )
        )
    return rows
