"""Whole files or none: how every file of the lake and the store is written."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from coral_batch.errors import CoralError


@contextlib.contextmanager
def atomic(file: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces `file` when the block ends without an exception.

    Raises:
        CoralError: the folder or the file cannot be written; `file` is as it was before.
    """
    temporary = None
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(file)
    except BaseException as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise CoralError(
                "a file cannot be written",
                file=file,
                found=error.strerror,
                action="free space or grant write access, and run again; nothing was changed",
            ) from None
        raise
