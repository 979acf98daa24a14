"""Which genome of a run is the best one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from coral_batch.records.rows import SelectionRow

REFUSED = "No genome passed the gate: this is the best of those that it refused."
"""What is said of a best genome that did not pass."""


def best(selections: Mapping[str, Sequence[SelectionRow]]) -> tuple[str, SelectionRow]:
    """Return the best genome that passed the gate, and the generation in which it did.

    It is best by what selection maximises, then by fitness. When none passed in any of the
    generations, the best of all; its row says so. Of equals the first by generation, then by id: a
    survivor is scored alike in every generation that it lives in, and the first one counts in which
    it passed.

    Args:
        selections: generation -> its table `selection`; at least one row in all.
    """
    candidates = [(generation, row) for generation, rows in selections.items() for row in rows]
    return min(
        candidates,
        key=lambda pair: (
            *(not pair[1].passed, -pair[1].worth, -pair[1].fitness),
            *(pair[0], pair[1].genome),
        ),
    )
