"""A picture of one history as text for a terminal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Two cells on top of each other, indexed by 2 * upper + lower.
_HALF_BLOCKS = np.array([" ", "\u2584", "\u2580", "\u2588"])


def draw(cells: NDArray[np.uint8]) -> str:
    """Return the first, the middle and the last grid side by side, under a line with their steps.

    Args:
        cells: (steps + 1, height, width) array of 0 and 1.

    Returns:
        1 + ceil(height / 2) lines; a character holds two cells on top of each other.
    """
    steps, height, width = cells.shape[0] - 1, cells.shape[1], cells.shape[2]
    shown = (0, steps // 2, steps)
    even = np.pad(cells[list(shown)], ((0, 0), (0, height % 2), (0, 0)))
    blocks = _HALF_BLOCKS[2 * even[:, ::2] + even[:, 1::2]]
    title = "  ".join(f"step {step}"[:width].ljust(width) for step in shown)
    rows = ["  ".join("".join(row) for row in grids) for grids in blocks.swapaxes(0, 1)]
    return "\n".join([title, *rows])
