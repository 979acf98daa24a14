"""What JSON and files let into a text and no program can hold."""

from __future__ import annotations

from pathlib import Path

from coral_batch.errors import CoralError
from coral_batch.linting.pool import MAX_BYTES


def check_text(text: str, file: Path, field: str) -> None:
    """Check what JSON lets into a string and no program can hold.

    Raises:
        CoralError: a null byte, a lone surrogate, or more than `MAX_BYTES` bytes of UTF-8.
    """
    if "\0" in text:
        raise CoralError(
            "a null byte in a text",
            file=file,
            field=f"{field}, character {text.index(chr(0)) + 1}",
            expected="text without null bytes",
        )
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise CoralError(
            "a text that UTF-8 cannot hold", file=file, field=field, found=str(error)
        ) from None
    if size > MAX_BYTES:
        raise CoralError(
            "a text is too long",
            file=file,
            field=field,
            found=f"{size} bytes",
            expected=f"at most {MAX_BYTES}",
        )
