"""`coral store list`, `verify` and `prune`: see, check and shrink the store of finished work."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from coral_batch import lake
from coral_batch.errors import CoralError, reading
from coral_batch.lake import params
from coral_batch.lake.atomic import is_abandoned
from coral_batch.lake.store import Entry, Store, discard, remove
from coral_batch.work.progress import progress
from coral_batch.work.text import inline, table

DAY = 24 * 60 * 60


def show() -> None:
    """List what is kept: kind, key, size, when it was last used, and what determined it."""
    entries = list(_store().entries())
    rows = [
        (
            entry.kind,
            entry.key[:12],
            size_text(entry.bytes),
            datetime.fromtimestamp(entry.used, UTC).strftime("%Y-%m-%d %H:%M"),
            _summary(entry.determinants()),
        )
        for entry in entries
    ]
    if rows:
        header = ("kind", "key", "size", "last used (UTC)", "settings")
        print(table(header, rows, left={"kind", "key", "last used (UTC)", "settings"}), end="\n\n")
    print(f"{_counted(entries)} in {lake.STORE}")


def verify() -> None:
    """Check the hash of every entry, and fail if one has changed."""
    entries = list(_store().entries())
    damaged = 0
    for entry in progress(entries, "verify", units="entries"):
        damage = entry.damage()
        if damage is not None:
            damaged += 1
            print(f"{entry.folder}: {damage}")
    if damaged:
        raise CoralError(
            "the store has damaged entries",
            file=lake.STORE,
            found=f"{damaged} of {len(entries)}",
            action="remove them with `coral store prune`; runs do not use them and make new ones",
        )
    print(f"{_counted(entries)} in {lake.STORE}, none damaged")


def prune(
    unused: Annotated[
        float | None,
        typer.Option(
            min=0, metavar="DAYS", help="Also remove entries that no run used for DAYS days."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be removed.")
    ] = False,
) -> None:
    """Remove damaged entries and day-old leftovers of killed runs; with --unused, old entries too.

    A run that needs a removed entry makes it again.
    """
    content = _store()
    now = time.time()
    doomed: list[tuple[Path, str, Callable[[Path], object]]] = [
        (folder, "left unfinished", remove)
        for folder in content.unfinished()
        if is_abandoned(folder)
    ]
    for entry in progress(list(content.entries()), "prune", units="entries"):
        damage = entry.damage()
        if damage is not None:
            doomed.append((entry.folder, f"damaged: {damage}", discard))
        elif unused is not None and now - entry.used >= unused * DAY:
            doomed.append((entry.folder, f"unused for {(now - entry.used) / DAY:.1f} days", remove))
    freed = 0
    for folder, why, take in doomed:
        with reading(folder), suppress(FileNotFoundError):
            freed += sum(file.lstat().st_size for file in folder.rglob("*") if file.is_file())
        print(f"{folder}: {why}")
        if not dry_run:
            take(folder)
    verb = "would be removed" if dry_run else "removed"
    print(f"{len(doomed)} {verb}, {size_text(freed)}")


def size_text(size: float) -> str:
    """Return a number of bytes as text, such as 1.5 MiB."""
    units = ("B", "KiB", "MiB", "GiB", "TiB")
    step = 0
    while size >= 1024 and step < len(units) - 1:
        size /= 1024
        step += 1
    return f"{size:.{min(step, 1)}f} {units[step]}"


def _store() -> Store:
    """Return the project's store, after checking that this is a project."""
    params.check_here()
    return Store(lake.STORE)


def _counted(entries: list[Entry]) -> str:
    entries_text = "1 entry" if len(entries) == 1 else f"{len(entries)} entries"
    return f"{entries_text}, {size_text(sum(entry.bytes for entry in entries))}"


def _summary(determinants: dict[str, Any]) -> str:
    """Return the configuration or the knobs that an entry was made with."""
    shown = determinants.get("configuration") or determinants.get("knobs") or {}
    return inline(", ".join(f"{name} {value}" for name, value in shown.items()), 100)
