"""Genomes and repairs, joined from the tables of a part."""

from __future__ import annotations

import polars as pl

from coral_batch import lake
from coral_batch.corpus.split.reading import read_shown
from coral_batch.errors import apart
from coral_batch.evidence.summary import OWN
from coral_batch.lake.stage import Tables
from coral_batch.records.genome import Genome
from coral_batch.records.problem import Bug
from coral_batch.records.rows import AdapterRow, FirstChangeRow, SampleRow, SelectionRow
from coral_batch.records.settings import Params
from coral_batch.report.views import Individual, Repair
from coral_batch.search.automata.simulation import unpack


def read_individuals(tables: Tables, generation: str) -> list[Individual]:
    """Return the genomes of a generation and their results, in the population's order."""
    genomes, histories = unpack(tables.read_arrays("automata", generation))
    index = {genome: number for number, genome in enumerate(genomes)}
    features = tables.read_frame("features", generation).rows_by_key("genome", named=True)
    adapters = {row.genome: row for row in tables.read_rows("adapters", AdapterRow, generation)}
    fates = {row.genome: row for row in tables.read_rows("selection", SelectionRow, generation)}
    population = tables.read_rows("population", Genome, generation)
    known = (index, features, adapters, fates)
    for genome in population:
        if not all(genome.id in table for table in known):
            lacking = f"{genome.id} without its automaton, features, adapter or fate"
            raise apart(lacking, lake.path("population", generation))
    return [
        Individual(
            genome,
            histories.cells(index[genome.id]),
            features[genome.id][0],
            adapters[genome.id],
            fates[genome.id],
        )
        for genome in population
    ]


def read_repairs(
    tables: Tables, settings: Params, part: str, genome: str | None = None
) -> list[Repair]:
    """Return the repairs of a part, or those of one of its genomes, in the samples' order.

    Raises:
        CoralError: the genome has no repairs, or a repair has no problem, verdicts or scores.
    """
    samples = tables.read_rows("samples", SampleRow, part)
    problems = read_shown(tables, settings)
    kinds = {bug.id: bug.kind for bug in tables.read_rows("bugs", Bug)}
    looks = {
        (row.genome, row.problem): row
        for row in tables.read_rows("first_changes", FirstChangeRow, part)
    }
    chosen = pl.lit(True) if genome is None else pl.col("genome") == genome
    verdicts, findings, scores = (
        tables.read_frame(table, part)
        .filter(chosen)
        .rows_by_key(("genome", "problem", "sample"), named=True)
        for table in ("verdicts", "findings", "scores")
    )
    repairs = []
    for row in samples:
        if genome not in (None, row.genome):
            continue
        key = (row.genome, row.problem, row.sample)
        if row.problem not in problems or not verdicts[key] or not scores[key]:
            lacking = f"{', '.join(map(str, key))} without its problem, verdicts or scores"
            raise apart(lacking, lake.path("samples", part))
        repairs.append(
            Repair(
                problems[row.problem],
                kinds.get(row.problem, OWN),
                row,
                looks.get((row.genome, row.problem)),
                verdicts[key],
                findings[key],
                scores[key][0],
            )
        )
    if genome is not None and not repairs:
        raise apart(f"no repairs of {genome}", lake.path("samples", part))
    return repairs
