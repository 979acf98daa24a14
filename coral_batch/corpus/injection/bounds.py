"""Slips in numbers and other constants: off by one, and wrong values."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from coral_batch.corpus.code.edits import Edit
from coral_batch.corpus.injection.scope import Scoped, calls, integer

_QUOTES = ("'", '"')


def bound(source: Scoped, node: ast.AST) -> Iterator[Edit]:
    """Yield comparisons with a bound that is off by one: ``i < n`` as ``i < n - 1``."""
    if isinstance(node, ast.Compare):
        # In `i + 1 < n` and `0 <= i < n` the left side is a bound as well.
        left = isinstance(node.left, ast.BinOp) or len(node.ops) > 1
        equal = isinstance(node.ops[-1], ast.Eq | ast.NotEq)
        for operand in [node.left, *node.comparators] if left else node.comparators:
            yield from off_by_one(source, operand, not equal or integer(operand) != 0)


def ranges(source: Scoped, node: ast.AST) -> Iterator[Edit]:
    """Yield ranges that are off by one: ``range(n)`` as ``range(1, n)``."""
    if not is_range(node):
        return
    for number in node.args:
        yield from off_by_one(source, number, integer(number) != 0)
    if len(node.args) == 1:
        start = source.start(node.args[0])
        yield Edit(start, start, "1, ")
    elif len(node.args) == 2:
        yield Edit(source.start(node.args[0]), source.start(node.args[1]), "")
    elif len(node.args) == 3:
        yield Edit(source.end(node.args[1]), source.end(node.args[2]), "")


def index(source: Scoped, node: ast.AST) -> Iterator[Edit]:
    """Yield indices that are off by one: ``items[i]`` as ``items[i + 1]``."""
    if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
        yield from off_by_one(source, node.slice)


def slices(source: Scoped, node: ast.AST) -> Iterator[Edit]:
    """Yield slices that are off by one or lack a bound: ``items[1:]`` as ``items``."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Slice):
        return
    limits = (node.slice.lower, node.slice.upper)
    if limits == (None, None):
        yield Edit(source.end(node.value), source.end(node), "")
    for limit in limits:
        if limit is not None:
            yield from off_by_one(source, limit, integer(limit) != 0)
            yield source.replace(limit, "")


def initial_value(source: Scoped, node: ast.AST) -> Iterator[Edit]:
    """Yield variables that begin with another value: ``best = None`` as ``best = 0``."""
    if not isinstance(node, ast.Assign) or not _begins(source, node):
        return
    value = node.value
    yield from _constants(source, value)
    nothing = isinstance(value, ast.Constant) and value.value is None
    if nothing or (isinstance(value, ast.Subscript) and source.counts(node.targets[0])):
        yield source.replace(value, "0")
    elif isinstance(value, ast.Call) and ast.unparse(value) == "float('inf')":
        yield source.replace(value, f"-{source.code(value)}")
    elif isinstance(value, ast.UnaryOp) and ast.unparse(value) == "-float('inf')":
        yield source.replace(value, source.code(value.operand))


def constant(source: Scoped, node: ast.AST) -> Iterator[Edit]:
    """Yield changed and missing constants: ``x * 2`` as ``x * 3``, ``size + 1`` as ``size``."""
    if not isinstance(node, ast.Constant):
        return
    if source.function(node) is None:
        yield from _constants(source, node)
        return
    if _is_of_other_kind(source, node):
        return
    around = source.parent(node)
    if integer(node) == 1 and isinstance(around, ast.BinOp | ast.AugAssign):
        yield source.replace(node, "2")
        if isinstance(around, ast.BinOp) and node is around.right:
            start = source.enclosed(around.left, around)[1]
            yield Edit(start, source.enclosed(node, around)[1], "")
    else:
        yield from _constants(source, node)


def off_by_one(source: Scoped, node: ast.expr, below: bool = True) -> Iterator[Edit]:
    """Yield an integer one higher and one lower; for ``n + 1`` drop the 1.

    Args:
        source: the program.
        node: the integer; yields nothing if it does not seem to be one.
        below: whether one lower makes sense.
    """
    value = integer(node)
    if value is not None:
        yield source.replace(node, str(value + 1))
        if below:
            yield source.replace(node, str(value - 1))
    elif isinstance(node, ast.BinOp) and integer(node.right) is not None:
        if isinstance(node.op, ast.Add | ast.Sub):
            start, end = source.enclosed(node.left, node)
            yield source.replace(node, source.text[start:end])
    elif source.counts(node):
        for sign in ("+", "-"):
            yield source.replace(node, f"{source.code(node)} {sign} 1")


def is_range(node: ast.AST) -> TypeGuard[ast.Call]:
    """Whether a node is a call of range() with one to three numbers."""
    return calls(node, "range") and 1 <= len(node.args) <= 3


def _begins(source: Scoped, node: ast.Assign) -> bool:
    """Whether an assignment is the first of several to a variable in its function."""
    function = source.function(node)
    (target, *more) = node.targets
    if function is None or more or not isinstance(target, ast.Name):
        return False
    stored = [
        other
        for other in source.nodes
        if isinstance(other, ast.Name)
        and other.id == target.id
        and isinstance(other.ctx, ast.Store)
        and source.function(other) is function
    ]
    return stored[0] is target and len(stored) > 1


def _constants(source: Scoped, node: ast.expr) -> Iterator[Edit]:
    """Yield a constant with other values that are near it."""
    number = integer(node)
    if number is not None:
        yield source.replace(node, str(number + 1))
        if number:
            yield source.replace(node, str(number - 1))
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield source.replace(node, str(not node.value))
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        code = source.code(node)
        inner = code[1:-1]
        if code[0] in _QUOTES and not set(inner) & {*_QUOTES, "\\"}:
            for text in _texts(inner):
                yield source.replace(node, f"{code[0]}{text}{code[0]}")


def _texts(text: str) -> Iterator[str]:
    if not text:
        yield " "
    elif len(text) > 1 or text == " ":
        yield text[:-1]
    elif text.swapcase() != text:
        yield text.swapcase()


def _is_of_other_kind(source: Scoped, node: ast.Constant) -> bool:
    """Whether a constant is an index, a bound, a first value or returned: other kinds edit it."""
    child: ast.AST = node
    around = source.parent(node)
    if isinstance(around, ast.UnaryOp):
        child, around = around, source.parent(around)
    if isinstance(around, ast.Subscript):
        return child is around.slice
    if isinstance(around, ast.Assign):
        return _begins(source, around)
    return isinstance(around, ast.Slice | ast.Compare | ast.Return) or is_range(around)
