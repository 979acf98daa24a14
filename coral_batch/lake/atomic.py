"""Whole files and folders or none: how everything in the lake is written.

A file or folder is made under another name beside its place, and renamed. What a killed run left
unfinished is removed when the same thing is written again, after a day.
"""

from __future__ import annotations

import contextlib
import errno
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
"""What a file system says that takes no file or folder, which a user can mend."""
_ABANDONED = 24 * 60 * 60
"""Seconds after which nobody can still be writing something."""


@contextlib.contextmanager
def unfinished(target: Path, *, keep: bool = False) -> Iterator[Path]:
    """Yield the path to make a file or folder at; it replaces `target` if the block succeeds.

    Args:
        target: the file or folder.
        keep: whether a folder that another process has put there meanwhile stays in its place.

    Raises:
        CoralError: the disk does not take it, see `writing`; `target` is as it was before.
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
            if not keep and complete.is_dir() and target.exists():
                target.rename(Path(folder, "replaced"))
            try:
                complete.replace(target)
            except OSError as error:
                if not keep or error.errno not in (errno.EEXIST, errno.ENOTEMPTY):
                    raise


@contextlib.contextmanager
def atomic(file: Path, mode: int | None = None) -> Iterator[IO[bytes]]:
    """Open a file that replaces `file` if the block succeeds; errors as in `unfinished`.

    Args:
        file: the file.
        mode: its mode afterwards; None for that of a new file.
    """
    with unfinished(file) as complete:
        with complete.open("wb") as stream:
            yield stream
        if mode is not None:
            complete.chmod(mode)


@contextlib.contextmanager
def writing(target: Path) -> Iterator[None]:
    """Let what writes `target` report a disk that does not take it.

    Raises:
        CoralError: the disk is full, may not be written to, or has something else in that place.
    """
    try:
        yield
    except OSError as error:
        # Of a tree that cannot be copied, shutil lists the error of each file.
        if error.errno not in _REFUSED and not isinstance(error, shutil.Error):
            raise
        raise CoralError(
            "a file or folder cannot be written",
            file=target,
            found=error.strerror or str(error),
            action="free space, grant write access or clear what lies there, and run again; what"
            " was finished is kept",
        ) from None


def check_free(*targets: Path | None) -> None:
    """Check, before what takes long, that files or folders can be made where nothing lies yet.

    Raises:
        CoralError: something is there already, or in the place of a folder above.
    """
    for target in filter(None, targets):
        with reading(target):
            taken = target.exists()
        if taken:
            action = "name another place, or remove it"
            raise CoralError("there is something already", file=target, action=action)
        # Folders that are missing are made.
        place = next(folder for folder in target.parents if folder.exists())
        if not place.is_dir():
            raise CoralError("no file can be there", file=target, found=f"{place} is no folder")


def is_abandoned(left: Path) -> bool:
    """Whether a kill left something behind, which nobody can still be writing."""
    with contextlib.suppress(OSError):  # it is finished or removed meanwhile
        return time.time() - left.stat().st_mtime > _ABANDONED
    return False
