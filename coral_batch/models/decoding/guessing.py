"""Guesses what comes next in a text from what followed its last two tokens before.

A repair copies most of the program in its prompt, so a lookup in the text itself is right more
often than not, and costs nothing (Saxena 2023, "Prompt lookup decoding"). A guess is never taken
on trust: see `engine`.
"""

from __future__ import annotations

from collections.abc import Iterable


class Text:
    """A growing text of tokens that remembers what followed every pair of them last.

    Attributes:
        tokens: the text so far.
    """

    def __init__(self, tokens: Iterable[int]) -> None:
        self.tokens: list[int] = []
        self._followed: dict[tuple[int, int], int] = {}
        for token in tokens:
            self.append(token)

    def append(self, token: int) -> None:
        """Let the text go on with `token`."""
        if len(self.tokens) > 1:
            self._followed[self.tokens[-2], self.tokens[-1]] = len(self.tokens)
        self.tokens.append(token)

    def guess(self, count: int) -> list[int]:
        """Return at most `count` tokens that may come next, none when the last two are new."""
        if len(self.tokens) < 2:
            return []
        start = self._followed.get((self.tokens[-2], self.tokens[-1]))
        return [] if start is None else self.tokens[start : start + count]
