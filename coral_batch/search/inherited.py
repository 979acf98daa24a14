"""The trained adapters that the survivors of a generation pass on to the next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from coral_batch.records.rows import AdapterCardRow, AdapterRow, InheritedRow, SubjectRow


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
    """
    by_genome = {row.genome: row for row in adapters}
    by_key = {card.key: card for card in cards}
    folders = {row.genome: str(row.folder) for row in subjects}
    rows = []
    for genome in survivors:
        adapter = by_genome[genome]
        card = by_key[adapter.key]
        rows.append(
            InheritedRow(
                genome,
                adapter.key,
                folders[genome],
                card.files,
                card.determinants,
                adapter.losses,
                adapter.tokens,
                adapter.diverged,
            )
        )
    return rows
