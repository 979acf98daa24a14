"""Which variables are bound at a position in a program, and which of them seem to be integers.

Both are guessed from the text: a name is bound from its first assignment to the end of its
function, and it seems to be an integer if it is used as one anywhere.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from coral_batch.corpus.code.edits import Edit
from coral_batch.corpus.injection.editable import Comprehension, Editable, Function

ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.Pow)
_COUNTING = ("len", "int", "abs")


_Binding = tuple[str, int, int]
"""A name and the span of the text, in characters, in which it is bound."""


class Scoped(Editable):
    """A program and its variables; the arguments are those of `Editable`."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._bindings = list(self._find_bindings())
        self._integers: set[str] = set()
        for _ in range(2):  # again, since a name may be assigned an integer name
            for node in self.nodes:
                self._integers |= {name.id for name in self._counting(node)}

    def variables(self, node: ast.expr) -> set[str]:
        """Return the names that are bound at a node."""
        place = self.start(node)
        return {name for name, start, end in self._bindings if start <= place < end}

    def others(self, node: ast.Name) -> Iterator[Edit]:
        """Yield the variables that may be written by mistake for `node`.

        Integers are only confused with integers, other variables only with other variables.
        """
        variables = self.variables(node)
        if node.id in variables:
            counting = node.id in self._integers
            for name in variables - {node.id, "self", "_"}:
                if (name in self._integers) == counting:
                    yield self.replace(node, name)

    def counts(self, node: ast.expr) -> bool:
        """Whether an expression seems to be an integer."""
        if integer(node) is not None:
            return True
        if isinstance(node, ast.Name):
            return node.id in self._integers
        if isinstance(node, ast.BinOp) and isinstance(node.op, ARITHMETIC):
            return self.counts(node.left) or self.counts(node.right)
        return calls(node, *_COUNTING)

    def _find_bindings(self) -> Iterator[_Binding]:
        for function in ast.walk(self.tree):
            if isinstance(function, Function):
                start, end = self.start(function.body[0]), self.end(function)
                for node in ast.walk(function.args):
                    if isinstance(node, ast.arg):
                        yield node.arg, start, end
        for node in self.nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield self._binding(node)

    def _binding(self, node: ast.Name) -> _Binding:
        start = self.end(node)
        for around in self.parents(node):
            if isinstance(around, Comprehension):
                return node.id, self.start(around), self.end(around)
            if isinstance(around, ast.Assign | ast.AnnAssign):
                start = self.end(around)  # its value cannot use the name yet
            if isinstance(around, Function):
                return node.id, start, self.end(around)
        raise AssertionError("every node is in a function")

    def _counting(self, node: ast.AST) -> list[ast.Name]:
        """Return the names that a node treats as integers."""
        pairs: list[tuple[ast.expr, ast.expr]] = []
        if isinstance(node, ast.Assign):
            pairs = [(target, node.value) for target in node.targets]
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ARITHMETIC):
            pairs = [(node.target, node.value)]
        elif isinstance(node, ast.Compare):
            operands = [node.left, *node.comparators]
            pairs = [(one, other) for one in operands for other in operands if one is not other]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ARITHMETIC):
            pairs = [(node.left, node.right), (node.right, node.left)]
        elif isinstance(node, ast.For | ast.comprehension):
            return _numbered(node.target, node.iter)
        elif calls(node, "range"):
            return [one for one in node.args if isinstance(one, ast.Name)]
        return [one for one, other in pairs if isinstance(one, ast.Name) and self.counts(other)]


def integer(node: ast.expr) -> int | None:
    """Return the value of an integer literal, with or without a sign; else None."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = integer(node.operand)
        return None if value is None else -value
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    return None


def _numbered(target: ast.expr, iterated: ast.expr) -> list[ast.Name]:
    """Return the target of a loop over range(), the first target of one over enumerate()."""
    if calls(iterated, "enumerate") and isinstance(target, ast.Tuple):
        target = target.elts[0]
    elif not calls(iterated, "range"):
        return []
    return [target] if isinstance(target, ast.Name) else []


def calls(node: ast.AST, *names: str) -> TypeGuard[ast.Call]:
    """Whether a node calls a function of one of these names."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names
