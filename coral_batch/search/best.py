"""Which genome of a run is the best one by selection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass

import numpy as np

from coral_batch.records.rows import SelectionRow
from coral_batch.search.gate import DECIMALS, shortfalls
from coral_batch.search.ids import birth

REFUSED = "No genome passed the last generation's gate; this is the best of those that failed it."
"""Printed if the best genome did not pass."""
NOBODY_PASSED = "No genome passed the gate, so it excluded none."
"""Printed for a generation in which no genome passed, whatever the search."""


@dataclass(frozen=True)
class Chosen:
    """The best genome.

    Attributes:
        generation: the first generation that it lived in.
        row: its row of the table `selection` there.
        passed: it reaches the thresholds of the last generation.
    """

    generation: str
    row: SelectionRow
    passed: bool


def choose(selections: Mapping[str, Sequence[SelectionRow]]) -> Chosen:
    """Return the best genome by selection.

    Genomes of all generations are held to the last generation's thresholds. Those that reach them
    come first. Then `worth` decides, which selection maximises, then fitness. Ties go to the
    earliest generation, then the lowest id.

    Args:
        selections: generation -> its table `selection`; at least one row in all.
    """
    pairs = [(name, row) for name in sorted(selections) for row in selections[name]]
    limits = pairs[-1][1].thresholds
    first: dict[str, Chosen] = {}
    for generation, row in pairs:
        passed = not shortfalls(np.array(astuple(row.objectives)), limits).any()
        first.setdefault(row.genome, Chosen(generation, row, passed))
    return min(
        first.values(),
        key=lambda one: (
            not one.passed,
            *(-round(value, DECIMALS) for value in (one.row.worth, one.row.fitness)),
            *(one.generation, birth(one.row.genome)),
        ),
    )
