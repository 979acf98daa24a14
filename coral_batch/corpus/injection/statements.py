"""Slips in statements: missing, in the wrong block, or on the wrong branch."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from coral_batch.corpus.code.edits import Edit
from coral_batch.corpus.injection.scope import Scoped

_PLAIN = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return, ast.Break, ast.Continue, ast.Raise)
_BLOCKS = (ast.For, ast.While, ast.If)
_JUMPS = (ast.Return, ast.Break, ast.Continue, ast.Raise)
_LONGEST = 6  # lines of a branch that is swapped with another


def statement(source: Scoped, node: ast.AST) -> Iterator[Edit]:
    """Yield blocks without one of their statements; a variable's first value stays."""
    for block in source.blocks(node):
        for one in block:
            span = source.lines(one)
            deletable = isinstance(one, _PLAIN) or _is_guard(one)
            if len(block) > 1 and span is not None and deletable and not _binds(source, one):
                yield Edit(*span, "")


def branches(source: Scoped, node: ast.AST) -> Iterator[Edit]:
    """Yield branches that are swapped, and ``elif`` as ``if``."""
    if isinstance(node, ast.IfExp):
        spans = [source.enclosed(branch, node) for branch in (node.body, node.orelse)]
        yield from source.swapped(spans)
    elif isinstance(node, ast.If) and node.orelse:
        other = source.start(node.orelse[0])
        if source.text.startswith("elif", other):
            yield Edit(other, other + len("elif"), "if")
        else:
            yield from _swapped_blocks(source, node)


def indentation(source: Scoped, node: ast.AST) -> Iterator[Edit]:
    """Yield statements that are indented into the block before them, or out of their own."""
    for block in source.blocks(node):
        for before, after in pairwise(block):
            if isinstance(before, _BLOCKS):
                last = (before.orelse or before.body)[-1]
                yield from _indented(source, after, last)
    if isinstance(node, _BLOCKS) and len(node.body) > 1:
        yield from _indented(source, node.body[-1], node)


def loop(source: Scoped, node: ast.AST) -> Iterator[Edit]:
    """Yield loops that end too early or late: ``continue`` as ``break``, ``while`` as ``if``."""
    if isinstance(node, ast.Break):
        yield source.replace(node, "continue")
    elif isinstance(node, ast.Continue):
        yield source.replace(node, "break")
    elif isinstance(node, ast.While):
        yield Edit(source.start(node), source.start(node) + len("while"), "if")
    elif isinstance(node, ast.If) and source.in_loop(node):
        last = node.body[-1]
        span = None if isinstance(last, _JUMPS) else source.lines(last)
        if span is not None:
            end = span[0] + len(source.text[slice(*span)].rstrip("\r\n"))
            yield Edit(end, end, f"{source.line_end}{source.indentation(last)}break")


def _binds(source: Scoped, node: ast.stmt) -> bool:
    """Whether an assignment is a variable's first; without it, the program fails at once."""
    targets = node.targets if isinstance(node, ast.Assign) else []
    return any(
        isinstance(name, ast.Name)
        and isinstance(name.ctx, ast.Store)
        and name.id not in source.variables(name)
        for target in targets
        for name in ast.walk(target)
    )


def _is_guard(node: ast.stmt) -> bool:
    """Whether a statement is an ``if`` with one plain statement."""
    return (
        isinstance(node, ast.If)
        and not node.orelse
        and len(node.body) == 1
        and isinstance(node.body[0], _PLAIN)
    )


def _swapped_blocks(source: Scoped, node: ast.If) -> Iterator[Edit]:
    """Yield the two branches swapped, if each has its own lines."""
    one = source.lines(node.body[0], node.body[-1])
    other = source.lines(node.orelse[0], node.orelse[-1])
    if one is None or other is None or not source.text[: other[1]].endswith(source.line_end):
        return
    if all(source.text[slice(*span)].count("\n") <= _LONGEST for span in (one, other)):
        yield from source.swapped([one, other])


def _indented(source: Scoped, node: ast.stmt, like: ast.stmt) -> Iterator[Edit]:
    """Yield a statement of one line at the indentation of another."""
    start = source.lines(node)
    indentation = source.indentation(like)
    if start is None or indentation.strip() or node.lineno != node.end_lineno:
        return
    if isinstance(node, _PLAIN):
        yield Edit(start[0], source.start(node), indentation)
