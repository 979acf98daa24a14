"""Slips in names: another variable, another order, another result."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from coral_batch.corpus.code.edits import Edit
from coral_batch.corpus.injection.bounds import off_by_one
from coral_batch.corpus.injection.calls import recursive
from coral_batch.corpus.injection.scope import Scoped

_ORDER_MATTERS = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift)
_SIMPLE = ast.Name | ast.Constant | ast.Attribute | ast.Subscript | ast.Call


def variable(source: Scoped, node: ast.AST) -> Iterator[Edit]:
    """Yield other variables: ``total += item`` as ``total += items``."""
    if not isinstance(node, ast.Name):
        return
    around = source.parent(node)
    if isinstance(around, ast.Call):
        apart = node is around.func or recursive(source, around)
    else:
        apart = isinstance(around, ast.Return)
    set_anew = isinstance(node.ctx, ast.Store) and not isinstance(around, ast.AugAssign)
    if not apart and not set_anew:
        target = source.code(around.targets[0]) if isinstance(around, ast.Assign) else None
        yield from (edit for edit in source.others(node) if edit.text != target)


def return_value(source: Scoped, node: ast.AST) -> Iterator[Edit]:
    """Yield another result: ``return best`` as ``return current``, ``True`` as ``False``."""
    if not isinstance(node, ast.Return) or node.value is None:
        return
    value = node.value
    yield from off_by_one(source, value)
    if isinstance(value, ast.Name):
        yield from source.others(value)
    elif isinstance(value, ast.Constant) and isinstance(value.value, bool):
        yield source.replace(value, str(not value.value))


def operands(source: Scoped, node: ast.AST) -> Iterator[Edit]:
    """Yield swapped operands and items: ``a - b`` as ``b - a``, ``x, y`` as ``y, x``."""
    if isinstance(node, ast.BinOp):
        joins = isinstance(node.op, ast.Add) and not source.counts(node)
        if joins or isinstance(node.op, _ORDER_MATTERS):
            pair = (node.left, node.right)
            spans = [source.enclosed(operand, node) for operand in pair]
            tight = (
                isinstance(operand, _SIMPLE) or span[0] < source.start(operand)
                for operand, span in zip(pair, spans, strict=True)
            )
            if all(tight):
                yield from source.swapped(spans)
    elif isinstance(node, ast.Tuple | ast.List):
        yield from source.swapped([source.enclosed(item, node) for item in node.elts])
