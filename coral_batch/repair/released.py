"""The released adapter: a PEFT folder in the repository, and the record that it is checked by.

`coral export released --release` writes both. The record holds the SHA-256 of each file, the base
model that the adapter belongs to, and how its answers are sampled.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from coral_batch import lake
from coral_batch.errors import CoralError
from coral_batch.lake import strictjson
from coral_batch.lake.hashes import check_files, folder_hashes
from coral_batch.lake.schemas import require_valid, validator
from coral_batch.records.configuration import Knobs
from coral_batch.verdicts.functions import read_utf8

if TYPE_CHECKING:
    from coral_batch.models.base.checkpoint import Card

BEST = "best"
"""Model name of the finished run's best genome."""

RELEASED = "released"
"""Model name of the released adapter; also its folder in the repository's root."""

CONFIGURATION = "adapter_config.json"
WEIGHTS = "adapter_model.safetensors"
RECORD = "released.json"

LARGEST = 10_000_000
"""Maximum size of the weights in bytes: every clone of the repository downloads them."""


@dataclass(frozen=True)
class Release:
    """The content of `RECORD`; see schemas/released.schema.json."""

    base: str
    model: str
    revision: str | None
    knobs: Knobs
    files: dict[str, str]


def default_model() -> str:
    """Return the model to use if the user names none: the lake's best, else the released one."""
    released = (Path(RELEASED) / RECORD).exists() and not lake.path("best").exists()
    return RELEASED if released else BEST


def is_release(folder: Path) -> bool:
    """Whether an adapter's folder has a record, or should have one."""
    return folder == Path(RELEASED) or (folder / RECORD).exists()


def read_release(folder: Path, base: str) -> Release:
    """Read the record of a released adapter and check the adapter against it.

    Args:
        folder: the adapter's.
        base: SHA-256 of the base model to use it with, as `Card.sha256`.

    Raises:
        CoralError: the record is missing or damaged, the adapter belongs to another base, or one
            of its files has another SHA-256.
    """
    file = folder / RECORD
    restore = f"restore the folder (`git checkout -- {folder}`)"
    if not file.is_file():
        raise CoralError("the released adapter has no record", file=file, action=restore)
    value = strictjson.parse(read_utf8(file), file)
    problem = "the released adapter's record breaks its schema"
    require_valid(validator(RELEASED), value, problem, file, action=restore)
    release = lake.build(Release, value)
    if release.base != base:
        revision = f", base.revision: {release.revision}" if release.revision else ""
        raise CoralError(
            "the adapter needs another base model than the lake's",
            file=file,
            field="base",
            found=base,
            expected=f"{release.base}: {release.model}",
            action=f"set base.model: {release.model}{revision} in params.yaml and run `dvc repro"
            " base`; or train an adapter for your base with `dvc repro`",
        )
    check_files(folder, release.files, str(file), restore)
    return release


def write_release(folder: Path, base: Card, knobs: Knobs) -> None:
    """Write the record of an exported adapter into its folder.

    Args:
        folder: the adapter's, complete.
        base: the card of the base model that it was trained on.
        knobs: how its answers are sampled.

    Raises:
        CoralError: the weights are larger than `LARGEST`.
    """
    size = (folder / WEIGHTS).stat().st_size
    if size > LARGEST:
        raise CoralError(
            "the adapter is too large to release",
            field=WEIGHTS,
            found=f"{size:,} bytes",
            expected=f"at most {LARGEST:,} bytes",
            action="choose a genome with a lower rank or fewer target modules:"
            f" `coral export {RELEASED} GENOME --release`",
        )
    release = Release(base.sha256, base.name, base.revision, knobs, folder_hashes(folder))
    text = json.dumps(lake.plain(release), indent=2) + "\n"
    (folder / RECORD).write_text(text, encoding="utf-8")
