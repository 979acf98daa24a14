"""Guess a text's next tokens from those that followed its last two tokens earlier.

A repair copies most of the program in its prompt, so this lookup is usually right and costs nothing
(Saxena 2023, "Prompt lookup decoding"). The engine verifies every guess.
"""

from __future__ import annotations

from collections.abc import Iterable


class Text:
    """A growing text of tokens, with the latest successor of each pair of tokens.

    Attributes:
        tokens: the text so far.
    """

    def __init__(self, tokens: Iterable[int]) -> None:
        self.tokens: list[int] = []
        self._followed: dict[tuple[int, int], int] = {}
        for token in tokens:
            self.append(token)

    def append(self, token: int) -> None:
        """Append `token`."""
        if len(self.tokens) > 1:
            self._followed[self.tokens[-2], self.tokens[-1]] = len(self.tokens)
        self.tokens.append(token)

    def guess(self, count: int) -> list[int]:
        """Return at most `count` guessed next tokens, none if the last pair is new."""
        if len(self.tokens) < 2:
            return []
        start = self._followed.get((self.tokens[-2], self.tokens[-1]))
        return [] if start is None else self.tokens[start : start + count]
