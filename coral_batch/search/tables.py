"""A generation's tables in; its selection, the next population and what is known by then out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from coral_batch.errors import CoralError
from coral_batch.objectives.aggregate import fitness, objectives_of
from coral_batch.records.genome import Genome
from coral_batch.records.rows import AdapterRow, EvaluatedRow, SelectionRow
from coral_batch.records.settings import Params, Scores
from coral_batch.search.automata.features import features_of
from coral_batch.search.gate import thresholds
from coral_batch.search.ids import birth
from coral_batch.search.kinds import SEARCHES
from coral_batch.search.mapping.transport import Transport
from coral_batch.search.screen import Known
from coral_batch.search.selection import select
from coral_batch.search.worth import pass_rates


def next_generation(
    genomes: Sequence[Genome],
    adapters: Sequence[AdapterRow],
    scores: pl.DataFrame,
    evaluated: Sequence[EvaluatedRow],
    transport: Transport,
    generation: int,
    settings: Params,
) -> tuple[list[SelectionRow], tuple[Genome, ...], list[EvaluatedRow]]:
    """Select among the genomes of a generation and breed the next one, as the search has it.

    Args:
        genomes: the population.
        adapters: table `adapters` of the same population.
        scores: table `scores` of the same population.
        evaluated: the genomes of the generations before, each once.
        transport: the calibration.
        generation: its number, from 0.
        settings: weights, gate, evolution, automata, search and seed of the run.

    Returns:
        A selection row for each genome, the best first; the next population; and the genomes
        evaluated by then, those of this generation behind the ones that lived before it only.

    Raises:
        CoralError: population, adapters and scores are not of the same genomes.
    """
    ids, objectives = objectives_of(scores)
    coordinates = {row.genome: row.coordinates for row in adapters}
    for table, found in (("scores", ids), ("adapters", list(coordinates))):
        if set(found) != {genome.id for genome in genomes}:
            raise CoralError(
                f"the {table} are of other genomes than the population",
                found=found,
                expected=", ".join(sorted((genome.id for genome in genomes), key=birth)),
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
    worth = repaired if repairs else totals
    known = [row for row in evaluated if row.genome not in by_id]
    known += [
        EvaluatedRow(genome, coordinates[genome], float(value))
        for genome, value in zip(ids, worth, strict=True)
    ]
    bred = SEARCHES[settings.search.kind].breed(
        genomes,
        chosen,
        generation + 1,
        settings.evolution,
        Known(
            np.array([row.coordinates for row in known]),
            np.array([row.worth for row in known]),
            lambda born: transport(features_of(born, settings.automata)),
        ),
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
    return rows, bred, known
