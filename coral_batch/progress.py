"""Progress bars: one look for all stages, silent when the output is not a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tqdm import tqdm


def progress(
    iterable: Iterable[Any] | None, what: str, total: float | None = None, **kwargs: Any
) -> Any:
    """Wrap `iterable` in a tqdm bar labelled `what`; without an iterable, return a manual bar.

    The bar goes to stderr and is disabled when stderr is not a terminal (tqdm's ``disable=None``).
    """
    return tqdm(iterable, desc=what, total=total, disable=None, dynamic_ncols=True, **kwargs)
