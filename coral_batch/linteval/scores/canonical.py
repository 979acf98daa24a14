"""The canonical syntax tree of a program: what may be written in several ways has one form.

Two programs with the same canonical tree do the same, whatever the code: layout and comments are
not in a tree, an f-string without placeholders is a string, ``not x in y`` is ``x not in y``,
``None is x`` is ``x is None``, adjacent strings are one, `pass` and constants that stand alone do
nothing, ``import a, b`` is two imports. Docstrings are such constants: a program that reads them
keeps them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, TypeVar

from coral_batch.verdicts.inside import syntax

_NEGATIONS: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.In: ast.NotIn, ast.Is: ast.IsNot}
_SUITES = ("body", "orelse", "finalbody")

_READING = ("__doc__", "getdoc", "doctest", "help(")  # docstrings, as words of a program

Import = ast.Import | ast.ImportFrom
Node = TypeVar("Node", bound=ast.AST)


def read(code: str) -> ast.Module | None:
    """Return the tree of a program, or None if it is no Python (see `syntax.parse`)."""
    try:
        return syntax.parse(code)
    except SyntaxError:
        return None


def reads_docstrings(code: str) -> bool:
    """Whether a program may read docstrings: it has a word for that."""
    return any(word in code for word in _READING)


def canonical(tree: ast.Module, documented: bool) -> ast.Module:
    """Bring a tree to its canonical form, in place.

    Args:
        tree: the tree.
        documented: whether a program reads docstrings, so that constants that stand alone stay.
    """
    tree = _Canonical().visit(tree)
    for suite in suites(tree):
        suite[:] = [
            one
            for statement in suite
            for one in split(statement)
            if not isinstance(one, ast.Pass) and (documented or not _is_constant(one))
        ]
    return tree


def suites(tree: ast.AST) -> Iterator[list[Any]]:
    """Yield every list of statements, the module's first."""
    for node in ast.walk(tree):
        for field in _SUITES:
            suite = getattr(node, field, None)
            if isinstance(suite, list):
                yield suite


def split(statement: ast.stmt) -> Iterator[ast.stmt]:
    """Yield a statement; an import of several names as several imports of one."""
    if not isinstance(statement, Import):
        yield statement
        return
    for alias in statement.names:
        one = at(statement, type(statement)(**{**vars(statement), "names": [alias]}))
        yield one


def at(place: ast.AST, node: Node) -> Node:
    """Return a node, placed where another one stands."""
    return ast.copy_location(node, place)


def bound_by(alias: ast.alias) -> str:
    """Return the name that an import binds."""
    return alias.asname or alias.name.split(".")[0]


def with_imports_first(tree: ast.Module) -> None:
    """Move the module's imports to its top, sorted, each once, in place.

    A tree in which the place or order of an import may matter stays as it is: one that imports all
    names of a module, binds an imported name in another way as well, or acts before an import, as
    ``sys.path.append(folder)`` does. ``import os`` and ``import os.path`` bind the same module.
    """
    imports = {ast.dump(node): node for node in tree.body if isinstance(node, Import)}
    aliases = [(node, alias) for node in imports.values() for alias in node.names]
    names = [alias.asname or alias.name for _, alias in aliases]
    others = [node for node in tree.body if not isinstance(node, Import)]
    if "*" in names or len(set(names)) < len(names):
        return
    last = max((at for at, node in enumerate(tree.body) if isinstance(node, Import)), default=0)
    if any(map(_acts, tree.body[:last])):
        return
    modules = {
        bound_by(alias)
        for node, alias in aliases
        if isinstance(node, ast.Import) and not alias.asname
    }
    if modules & {
        bound_by(alias)
        for node, alias in aliases
        if not isinstance(node, ast.Import) or alias.asname
    }:
        return
    if {bound_by(alias) for _, alias in aliases} & set(_bound(others)):
        return
    tree.body = [*(imports[key] for key in sorted(imports)), *others]


def _bound(statements: list[ast.stmt]) -> Iterator[str]:
    """Yield the names that statements bind, at whatever depth."""
    for node in (node for statement in statements for node in ast.walk(statement)):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, Import):
            yield from map(bound_by, node.names)


def _acts(statement: ast.stmt) -> bool:
    """Whether a statement of a module may change what a later import finds: it calls, or sets."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        # Its body runs later.
        return bool(statement.decorator_list) or any(map(_is_act, ast.walk(statement.args)))
    if isinstance(statement, ast.ClassDef):
        return bool(statement.decorator_list) or any(map(_acts, statement.body))
    return any(map(_is_act, ast.walk(statement)))


def _is_act(node: ast.AST) -> bool:
    place = isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load)
    return place or isinstance(node, ast.Call | ast.Await | ast.Raise)


def _is_constant(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _text(node: ast.expr) -> str | None:
    """Return the text of a string without placeholders; None for any other expression."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


class _Canonical(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return at(node, ast.Constant(node.value))  # without the prefix u

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        inner = node.operand
        if isinstance(node.op, ast.Not) and isinstance(inner, ast.Compare) and len(inner.ops) == 1:
            kind = _NEGATIONS.get(type(inner.ops[0]))
            if kind is not None:
                return at(node, ast.Compare(inner.left, [kind()], inner.comparators))
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        left, right = node.left, node.comparators[0]
        identity = len(node.ops) == 1 and isinstance(node.ops[0], ast.Is | ast.IsNot)
        if identity and isinstance(left, ast.Constant) and not isinstance(right, ast.Constant):
            return at(node, ast.Compare(right, node.ops, [left]))
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        left, right = _text(node.left), _text(node.right)
        if not isinstance(node.op, ast.Add) or left is None or right is None:
            return node
        return at(node, ast.Constant(left + right))

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        self.generic_visit(node)
        values: list[ast.expr] = []
        for value in node.values:
            before, text = _text(values[-1]) if values else None, _text(value)
            if before is not None and text is not None:
                values[-1] = at(node, ast.Constant(before + text))
            else:
                values.append(value)
        if not values:
            return at(node, ast.Constant(""))
        if len(values) == 1 and isinstance(values[0], ast.Constant):
            return values[0]
        return at(node, ast.JoinedStr(values))

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.expr:
        # What stands behind the colon stays an f-string, empty or not.
        node.value = self.visit(node.value)
        return node
