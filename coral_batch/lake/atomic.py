"""Whole files or none: how every file of the lake and the store is written.

What is finished is forced to the disk together with the folders that name it, so that a power cut
takes nothing back. What a killed run left unfinished goes when the same thing is written again.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from coral_batch.errors import CoralError

_REFUSED = frozenset(
    (
        *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG),  # full
        *(errno.EACCES, errno.EPERM, errno.EROFS),  # closed
        *(errno.EEXIST, errno.EISDIR, errno.ENOTDIR, errno.ENOTEMPTY, errno.ELOOP),  # in the way
        *(errno.EIO, errno.ENAMETOOLONG),
    )
)
"""What a file system says that takes no file or folder, which a user can mend."""


@contextlib.contextmanager
def atomic(file: Path, mode: int = 0o644) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces `file` when the block ends without an exception.

    Args:
        file: the file.
        mode: its mode afterwards.

    Raises:
        CoralError: the folder or the file cannot be written; `file` is as it was before.
    """
    temporary = None
    try:
        make_folder(file.parent)
        _sweep(file)
        handle, temporary = _begin(file)
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            Path(temporary).chmod(mode)
            os.fsync(stream.fileno())
            Path(temporary).replace(file)
        sync(file.parent)
    except BaseException as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _not_written(file, error) from None
        raise


def mode_by_umask() -> int:
    """Return the mode that a new file of a user gets, by what the user's umask takes away."""
    mask = os.umask(0o077)  # which tells it only by setting another
    os.umask(mask)
    return 0o666 & ~mask


def _begin(file: Path) -> tuple[int, str]:
    """Make and lock the temporary file of `file`; return its descriptor and its name."""
    while True:
        handle, temporary = tempfile.mkstemp(prefix=_unfinished(file), dir=file.parent)
        fcntl.flock(handle, fcntl.LOCK_EX)
        if Path(temporary).exists():
            return handle, temporary
        os.close(handle)  # before it was locked, another run took it for what a killed one left


@contextlib.contextmanager
def writing(target: Path) -> Iterator[None]:
    """Let what writes `target` tell a user of a disk that does not take it.

    Raises:
        CoralError: the disk is full, may not be written to, or has something else in that place.
    """
    try:
        yield
    except OSError as error:
        # Of a tree that cannot be copied, shutil lists what it was told of each file.
        if error.errno not in _REFUSED and not isinstance(error, shutil.Error):
            raise
        raise _not_written(target, error) from None


def _not_written(target: Path, error: OSError) -> CoralError:
    return CoralError(
        "a file or folder cannot be written",
        file=target,
        found=error.strerror or str(error),
        action="free space, grant write access or clear what lies there, and run again; what was"
        " finished is kept",
    )


@contextlib.contextmanager
def unfinished_folder(target: Path) -> Iterator[Path]:
    """Make a folder beside `target`, to make that in; it is gone after the block.

    Raises:
        CoralError: it cannot be made, or what is written in the block is not taken; see `writing`.
    """
    with writing(target):
        make_folder(target.parent)
        _sweep(target)
        with contextlib.ExitStack() as stack:
            folder = None
            while folder is None or not folder.exists():  # as in `_begin`
                made = tempfile.TemporaryDirectory(prefix=_unfinished(target), dir=target.parent)
                folder = Path(stack.enter_context(made))
                with contextlib.suppress(FileNotFoundError):
                    stack.enter_context(locked(folder))
            yield folder


def move_into_place(complete: Path, target: Path) -> None:
    """Let a folder made in an `unfinished_folder` of `target` replace what lies there.

    It waits for the lock of the folder that `target` is in, which nobody above may hold: an
    `unfinished_folder` is locked itself.

    Raises:
        OSError: it cannot be moved there.
    """
    with locked(target.parent):  # of several writers, one at a time
        if target.exists():
            target.rename(complete.with_name("replaced"))
        complete.rename(target)
        sync(target.parent)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Wait until no other process of this machine has locked a file or folder; lock it meanwhile.

    Raises:
        OSError: it is not there, or cannot be opened.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def is_locked(path: Path) -> bool:
    """Whether a process of this machine has `locked` a file or folder."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:  # it is finished or removed meanwhile, or not for us
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _unfinished(target: Path) -> str:
    return f".{target.name}.unfinished-"


def _sweep(target: Path) -> None:
    """Remove what killed runs left of `target`; what another run is at work on is locked."""
    for path in target.parent.iterdir():
        if not path.name.startswith(_unfinished(target)):
            continue
        # It may be finished or removed meanwhile; what cannot be removed stays.
        with contextlib.suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            finally:
                os.close(descriptor)


def make_folder(folder: Path) -> None:
    """Make a folder and those above it where they are missing, and force their names to the disk.

    Raises:
        OSError: one cannot be made.
    """
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for place in missing:
        sync(place.parent)


def sync(path: Path) -> None:
    """Force a file, or the names in a folder, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_tree(folder: Path) -> None:
    """Force a folder and everything in it to the disk; where a link leads is not its own."""
    for path in (*folder.rglob("*"), folder):
        if not path.is_symlink():
            sync(path)
