"""What a stage says while it works: progress bars, silent when the output is not a terminal, and
what the store saved it, always.
"""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from tqdm import tqdm


def progress(
    iterable: Iterable[Any] | None, what: str, total: float | None = None, **kwargs: Any
) -> Any:
    """Wrap `iterable` in a tqdm bar labelled `what`; without an iterable, return a manual bar.

    The bar goes to stderr. It is disabled when stderr is not a terminal (tqdm's ``disable=None``),
    and in worker processes, whose bars would overwrite one another.
    """
    disable = None if multiprocessing.parent_process() is None else True
    return tqdm(iterable, desc=what, total=total, disable=disable, dynamic_ncols=True, **kwargs)


def say_reuse(what: str, saved: Sequence[float], spent: Sequence[float]) -> None:
    """Say on stderr how many results came from the store, and what making them had taken.

    Args:
        what: what the results are, in the plural.
        saved: the seconds that each result from the store had taken when it was made.
        spent: the seconds that each other result took now.
    """
    print(
        f"coral: {what}: {len(saved)} of {len(saved) + len(spent)} from the store, which had taken "
        f"{sum(saved):.1f} s; {len(spent)} made now in {sum(spent):.1f} s",
        file=sys.stderr,
    )
