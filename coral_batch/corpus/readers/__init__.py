"""The forms that a corpus may have: a file per reader, whose name is what params.yaml calls it.

A reader is a module of this folder with a function `read`; `READERS` finds it by itself.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Protocol, cast

from coral_batch.errors import CoralError
from coral_batch.records.problem import DroppedProblem, Problem


class Reader(Protocol):
    """What each file in this folder has."""

    def read(self, path: Path, origin: str) -> tuple[list[Problem], list[DroppedProblem]]:
        """Read every problem, in a fixed order.

        Args:
            path: the file or folder that the user gives. A reader of a single file accepts a folder
                that holds it as well, beside which roles may stand.
            origin: what to record as each problem's origin.

        Returns:
            The problems, and the rows or files that can be none: one among thousands neither stops
            the others nor vanishes.

        Raises:
            CoralError: something is missing or not in the published format, or no problem is left.
        """


READERS: dict[str, Reader] = {
    module.name: cast(Reader, import_module(f"{__name__}.{module.name}"))
    for module in iter_modules(__path__)
}
"""Name -> reader."""


def reader_of(name: str, source: str) -> Reader:
    """Return the reader that params.yaml calls `name` where it has the source.

    Raises:
        CoralError: there is none.
    """
    if name not in READERS:
        raise CoralError(
            "there is no such reader",
            file="params.yaml",
            field=f"corpus.sources.{source}.reader",
            found=name,
            expected=f"one of {', '.join(READERS)}",
            action="see docs/corpora.md",
        )
    return READERS[name]
