"""Read text that a user brings: UTF-8, or a clear error."""

from __future__ import annotations

from pathlib import Path

from coral_batch.errors import CoralError


def read_text(file: Path) -> str:
    """Read a UTF-8 file with universal newlines.

    Raises:
        CoralError: it is missing, cannot be read or is not UTF-8.
    """
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise CoralError("the corpus lacks a file", file=file) from None
    except (UnicodeDecodeError, OSError) as error:
        raise CoralError(
            "a file of the corpus cannot be read", file=file, found=str(error)
        ) from None
