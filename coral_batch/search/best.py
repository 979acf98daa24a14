"""Which genome of a run is the best one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from coral_batch.records.rows import SelectionRow


def best(selections: Mapping[str, Sequence[SelectionRow]]) -> tuple[str, SelectionRow]:
    """Return the genome of highest fitness and the generation it is from.

    Of equals the first by generation, then by id: a survivor is scored alike in every generation
    that it lives in, and its first one counts.

    Args:
        selections: generation -> its table `selection`; at least one row in all.
    """
    candidates = [(generation, row) for generation, rows in selections.items() for row in rows]
    return min(candidates, key=lambda pair: (-pair[1].fitness, pair[0], pair[1].genome))
