"""The adapters of a run, found by the genome and checked against what the lake holds now."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from coral_batch import lake
from coral_batch.errors import CoralError, check_known
from coral_batch.lake import find
from coral_batch.records.rows import AdapterCardRow, AdapterRow


def check_generation(model: str, generations: Collection[str], field: str) -> None:
    """Check that a model named GENERATION/GENOME is of a generation of the run.

    Args:
        model: the name.
        generations: those that there are.
        field: where the name was given, for the message.

    Raises:
        CoralError: it is not.
    """
    generation, _, genome = model.partition("/")
    if generation not in generations or not genome:
        raise CoralError(
            "no such genome",
            field=field,
            found=model,
            expected=f"GENERATION/GENOME, generation one of {', '.join(generations)}",
        )


def find_adapter(part: str, genome: str) -> tuple[AdapterRow, AdapterCardRow, Path]:
    """Return a genome's adapter, its card and its folder.

    Args:
        part: a generation.
        genome: its id.

    Raises:
        CoralError: the part has no such genome, or no card of its adapter.
    """
    rows = {row.genome: row for row in lake.read_rows("adapters", AdapterRow, part)}
    check_known("no such genome", genome, rows, file=lake.path("adapters", part))
    row = rows[genome]
    cards = lake.read_rows("adapter_cards", AdapterCardRow, part)
    card = find(cards, lake.path("adapter_cards", part), key=row.key)
    return row, card, lake.path("adapter_folders", part) / row.key


def check_origin(card: AdapterCardRow, of: str, now: str) -> None:
    """Check that an adapter was trained on what is there now.

    Args:
        card: its card.
        of: what the card tells the SHA-256 of: ``base`` or ``examples``.
        now: the SHA-256 of what is there.

    Raises:
        CoralError: it was not, as when they were made again and the adapters were not yet.
    """
    if card.determinants.get(of) != now:
        raise CoralError(
            "the adapter was trained on something else than what is there now",
            file=lake.path(of),
            field=f"SHA-256 of {of}, in adapter {card.key[:8]}",
            found=now,
            expected=card.determinants.get(of),
            action="run `dvc repro`",
        )


def again(part: str) -> str:
    """Return the words for what makes the adapters of a part again."""
    return f"run `dvc repro --force adapters@{part}`"
