"""Slips in operators and conditions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from coral_batch.corpus.code.edits import Edit
from coral_batch.corpus.injection.scope import Scoped

# The sign of an operator, then the signs that replace it, the likeliest first.
_ARITHMETIC: dict[type[ast.operator], tuple[str, ...]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "+", "**"),
    ast.Div: ("/", "//"),
    ast.FloorDiv: ("//", "/", "%"),
    ast.Mod: ("%", "//"),
    ast.Pow: ("**", "*"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
    ast.BitAnd: ("&", "|", "^"),
    ast.BitOr: ("|", "&", "^"),
    ast.BitXor: ("^", "&", "|"),
}
_COMPARISON: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Lt: ("<", "<=", ">"),
    ast.LtE: ("<=", "<", ">="),
    ast.Gt: (">", ">=", "<"),
    ast.GtE: (">=", ">", "<="),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
}
_ORDERED = ("<=", ">=")
_SIMPLE = ast.Name | ast.Call | ast.Attribute | ast.Subscript
_JUMPS = ast.Return | ast.Continue | ast.Break | ast.Raise


def arithmetic(source: Scoped, node: ast.AST) -> Iterator[Edit]:
    """Yield wrong arithmetic and bitwise operators: ``a + b`` as ``a - b``."""
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        yield from _signs(source, node.left, node.right, _ARITHMETIC[type(node.op)])


def comparison(source: Scoped, node: ast.AST) -> Iterator[Edit]:
    """Yield wrong comparisons: ``a < b`` as ``a <= b``."""
    if not isinstance(node, ast.Compare):
        return
    operands = [node.left, *node.comparators]
    for operator, (left, right) in zip(node.ops, pairwise(operands), strict=True):
        signs = _COMPARISON[type(operator)]
        if isinstance(operator, ast.Eq) and any(map(source.counts, operands)):
            signs += _ORDERED
        yield from _signs(source, left, right, signs)


def boolean(source: Scoped, node: ast.AST) -> Iterator[Edit]:
    """Yield ``and`` as ``or``, and vice versa."""
    if isinstance(node, ast.BoolOp):
        signs = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in pairwise(node.values):
            yield from _signs(source, left, right, signs)


def assignment(source: Scoped, node: ast.AST) -> Iterator[Edit]:
    """Yield wrong augmented assignments: ``total += x`` as ``total = x`` or ``total -= x``."""
    if isinstance(node, ast.AugAssign) and type(node.op) in _ARITHMETIC:
        sign, *others = (f"{sign}=" for sign in _ARITHMETIC[type(node.op)])
        yield from _signs(source, node.target, node.value, (sign, "=", *others))
    elif isinstance(node, ast.Assign) and source.in_loop(node):
        target = node.targets[0]
        if isinstance(target, ast.Name) and target.id in source.variables(target):
            yield from _signs(source, target, node.value, ("=", "+="))


def condition(source: Scoped, node: ast.AST) -> Iterator[Edit]:
    """Yield conditions that are negated, or lack a part: ``if a and b`` as ``if a``."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        start, end = source.enclosed(node.operand, node)
        yield source.replace(node, source.text[start:end])
    if isinstance(node, ast.If | ast.While | ast.IfExp) and isinstance(node.test, _SIMPLE):
        yield source.replace(node.test, f"not {source.code(node.test)}")
    if isinstance(node, ast.BoolOp):
        yield from _without_one(source, node, node.values)
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        yield from _without_one(source, node, [node.left, *node.comparators])
    if isinstance(node, ast.comprehension):
        yield from _without_filter(source, node)
    if isinstance(node, ast.If):
        yield from _without_test(source, node)


def _signs(source: Scoped, left: ast.expr, right: ast.expr, signs: tuple[str, ...]) -> Iterator:
    """Replace the first sign, between two operands, by each of the others."""
    place = source.operator(left, right, signs[0])
    if place is not None:
        for sign in signs[1:]:
            yield Edit(*place, sign)


def _without_one(source: Scoped, node: ast.expr, operands: list[ast.expr]) -> Iterator[Edit]:
    """Yield the node without its first operand, and without its last."""
    spans = [source.enclosed(operand, node) for operand in operands]
    yield Edit(spans[0][0], spans[1][0], "")
    yield Edit(spans[-2][1], spans[-1][1], "")


def _without_filter(source: Scoped, node: ast.comprehension) -> Iterator[Edit]:
    around = source.parent(node)
    if len(node.ifs) != 1 or not isinstance(around, ast.expr):
        return
    keyword = source.operator(node.iter, node.ifs[0], "if")
    if keyword is not None:
        start = len(source.text[: keyword[0]].rstrip())
        yield Edit(start, source.enclosed(node.ifs[0], around)[1], "")


def _without_test(source: Scoped, node: ast.If) -> Iterator[Edit]:
    """Yield the only statement under a condition without the condition."""
    guarded = node.body[0]
    is_if = source.text.startswith("if", source.start(node))  # and no elif
    alone = is_if and len(node.body) == 1 and not node.orelse and source.lines(node) is not None
    if alone and not isinstance(guarded, _JUMPS | ast.If | ast.For | ast.While):
        yield source.replace(node, source.code(guarded))
