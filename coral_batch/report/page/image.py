"""The history of an automaton as a PNG image in a data URI."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
from numpy.typing import NDArray

# Live cells in a blue that is visible on white and on black; dead cells are transparent.
_PALETTE = bytes((0, 0, 0, 61, 133, 198))
_TRANSPARENCY = bytes((0, 255))
_SNAPSHOTS = 5
_GAP = 2


def snapshots(cells: NDArray[np.uint8]) -> tuple[list[int], NDArray[np.uint8]]:
    """Return evenly spaced steps from the first to the last, and their grids side by side.

    Args:
        cells: (steps + 1, height, width) array of 0 and 1.

    Returns:
        At most 5 steps and a (height, ...) array of 0 and 1 with a gap between two grids.
    """
    last = len(cells) - 1
    steps = sorted({round(last * index / (_SNAPSHOTS - 1)) for index in range(_SNAPSHOTS)})
    gap = np.zeros((cells.shape[1], _GAP), np.uint8)
    parts = [part for step in steps for part in (cells[step], gap)]
    return steps, np.concatenate(parts[:-1], axis=1)


def slice_through_time(cells: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the middle row of every step, the first on top: a (steps + 1, width) array."""
    return cells[:, cells.shape[1] // 2]


def png(cells: NDArray[np.uint8]) -> bytes:
    """Return a PNG image (ISO/IEC 15948) with one pixel per cell and one bit per pixel.

    Args:
        cells: (height, width) array of 0 and 1.
    """
    height, width = cells.shape
    # Each row starts with its filter type: 0, none.
    rows = np.pad(np.packbits(cells, axis=1), ((0, 0), (1, 0)))
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 3, 0, 0, 0)),
            _chunk(b"PLTE", _PALETTE),
            _chunk(b"tRNS", _TRANSPARENCY),
            _chunk(b"IDAT", zlib.compress(rows.tobytes(), 9)),
            _chunk(b"IEND", b""),
        )
    )


def data_uri(cells: NDArray[np.uint8]) -> str:
    """Return the image of `png` as a data URI."""
    return "data:image/png;base64," + base64.b64encode(png(cells)).decode()


def _chunk(kind: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)
