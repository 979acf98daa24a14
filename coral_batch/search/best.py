"""Which genomes of a run are the best ones by selection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from coral_batch.records.rows import SelectionRow
from coral_batch.search.gate import DECIMALS
from coral_batch.search.ids import birth

REFUSED = "No genome passed the gate: this is the best of those that it refused."
"""What is said of a best genome that did not pass."""
NOBODY_PASSED = "Nobody passed the gate, so it kept nobody out."
"""What is said of a generation of which no genome passed, whichever search decides who lives."""


def finalists(
    selections: Mapping[str, Sequence[SelectionRow]], count: int
) -> list[tuple[str, SelectionRow]]:
    """Return the best genomes by selection, each with the generation that it counts in.

    Those that passed the gate come before those that it refused, then what selection maximises
    decides, then fitness. Ties go to the earliest generation, then the lowest id: a survivor is
    scored alike in every generation that it lives in, and the first one counts in which it passed.

    Args:
        selections: generation -> its table `selection`; at least one row in all.
        count: how many genomes at most, >= 1.
    """
    pairs = sorted(
        ((generation, row) for generation, rows in selections.items() for row in rows),
        key=lambda pair: (
            not pair[1].passed,
            *(-round(value, DECIMALS) for value in (pair[1].worth, pair[1].fitness)),
            *(pair[0], birth(pair[1].genome)),
        ),
    )
    first: dict[str, tuple[str, SelectionRow]] = {}
    for generation, row in pairs:
        first.setdefault(row.genome, (generation, row))
    return list(first.values())[:count]
