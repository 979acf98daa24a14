"""The readers of corpora, one module each. params.yaml names a reader by its module.

A reader is a module in this folder with a function `read`. `READERS` finds it automatically.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Protocol, cast

from coral_batch.records.problem import DroppedProblem, Problem


class Reader(Protocol):
    """The interface of each module in this folder."""

    def read(self, path: Path) -> tuple[list[Problem], list[DroppedProblem]]:
        """Read every problem, in a fixed order.

        Args:
            path: the user's file or folder. A reader of a single file also accepts the file's
                folder, which may hold the roles as well.

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
