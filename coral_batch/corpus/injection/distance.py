"""How far two programs are apart, in tokens; comments and layout aside."""

from __future__ import annotations

import tokenize
from collections.abc import Sequence
from itertools import takewhile

from coral_batch.corpus.split.tokens import tokens_of

_LAYOUT = frozenset({tokenize.COMMENT, tokenize.NL, tokenize.ENDMARKER})
_BLOCKS = frozenset({tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT})

_Token = tuple[int, str]


def token_distance(one: str, other: str) -> int:
    """Return the least number of tokens to insert, delete or replace (Levenshtein).

    The ends of statements and blocks are tokens, however they are written.

    Args:
        one: a program that parses.
        other: another one.
    """
    left, right = _tokens(one), _tokens(other)
    start = _shared(left, right)
    left, right = left[start:][::-1], right[start:][::-1]
    end = _shared(left, right)
    left, right = left[end:], right[end:]
    row = list(range(len(right) + 1))
    for number, token in enumerate(left, start=1):
        diagonal, row[0] = row[0], number
        for place, other_token in enumerate(right, start=1):
            replaced = diagonal + (token != other_token)
            diagonal = row[place]
            row[place] = min(replaced, row[place] + 1, row[place - 1] + 1)
    return row[-1]


def _shared(one: Sequence[_Token], other: Sequence[_Token]) -> int:
    """Return how many tokens two programs begin with alike."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _tokens(code: str) -> list[_Token]:
    return [
        (token.type, "" if token.type in _BLOCKS else token.string)
        for token in tokens_of(code)
        if token.type not in _LAYOUT
    ]
