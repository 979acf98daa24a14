"""Find the adapter of a genome and check it against the lake."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from coral_batch import lake
from coral_batch.errors import CoralError, apart, check_known
from coral_batch.records.rows import AdapterCardRow, AdapterRow, BestRow
from coral_batch.search.ids import genome_id


def generation_of(genome: str, generations: Collection[str], field: str) -> str:
    """Return the generation that a genome was born in.

    Args:
        genome: its id.
        generations: the run's generations.
        field: where the genome was named, for the message.

    Raises:
        CoralError: the run has no such generation.
    """
    generation, _, index = genome.partition("-")
    if generation not in generations or not index:
        raise CoralError(
            "no such genome",
            field=field,
            found=genome,
            expected=f"a genome such as {genome_id(0, 1)}, of one of the generations"
            f" {', '.join(generations)}",
        )
    return generation


def find_adapter(part: str, genome: str) -> tuple[AdapterRow, AdapterCardRow, Path]:
    """Return a genome's adapter, its card and its folder.

    Args:
        part: a generation.
        genome: its id.

    Raises:
        CoralError: the part has no such genome, or its adapter has no card.
    """
    rows = {row.genome: row for row in lake.read_rows("adapters", AdapterRow, part)}
    check_known("no such genome", genome, rows, file=lake.path("adapters", part))
    row = rows[genome]
    cards = lake.read_rows("adapter_cards", AdapterCardRow, part)
    card = lake.find(cards, lake.path("adapter_cards", part), key=row.key)
    return row, card, lake.path("adapter_folders", part) / row.key


def check_best(best: BestRow, key: str | None) -> None:
    """Check that the best genome's adapter is the one that was chosen.

    Args:
        best: the best genome.
        key: its adapter's.

    Raises:
        CoralError: it was trained again.
    """
    if key != best.key:
        found = f"{best.genome} with adapter {best.key[:8]} as the best genome, now {str(key)[:8]}"
        raise apart(found, lake.path("best"))


def check_origin(card: AdapterCardRow, of: str, now: str) -> None:
    """Check that an adapter was trained on the lake's current base or examples.

    Args:
        card: its card.
        of: ``base`` or ``examples``.
        now: its current SHA-256.

    Raises:
        CoralError: it was not.
    """
    if card.determinants.get(of) != now:
        raise CoralError(
            "the lake or params.yaml has changed since the adapter was trained",
            file=lake.path(of),
            field=f"SHA-256 of {of}, in adapter {card.key[:8]}",
            found=now,
            expected=card.determinants.get(of),
            action="run `dvc repro`; for an experiment's adapter `dvc exp apply NAME`",
        )
