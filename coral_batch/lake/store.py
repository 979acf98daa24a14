"""Cache of expensive results, keyed by everything that determines them.

An entry is a folder ``ROOT/KIND/KEY/files``. KEY is the SHA-256 of the canonical JSON of everything
that determines the content. ``index.json`` next to ``files`` holds these determinants and the
SHA-256 of each file. Entries are written atomically, verified on each read and never changed. The
store is outside the lake, so a stage whose outputs were deleted finds its results here. The store
does not know what its entries mean.

`coral store` (`coral_batch.commands.store`) shows, verifies and prunes it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coral_batch.errors import reading
from coral_batch.lake.atomic import unfinished, writing
from coral_batch.lake.hashes import found_sha256

INDEX = "index.json"
FILES = "files"


@dataclass(frozen=True)
class Entry:
    """An entry on disk, not verified.

    Attributes:
        kind: its kind, e.g. ``adapters``.
        key: its key.
        folder: the folder with its index and its files.
        bytes: size of all its files.
        used: when it was last written or read, in seconds since the epoch.
    """

    kind: str
    key: str
    folder: Path
    bytes: int
    used: float

    def damage(self) -> str | None:
        """Describe the entry's damage; None if it is intact.

        Raises:
            CoralError: it is not readable.
        """
        with reading(self.folder):
            return _damage(self.folder)

    def determinants(self) -> dict[str, Any]:
        """Return the entry's determinants; empty if its index cannot be read."""
        try:
            return dict(json.loads((self.folder / INDEX).read_text())["determinants"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return {}


def key_of(determinants: Mapping[str, Any]) -> str:
    """SHA-256, hexadecimal, of the canonical JSON (sorted keys, no spaces, ASCII, no NaN)."""
    text = json.dumps(
        determinants, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    )
    return hashlib.sha256(text.encode()).hexdigest()


class Store:
    """A content-addressed store in a folder.

    Args:
        root: the folder; created with the first entry.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def get(self, kind: str, determinants: Mapping[str, Any]) -> Path | None:
        """Return the folder with an entry's files, or None if there is no such entry.

        A damaged entry is reported on stderr and deleted.

        Raises:
            CoralError: an entry is not readable, or a damaged one cannot be deleted.
        """
        entry = self.root / kind / key_of(determinants)
        if damage := discard(entry):
            print(f"coral: {entry} is damaged and will be recomputed: {damage}", file=sys.stderr)
        with reading(entry):
            if not entry.exists():
                return None
        # For `coral store prune`. A read-only store can still be used.
        with contextlib.suppress(OSError):
            os.utime(entry)
        return entry / FILES

    def put(
        self, kind: str, determinants: Mapping[str, Any], build: Callable[[Path], None]
    ) -> Path:
        """Make an entry and return the folder with its files.

        Args:
            kind: its kind, e.g. ``adapters``; a folder of the store.
            determinants: everything the content depends on, as JSON values.
            build: writes the files into the empty folder it is given. If it raises, the store is
                unchanged.

        Raises:
            CoralError: the entry cannot be written.
        """
        entry = self.root / kind / key_of(determinants)
        # An entry that another process finished first has the same bytes and may be in use.
        with unfinished(entry, keep=True) as folder:
            (folder / FILES).mkdir(parents=True)
            build(folder / FILES)
            index = {"determinants": determinants, "files": _hashes(folder / FILES)}
            (folder / INDEX).write_text(json.dumps(index, indent=2, sort_keys=True) + "\n")
        return entry / FILES

    def entries(self) -> Iterator[Entry]:
        """Yield all entries, by kind and key.

        Raises:
            CoralError: the store is not readable.
        """
        with reading(self.root):
            for folder in sorted(self.root.glob("*/*")):
                if not folder.is_dir() or folder.name.startswith("."):
                    continue
                files = (file for file in folder.rglob("*") if file.is_file())
                size = sum(file.lstat().st_size for file in files)
                yield Entry(folder.parent.name, folder.name, folder, size, folder.stat().st_mtime)

    def unfinished(self) -> list[Path]:
        """Return the folders of entries that are being written, or whose writing was killed."""
        return sorted(self.root.glob("*/.*.unfinished-*"))


def discard(entry: Path) -> str | None:
    """Delete an entry if it is damaged and describe the damage; None if it is intact.

    Raises:
        CoralError: it is not readable, or cannot be deleted.
    """
    with reading(entry):
        damage = _damage(entry) if os.path.lexists(entry) else None
        if damage is not None:
            remove(entry)
        return damage


def remove(folder: Path) -> None:
    """Delete an entry, or whatever is in its place.

    Raises:
        CoralError: it cannot be deleted.
    """
    # Another process may be deleting it.
    with contextlib.suppress(FileNotFoundError), writing(folder):
        if folder.is_dir() and not folder.is_symlink():
            shutil.rmtree(folder)
        else:
            folder.unlink()


def _damage(entry: Path) -> str | None:
    try:
        index = json.loads((entry / INDEX).read_text())
        expected = dict(index["files"])
        key = key_of(index["determinants"])
    except PermissionError:
        raise  # it may be intact
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        return f"its {INDEX} cannot be read ({type(error).__name__})"
    if key != entry.name:
        return f"its {INDEX} belongs to another key"
    try:
        found = _hashes(entry / FILES)
    except PermissionError:
        raise
    except OSError as error:
        return f"not as stored: {error.filename} cannot be read ({error.strerror})"
    wrong = sorted(
        name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name)
    )
    return f"not as stored: {', '.join(wrong)}" if wrong else None


def _hashes(folder: Path) -> dict[str, str]:
    """Return the `found_sha256` of everything below a folder that is not a folder.

    Empty folders are listed too.
    """
    hashes = {}
    for place, folders, files in os.walk(folder, onerror=_raise):
        at = Path(place)
        links = [name for name in folders if (at / name).is_symlink()]
        for file in (at / name for name in (*files, *links)):
            hashes[file.relative_to(folder).as_posix()] = found_sha256(file)
        if not files and not folders and at != folder:
            hashes[at.relative_to(folder).as_posix()] = "an empty folder"
    return hashes


def _raise(error: OSError) -> None:
    raise error
