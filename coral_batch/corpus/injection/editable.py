"""The parts of a program that may be edited to put a bug in.

Never edited are function signatures (name, parameters, defaults, annotations, decorators), class
headers, docstrings, annotations, patterns of `match`, the types that an `except` catches, and
f-strings, whose inner positions differ between Python 3.11 and 3.12. Outside of functions only
constants are edited, so that the program still loads.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from coral_batch.corpus.code.edits import LINE_END, Edit, Source
from coral_batch.verdicts.inside import syntax

Function = ast.FunctionDef | ast.AsyncFunctionDef
Loop = ast.For | ast.AsyncFor | ast.While
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp

_LEFT_OUT = frozenset(
    {
        *((kind, "args") for kind in (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)),
        *(
            (kind, field)
            for kind in (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
            for field in ("decorator_list", "returns", "type_params", "bases", "keywords")
        ),
        (ast.AnnAssign, "annotation"),
        (ast.match_case, "pattern"),
        (ast.ExceptHandler, "type"),
        (ast.JoinedStr, "values"),
    }
)
# Text between two operands, without the operator.
_FILLER = re.compile(r"(?:[\s)\\]|#[^\r\n]*)*")
_REST_OF_LINE = re.compile(r"[ \t]*(?:#[^\r\n]*)?")
_CLOSING = re.compile(r"\s*\)")


class Editable(Source):
    """A program that parses.

    Args:
        text: its source.

    Attributes:
        nodes: the editable nodes: functions and the nodes in them, parents first; and the constants
            in literals that are assigned outside of functions.
        line_end: its line ending.

    Raises:
        SyntaxError: it does not parse.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text, syntax.parse(text))
        self._parents: dict[ast.AST, ast.AST] = {}
        nodes = list(self._editable(self.tree))
        self.nodes = [one for one in nodes if isinstance(one, Function) or self.function(one)]
        self.nodes += [
            node
            for statement in self.tree.body
            if isinstance(statement, ast.Assign) and _is_literal(statement.value)
            for node in ast.walk(statement.value)
            if isinstance(node, ast.Constant)
        ]
        found = LINE_END.search(text)
        self.line_end = found.group() if found else "\n"

    def swapped(self, spans: Sequence[tuple[int, int]]) -> Iterator[Edit]:
        """Yield the edits that swap two neighbouring spans; `spans` are in the text's order."""
        for (start, end), (next_start, next_end) in pairwise(spans):
            between = self.text[end:next_start]
            text = self.text[next_start:next_end] + between + self.text[start:end]
            yield Edit(start, next_end, text)

    def enclosed(self, node: ast.expr, within: ast.expr) -> tuple[int, int]:
        """Return the span of an operand of `within`, including brackets around it."""
        low, high = self.start(within), self.end(within)
        start, end = self.start(node), self.end(node)
        while True:
            before = self.text[low:start].rstrip()
            after = _CLOSING.match(self.text, end, high)
            if not before.endswith("(") or after is None:
                return start, end
            start, end = low + len(before) - 1, after.end()

    def operator(self, left: ast.expr, right: ast.expr, sign: str) -> tuple[int, int] | None:
        """Return the span of the operator between two operands; None if it is not found.

        Args:
            left: the operand before it.
            right: the operand after it.
            sign: the operator, e.g. ``<=`` or ``not in``.
        """
        filler = _FILLER.match(self.text, self.end(left))
        assert filler is not None
        pattern = re.compile(r"\s+".join(map(re.escape, sign.split())))
        found = pattern.match(self.text, filler.end(), self.start(right))
        return None if found is None else found.span()

    def lines(self, first: ast.stmt, last: ast.stmt | None = None) -> tuple[int, int] | None:
        """Return the span of the whole lines of statements.

        Args:
            first: the first of them.
            last: the last of them, of the same block; None if it is the first.

        Returns:
            From the start of the first line to the start of the line after the last; None if the
            lines have other code than the statements.
        """
        start = self.starts[first.lineno - 1]
        end_line = (last or first).end_lineno
        assert end_line is not None
        behind = self.end(last or first)
        end = self.starts[end_line] if end_line < len(self.starts) else len(self.text)
        tail = self.text[behind:end].rstrip("\r\n")
        if self.text[start : self.start(first)].strip(" \t") or not _REST_OF_LINE.fullmatch(tail):
            return None
        return start, end

    def indentation(self, node: ast.stmt) -> str:
        """Return the text before a statement on its line."""
        return self.text[self.starts[node.lineno - 1] : self.start(node)]

    def line_of(self, offset: int) -> int:
        """Return the line number, from 1, of an offset."""
        return bisect_right(self.starts, offset)

    def parent(self, node: ast.AST) -> ast.AST:
        return self._parents[node]

    def parents(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the ancestors of a node, innermost first."""
        while (around := self._parents.get(node)) is not None:
            yield around
            node = around

    def function(self, node: ast.AST) -> Function | None:
        """Return the innermost function around a node; None at module level."""
        return next((one for one in self.parents(node) if isinstance(one, Function)), None)

    def in_loop(self, node: ast.AST) -> bool:
        """Whether a node is in a loop of its function."""
        around = (one for one in self.parents(node) if isinstance(one, Function | Loop))
        return isinstance(next(around, None), Loop)

    def blocks(self, node: ast.AST) -> Iterator[list[ast.stmt]]:
        """Yield the blocks of statements of a node, without docstrings."""
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                yield [statement for statement in block if statement in self._parents]

    def _editable(self, node: ast.AST) -> Iterator[ast.AST]:
        yield node
        for field, value in ast.iter_fields(node):
            if (type(node), field) in _LEFT_OUT:
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and not _is_text(child):
                    self._parents[child] = node
                    yield from self._editable(child)


def _is_text(node: ast.AST) -> bool:
    """Whether a statement is a docstring or another unused constant."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True
