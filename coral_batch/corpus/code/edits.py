"""Edits of a program's text, and the positions of its nodes in it, as character offsets.

Bugs and lint errors are inserted as edits, so the rest of the text stays unchanged.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass

LINE_END = re.compile(r"\r\n|\r|\n")
"""Python's line endings; `str.splitlines` also splits at form feeds and others."""

Node = ast.expr | ast.stmt | ast.arg


@dataclass(frozen=True, order=True)
class Edit:
    """Replace the characters from `start` up to `end` by `text`."""

    start: int
    end: int
    text: str


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with the edits applied; edits must not overlap."""
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


class Source:
    """A program that parses.

    Args:
        text: its source.
        tree: its syntax tree.

    Attributes:
        starts: the offset of each line.
    """

    def __init__(self, text: str, tree: ast.Module) -> None:
        self.text = text
        self.tree = tree
        self.starts = [0, *(found.end() for found in LINE_END.finditer(text))]

    def start(self, node: Node) -> int:
        """Return the offset of a node's first character."""
        return self._offset(node.lineno, node.col_offset)

    def end(self, node: Node) -> int:
        """Return the offset after a node's last character."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._offset(node.end_lineno, node.end_col_offset)

    def code(self, node: Node) -> str:
        """Return a node's text, without brackets around it."""
        return self.text[self.start(node) : self.end(node)]

    def replace(self, node: Node, text: str) -> Edit:
        """Return the edit that replaces a node by `text`."""
        return Edit(self.start(node), self.end(node), text)

    def _offset(self, line: int, column: int) -> int:
        """Return the offset of a position whose column counts bytes of UTF-8."""
        start = self.starts[line - 1]
        text = self.text[start : start + column]
        return start + (column if text.isascii() else len(text.encode()[:column].decode()))
