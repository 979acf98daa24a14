"""Results of expensive work, kept by what determined them.

An entry is a folder of files under ``ROOT/KIND/KEY/files``, where KEY is the SHA-256 of the
canonical JSON of everything that determines its content; ``index.json`` beside it holds those
determinants and the SHA-256 of each file. An entry appears whole or not at all, is verified
whenever it is read, and is never changed. It lies outside the lake: a stage whose outputs were
deleted finds its work here. The store does not know what its entries mean.

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
    """An entry as it lies on the disk; nothing of it has been verified.

    Attributes:
        kind: what it is, e.g. ``adapters``.
        key: its key.
        folder: the folder with its index and its files.
        bytes: size of all its files.
        used: when it was last made or read, in seconds since the epoch.
    """

    kind: str
    key: str
    folder: Path
    bytes: int
    used: float

    def damage(self) -> str | None:
        """Say what is wrong with the entry, in words; None when it is what was stored.

        Raises:
            CoralError: it may not be read.
        """
        with reading(self.folder):
            return _damage(self.folder)

    def determinants(self) -> dict[str, Any]:
        """Return what determined the entry; empty when its index cannot be read."""
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
        root: the folder; made when the first entry is put.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def place(self, kind: str, determinants: Mapping[str, Any]) -> Path:
        """Return the folder that an entry's files have, or would have."""
        return self.root / kind / key_of(determinants) / FILES

    def get(self, kind: str, determinants: Mapping[str, Any]) -> Path | None:
        """Return the folder with an entry's files, or None when there is no such entry.

        A damaged entry is reported on stderr, deleted, and counts as none.

        Raises:
            CoralError: an entry may not be read, or a damaged one cannot be deleted.
        """
        entry = self.root / kind / key_of(determinants)
        with reading(entry):
            if os.path.lexists(entry) and _damage(entry) and (damage := discard(entry)):
                told = f"coral: {entry} is damaged and will be made again: {damage}"
                print(told, file=sys.stderr)
            if not entry.exists():
                return None
        # For `coral store prune`. A store that cannot be written to is still one to read.
        with contextlib.suppress(OSError):
            os.utime(entry)
        return entry / FILES

    def put(
        self, kind: str, determinants: Mapping[str, Any], build: Callable[[Path], None]
    ) -> Path:
        """Make an entry and return the folder with its files.

        Args:
            kind: what it is, e.g. ``adapters``; a folder of the store.
            determinants: everything the content depends on, as JSON values.
            build: writes the files into the empty folder it is given. Whatever it raises leaves
                the store as it was.

        Raises:
            CoralError: the disk does not take it.
        """
        key = key_of(determinants)
        entry = self.root / kind / key
        # An entry that another process finished first holds the same bytes, and may be in use.
        with unfinished(entry, keep=True) as folder:
            (folder / FILES).mkdir(parents=True)
            build(folder / FILES)
            index = {
                "kind": kind,
                "key": key,
                "determinants": determinants,
                "files": _hashes(folder / FILES),
            }
            (folder / INDEX).write_text(json.dumps(index, indent=2, sort_keys=True) + "\n")
        return entry / FILES

    def entries(self) -> Iterator[Entry]:
        """Yield what the store holds, by kind and key.

        Raises:
            CoralError: the store may not be read.
        """
        with reading(self.root):
            for folder in sorted(self.root.glob("*/*")):
                if not folder.is_dir() or folder.name.startswith("."):
                    continue
                files = (file for file in folder.rglob("*") if file.is_file())
                size = sum(file.lstat().st_size for file in files)
                yield Entry(folder.parent.name, folder.name, folder, size, folder.stat().st_mtime)

    def unfinished(self) -> list[Path]:
        """Return the folders of entries that are being made, or whose making was killed."""
        return sorted(self.root.glob("*/.*.unfinished-*"))


def discard(entry: Path) -> str | None:
    """Delete an entry if it is damaged, and say in words what was wrong; None when nothing was.

    Raises:
        CoralError: it may not be read, or cannot be deleted.
    """
    with reading(entry):
        damage = _damage(entry) if os.path.lexists(entry) else None
        if damage is not None:
            remove(entry)
        return damage


def remove(folder: Path) -> None:
    """Delete an entry, or what lies in the place of one.

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
        raise  # it may be what was stored
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        return f"its {INDEX} cannot be read ({type(error).__name__})"
    if key != entry.name:
        return f"its {INDEX} belongs to another key"
    try:
        found = _hashes(entry / FILES)
    except PermissionError:
        raise
    except OSError as error:
        return f"not what was stored: {error.filename} cannot be read ({error.strerror})"
    wrong = sorted(
        name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name)
    )
    return f"not what was stored: {', '.join(wrong)}" if wrong else None


def _hashes(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file below a folder, and words for what else is not a folder.

    A folder without anything in it is named as well.
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
