"""The readers of corpora, one module each. params.yaml names a reader by its module.

A reader is a module in this folder with a function `read`. `READERS` finds it automatically.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Protocol, cast

from coral_batch.errors import check_known
from coral_batch.records.problem import DroppedProblem, Problem


class Reader(Protocol):
    """The interface of each module in this folder."""

    def read(self, path: Path, origin: str) -> tuple[list[Problem], list[DroppedProblem]]:
        """Read every problem, in a fixed order.

        Args:
            path: the user's file or folder. A reader of a single file also accepts the file's
                folder, which may hold the roles as well.
            origin: what to record as each problem's origin.

        Returns:
            The problems, and the rows or files that cannot become problems, with reasons.

        Raises:
            CoralError: something is missing or not in the published format, or no problem is left.
        """


READERS: dict[str, Reader] = {
    module.name: cast(Reader, import_module(f"{__name__}.{module.name}"))
    for module in iter_modules(__path__)
}
"""Name -> reader."""


def reader_of(name: str, source: str) -> Reader:
    """Return the reader that params.yaml names for a source.

    Raises:
        CoralError: there is no such reader.
    """
    field = f"corpus.sources.{source}.reader"
    check_known("there is no such reader", name, READERS, file=Path("params.yaml"), field=field)
    return READERS[name]
