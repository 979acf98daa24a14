"""Errors that users see.

Every error that a user can cause or fix (bad input, missing file, full disk) is a `CoralError`. The
command line prints it without a traceback and exits with status 1. `coral repair` exits with
`UNTRIED` instead; there, 1 means that it found no repair. Any other exception is a bug in this
project and keeps its traceback.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

UNTRIED = 2
"""Exit status of `coral repair` when it could not try to repair."""


class CoralError(Exception):
    """A problem the user can act on.

    Args:
        problem: what is wrong: one sentence, without a full stop.
        file: the file it was found in.
        field: the field, row or line inside the file, e.g. ``row 3, candidates.r``.
        found: the offending value; shown with repr() and cut to 200 characters, None as ``null``.
        expected: what is accepted, in words.
        action: what the user should do.
    """

    def __init__(
        self,
        problem: str,
        *,
        file: Path | str | None = None,
        field: str | None = None,
        found: object = ...,
        expected: str | None = None,
        action: str | None = None,
    ) -> None:
        lines = [problem]
        if file is not None:
            lines.append(f"  file:     {file}")
        if field is not None:
            lines.append(f"  field:    {field}")
        if found is not ...:
            lines.append(f"  found:    {'null' if found is None else shorten(found)}")
        if expected is not None:
            lines.append(f"  expected: {expected}")
        if action is not None:
            lines.append(f"  do:       {action}")
        super().__init__("\n".join(lines))


def check_known(
    problem: str,
    found: str,
    known: Iterable[object],
    *,
    file: Path | None = None,
    field: str | None = None,
) -> None:
    """Check that a name is one of `known`.

    Raises:
        CoralError: it is not.
    """
    names = list(dict.fromkeys(map(str, known)))
    if found not in names:
        expected = f"one of {', '.join(names)}"
        raise CoralError(problem, file=file, field=field, found=found, expected=expected)


def apart(found: str, file: Path | None = None) -> CoralError:
    """Return the error for tables of different runs, as found in `file`."""
    problem = "the tables come from different runs"
    return CoralError(problem, file=file, found=found, action="run `dvc repro`")


class Unfit(CoralError):
    """A program cannot be shown to the model: it is too long, or contains a special token."""


@contextmanager
def reading(place: Path) -> Iterator[None]:
    """Turn an `OSError` into a `CoralError` that says why a path cannot be read.

    Raises:
        CoralError: access is denied, the name is too long, or the file system fails.
    """
    try:
        yield
    except OSError as error:
        raise CoralError(
            "a file or folder cannot be read",
            file=error.filename or place,
            found=error.strerror or str(error),
            action="grant read access, or give another path",
        ) from None


def shorten(value: object) -> str:
    """Return repr() of a value, cut to 200 characters."""
    return cut(repr(value))


def cut(text: str) -> str:
    """Return a text, cut to 200 characters."""
    return text if len(text) <= 200 else text[:197] + "..."
