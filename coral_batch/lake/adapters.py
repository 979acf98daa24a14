"""The adapters of a generation as they lie in the lake."""

from __future__ import annotations

from pathlib import Path

from coral_batch.lake.hashes import check_files
from coral_batch.lake.places import path
from coral_batch.records.rows import AdapterCardRow


def checked_adapter(part: str, card: AdapterCardRow) -> Path:
    """Return the folder of a generation's adapter, its files checked against its card.

    What an adapter makes is kept under its key: it must be the one that the key stands for.

    Raises:
        CoralError: a file is missing or has another SHA-256.
    """
    folder = path("adapter_folders", part) / card.key
    action = f"run `dvc repro --force adapters@{part}`"
    check_files(folder, card.files, "the table adapter_cards", action)
    return folder
