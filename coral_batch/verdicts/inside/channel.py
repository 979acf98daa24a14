"""Frames on the socket between a jailed process and its judge: four bytes of length, then data.

The judge sends the next frame only after an answer. These are functions on the descriptor instead
of an object, because each new object costs a child a page.
"""

from __future__ import annotations

import os
from functools import partial

# Tests may replace os.write, and pyfakefs even functions that were imported by name.
read, write = partial(os.read), partial(os.write)


def receive(descriptor: int) -> bytes | None:
    """Return the next frame, or None if the judge has closed its side."""
    data = read(descriptor, 1 << 16)
    if not data:
        return None
    size = 4 + int.from_bytes(data[:4], "little")
    while len(data) < size:
        part = read(descriptor, size - len(data))
        if not part:
            return None
        data += part
    return data[4:]


def send(descriptor: int, text: str) -> None:
    """Send one frame of ASCII text."""
    data = len(text).to_bytes(4, "little") + text.encode("ascii")
    while data:
        data = data[write(descriptor, data) :]
