"""A program as its text, tokens and syntax tree, with one way to name places: character offsets.

Lint errors are put into programs as edits of the text; everything that is not edited stays as it
was, to the letter.
"""

from __future__ import annotations

import ast
import functools
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, order=True)
class Edit:
    """Replace the characters from `start` up to `end` by `text`."""

    start: int
    end: int
    text: str


Site = tuple[Edit, ...]
"""Edits that belong together: all of them put one lint error in."""


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


class View:
    """A program that parses.

    Args:
        code: its source, ending in a newline.

    Raises:
        SyntaxError: it does not parse.
    """

    def __init__(self, code: str) -> None:
        self.code = code
        self.tree = ast.parse(code)
        self._texts = code.split("\n")
        self._starts = [0]
        for text in self._texts:
            self._starts.append(self._starts[-1] + len(text) + 1)

    @functools.cached_property
    def tokens(self) -> list[Token]:
        """Return all tokens but the line breaks and indentation."""
        # Not splitlines(): it also breaks at form feeds and others.
        lines = iter([text + "\n" for text in self._texts[:-1]])
        skipped = {tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT}
        skipped.add(tokenize.ENDMARKER)
        tokens = []
        depth = 0
        for kind, text, start, end, _ in tokenize.generate_tokens(lambda: next(lines, "")):
            depth -= text in (")", "]", "}")
            if kind not in skipped:
                first = self._starts[start[0] - 1] + start[1]
                last = self._starts[end[0] - 1] + end[1]
                tokens.append(Token(kind, text, first, last, start[0], depth))
            depth += text in ("(", "[", "{")
        return tokens

    @functools.cached_property
    def lines(self) -> list[Line]:
        """Return the lines."""
        return [
            Line(start, start + len(text) - len(text.lstrip(" \t")), start + len(text))
            for start, text in zip(self._starts, self._texts, strict=False)
        ]

    def neighbours(self) -> Iterator[tuple[Token, Token]]:
        """Yield the pairs of tokens that follow each other on one line."""
        for left, right in pairwise(self.tokens):
            if left.line == right.line and "\n" not in left.text:
                yield left, right

    def logical_lines(self) -> list[Line]:
        """Return the lines on which a statement, a clause or a comment begins."""
        lines = []
        for token in self.tokens:
            line = self.lines[token.line - 1]
            continued = token.depth or token.text in (")", "]", "}")
            if token.start == line.text_start and not continued:
                if self.code[: line.start].endswith("\\\n"):
                    continue
                lines.append(line)
        return lines

    def start(self, node: ast.stmt | ast.expr) -> int:
        """Return the offset of a node's first character."""
        return self._offset(node.lineno, node.col_offset)

    def end(self, node: ast.stmt | ast.expr) -> int:
        """Return the offset behind a node's last character."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._offset(node.end_lineno, node.end_col_offset)

    def text(self, node: ast.stmt | ast.expr) -> str:
        """Return a node's source."""
        return self.code[self.start(node) : self.end(node)]

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

    def _offset(self, line: int, column: int) -> int:
        """Return the offset of a node's position, whose column counts bytes of UTF-8."""
        text = self._texts[line - 1]
        return self._starts[line - 1] + len(text.encode()[:column].decode())


def apply(code: str, edits: Iterable[Edit]) -> str:
    """Return `code` with the edits made; they do not overlap."""
    for edit in sorted(edits, reverse=True):
        code = code[: edit.start] + edit.text + code[edit.end :]
    return code
