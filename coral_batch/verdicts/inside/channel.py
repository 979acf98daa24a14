"""Frames on the socket between a jailed process and its judge: four bytes of length, then data.

The judge sends one frame at a time: the next one only when it was answered.
"""

from __future__ import annotations

import os


class Channel:
    """One end of the socket."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def receive(self) -> bytes | None:
        """Return the next frame, or None when the judge has closed its side."""
        data = os.read(self._descriptor, 1 << 16)
        if not data:
            return None
        size = 4 + int.from_bytes(data[:4], "little")
        while len(data) < size:
            part = os.read(self._descriptor, size - len(data))
            if not part:
                return None
            data += part
        return data[4:]

    def send(self, text: str) -> None:
        """Send one frame of ASCII text."""
        data = memoryview(len(text).to_bytes(4, "little") + text.encode("ascii"))
        while data:
            data = data[os.write(self._descriptor, data) :]
