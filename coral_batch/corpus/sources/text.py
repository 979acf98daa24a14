"""Read a user's text files: UTF-8, with or without a byte order mark."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from coral_batch.errors import CoralError


def read_text(file: Path) -> str:
    """Read a UTF-8 file with universal newlines, its byte order mark skipped; ``.gz`` is unpacked.

    Raises:
        CoralError: it is missing, cannot be read, is damaged or is not UTF-8.
    """
    try:
        if file.suffix != ".gz":
            return file.read_text(encoding="utf-8-sig")
        with gzip.open(file, "rt", encoding="utf-8-sig") as stream:
            return stream.read()
    except FileNotFoundError:
        raise CoralError("there is no such file", file=file) from None
    except (UnicodeDecodeError, OSError, EOFError, zlib.error) as error:
        raise CoralError("the file cannot be read", file=file, found=str(error)) from None
