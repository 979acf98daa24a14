"""SHA-256 of files and of code, and checks against recorded hashes."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from coral_batch.errors import CoralError, reading


def file_sha256(file: Path) -> str:
    """Return the SHA-256 of a file's bytes, hexadecimal.

    Raises:
        CoralError: it cannot be read.
    """
    with reading(file), file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def found_sha256(file: Path) -> str:
    """Return a file's `file_sha256`, or "no such file" if the path is not a regular file."""
    return file_sha256(file) if file.is_file() else "no such file"


def folder_hashes(folder: Path) -> dict[str, str]:
    """Return the `file_sha256` of each file of a folder, by name."""
    return {file.name: file_sha256(file) for file in sorted(folder.iterdir())}


def code_sha256(files: Iterable[Path]) -> str:
    """Return the SHA-256, hexadecimal, of the syntax trees of Python files, in their order.

    Comments, docstrings and layout do not count. Empty fields are left out, so that fields added by
    a newer Python do not change the hash.
    """
    trees = [_meaning(ast.parse(file.read_bytes(), file)) for file in files]
    return hashlib.sha256(repr(trees).encode()).hexdigest()


def _meaning(node: object) -> object:
    if isinstance(node, list):
        return [_meaning(one) for one in node if not _is_text(one)]
    if not isinstance(node, ast.AST):
        return node
    fields = [(name, _meaning(value)) for name, value in ast.iter_fields(node)]
    return type(node).__name__, [(name, value) for name, value in fields if value not in (None, [])]


def _is_text(node: object) -> bool:
    """Whether a statement is only a string, such as a docstring."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def check_files(folder: Path, files: Mapping[str, str], vouched: str, action: str) -> None:
    """Check files against recorded hashes.

    Args:
        folder: the files' folder.
        files: name -> SHA-256, hexadecimal.
        vouched: what recorded the hashes, for the message.
        action: what to do, for the message.

    Raises:
        CoralError: a file is missing or has another SHA-256.
    """
    for name, expected in files.items():
        file = folder / name
        found = found_sha256(file)
        if found != expected:
            raise CoralError(
                f"a file does not match {vouched}",
                file=file,
                field="SHA-256",
                found=found,
                expected=expected,
                action=action,
            )
