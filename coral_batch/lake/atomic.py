"""Atomic writes of files and folders; everything in the lake is written this way.

A file or folder is written under a temporary name next to its target, then renamed. Leftovers of a
killed run are removed when the same target is written again, after a day.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from coral_batch.errors import CoralError, reading

_REFUSED = frozenset(
    (
        *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG),  # full
        *(errno.EACCES, errno.EPERM, errno.EROFS),  # closed
        *(errno.EEXIST, errno.EISDIR, errno.ENOTDIR, errno.ENOTEMPTY, errno.ELOOP),  # in the way
        *(errno.EIO, errno.ENAMETOOLONG),
    )
)
"""Errors of the file system that the user can fix."""
_ABANDONED = 24 * 60 * 60
"""Seconds after which a temporary file counts as abandoned."""


@contextlib.contextmanager
def unfinished(target: Path, *, keep: bool = False) -> Iterator[Path]:
    """Yield the path to make a file or folder at; it replaces `target` if the block succeeds.

    Args:
        target: the file or folder.
        keep: keep the folder if there is one.

    Raises:
        CoralError: writing fails, see `writing`; `target` is unchanged.
    """
    prefix = f".{target.name}.unfinished-"
    with writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        for left in target.parent.iterdir():
            if left.name.startswith(prefix) and is_abandoned(left):
                shutil.rmtree(left, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix=prefix, dir=target.parent) as folder:
            complete = Path(folder, target.name)
            yield complete
            if not keep and complete.is_dir():
                with contextlib.suppress(FileNotFoundError):
                    target.rename(Path(folder, "replaced"))
            try:
                complete.replace(target)
            except OSError as error:
                # Another process has put the same folder there meanwhile.
                if error.errno not in (errno.EEXIST, errno.ENOTEMPTY):
                    raise


@contextlib.contextmanager
def atomic(file: Path, mode: int | None = None) -> Iterator[IO[bytes]]:
    """Open a file that replaces `file` if the block succeeds; errors as in `unfinished`.

    Args:
        file: the file.
        mode: its final mode; None for the default.
    """
    with unfinished(file) as complete:
        with complete.open("wb") as stream:
            yield stream
        if mode is not None:
            complete.chmod(mode)


@contextlib.contextmanager
def writing(target: Path) -> Iterator[None]:
    """Report file system errors while writing `target`.

    Raises:
        CoralError: the disk is full or not writable, or something else is in the way.
    """
    try:
        yield
    except OSError as error:
        # shutil.Error lists the error of each file of a tree.
        if error.errno not in _REFUSED and not isinstance(error, shutil.Error):
            raise
        raise CoralError(
            "a file or folder cannot be written",
            file=target,
            found=error.strerror or str(error),
            action="free space, grant write access or remove what is in the way, then run again; "
            "finished work is kept",
        ) from None


def check_free(*targets: Path | None) -> None:
    """Check, before long work, that the targets are distinct, do not exist and can be created.

    Raises:
        CoralError: a target is given twice or exists, or its folder cannot be made or written.
    """
    given: set[Path] = set()
    for target in filter(None, targets):
        if target.resolve() in given:
            raise CoralError(
                "two files would be written to one path", file=target, action="choose another path"
            )
        given.add(target.resolve())
        with reading(target):
            taken = target.exists()
        if taken:
            action = "choose another path, or remove it"
            raise CoralError("this path already exists", file=target, action=action)
        # Missing folders are created.
        place = next(folder for folder in target.parents if folder.exists())
        if not (place.is_dir() and os.access(place, os.W_OK | os.X_OK)):
            raise CoralError(
                "cannot create this path",
                file=target,
                found=f"{place} is not a folder, or not a writable one",
            )


def is_abandoned(left: Path) -> bool:
    """Whether a temporary file is a leftover of a killed run."""
    with contextlib.suppress(OSError):  # finished or removed meanwhile
        return time.time() - left.stat().st_mtime > _ABANDONED
    return False
