"""Frames on the socket between a jailed process and its judge: four bytes of length, then data."""

from __future__ import annotations

import os


class Channel:
    """One end of the socket."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def receive(self) -> bytes | None:
        """Return the next frame, or None when the judge has closed its side."""
        header = self._read(4)
        return None if header is None else self._read(int.from_bytes(header, "little"))

    def send(self, text: str) -> None:
        """Send one frame of ASCII text."""
        data = memoryview(len(text).to_bytes(4, "little") + text.encode("ascii"))
        while data:
            data = data[os.write(self._descriptor, data) :]

    def _read(self, size: int) -> bytes | None:
        parts = []
        while size:
            part = os.read(self._descriptor, min(size, 1 << 20))
            if not part:
                return None
            parts.append(part)
            size -= len(part)
        return b"".join(parts)
