"""A program as its text, lines, tokens and syntax tree."""

from __future__ import annotations

import ast
import functools
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from coral_batch.corpus.code.edits import Edit, Source
from coral_batch.corpus.code.tokens import tokens_of

Site = tuple[Edit, ...]
"""Edits that together put one lint error in."""

Sites = Callable[["View"], Iterator[Site]]
"""Finds the places of a program where a lint error can be put in."""

_SKIPPED = {tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


@dataclass(frozen=True)
class Token:
    """A token; `kind` is a number of the module `token`, `depth` counts the open brackets."""

    kind: int
    text: str
    start: int
    end: int
    line: int
    depth: int


@dataclass(frozen=True)
class Line:
    """A line of text: offsets of its first character, its first non-blank and its end."""

    start: int
    text_start: int
    end: int

    @property
    def indent(self) -> int:
        """Width of its indentation, in characters."""
        return self.text_start - self.start


class View(Source):
    """A program that parses.

    Args:
        text: its source, ending in a newline.

    Raises:
        SyntaxError: it does not parse.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text, ast.parse(text))

    @functools.cached_property
    def tokens(self) -> list[Token]:
        """Return all tokens but the line breaks and indentation."""
        tokens = []
        depth = 0
        for kind, text, start, end, _ in tokens_of(self.text):
            depth -= text in (")", "]", "}")
            if kind not in _SKIPPED:
                first = self.starts[start[0] - 1] + start[1]
                last = self.starts[end[0] - 1] + end[1]
                tokens.append(Token(kind, text, first, last, start[0], depth))
            depth += text in ("(", "[", "{")
        return tokens

    @functools.cached_property
    def lines(self) -> list[Line]:
        """Return the lines."""
        return [
            Line(start, start + len(text) - len(text.lstrip(" \t")), start + len(text))
            for start, text in zip(self.starts, self.text.split("\n"), strict=True)
        ]

    def neighbours(self) -> Iterator[tuple[Token, Token]]:
        """Yield the pairs of tokens that follow each other on one line."""
        for left, right in pairwise(self.tokens):
            if left.line == right.line and "\n" not in left.text:
                yield left, right

    def logical_lines(self) -> Iterator[Line]:
        """Yield the lines on which a statement, a clause or a comment begins."""
        for token in self.tokens:
            line = self.lines[token.line - 1]
            inside = token.depth or token.text in (")", "]", "}")
            continued = inside or self.text.endswith("\\\n", 0, line.start)
            if token.start == line.text_start and not continued:
                yield line

    def line(self, node: ast.stmt | ast.expr) -> Line:
        """Return the line that a node begins on."""
        return self.lines[node.lineno - 1]

    def names(self) -> set[str]:
        """Return every name in the program."""
        return {token.text for token in self.tokens if token.kind == tokenize.NAME} | {
            node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)
        }

    def bodies(self) -> Iterator[list[ast.stmt]]:
        """Yield every suite of statements, the module's included."""
        for node in ast.walk(self.tree):
            for field in ("body", "orelse", "finalbody"):
                suite = getattr(node, field, None)
                if isinstance(suite, list) and suite and isinstance(suite[0], ast.stmt):
                    yield suite

    def functions(self) -> list[ast.FunctionDef]:
        """Return the functions at module level."""
        return [node for node in self.tree.body if isinstance(node, ast.FunctionDef)]
