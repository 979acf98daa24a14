"""Read text that a user brings: UTF-8, with a byte order mark or without, or a clear error."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from coral_batch.errors import CoralError

MAX_BYTES = 1 << 30
"""Most bytes that a compressed file may hold: several times the largest published data set."""


def read_text(file: Path) -> str:
    """Read a UTF-8 file with universal newlines, its byte order mark skipped; ``.gz`` is unpacked.

    Raises:
        CoralError: it is missing, cannot be read, is damaged or is not UTF-8.
    """
    try:
        if file.suffix == ".gz":
            return _unpacked(file)
        return file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise CoralError("there is no such file", file=file) from None
    except (UnicodeDecodeError, OSError, EOFError, zlib.error) as error:
        raise CoralError("the file cannot be read", file=file, found=str(error)) from None


def _unpacked(file: Path) -> str:
    with gzip.open(file) as stream:
        content = stream.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise CoralError(
            "the file is too large",
            file=file,
            expected=f"at most {MAX_BYTES} bytes unpacked",
        )
    return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
