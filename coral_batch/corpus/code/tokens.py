"""The tokens of a program, the same on every Python."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterator

_START = getattr(tokenize, "FSTRING_START", None)
_END = getattr(tokenize, "FSTRING_END", None)


def tokens_of(source: str) -> Iterator[tokenize.TokenInfo]:
    """Yield the tokens of a program, each f-string as one, as `tokenize` did until Python 3.11.

    Args:
        source: a program that parses.
    """
    text = io.StringIO(source, newline=None).getvalue()
    lines = text.split("\n")
    opened: list[tuple[int, int]] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == _START:
            opened.append(token.start)
        elif token.type == _END:
            start = opened.pop()
            if not opened:
                string = _cut(lines, start, token.end)
                yield tokenize.TokenInfo(tokenize.STRING, string, start, token.end, token.line)
        elif not opened:
            yield token


def _cut(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    """Return the text between two positions, each a line from 1 and a column from 0."""
    cut = lines[start[0] - 1 : end[0]]
    cut[-1] = cut[-1][: end[1]]
    cut[0] = cut[0][start[1] :]
    return "\n".join(cut)
