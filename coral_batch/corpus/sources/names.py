"""The names that code reads and binds, and the statements of a module that define them."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from coral_batch.verdicts.functions import Definition


def loaded(*trees: ast.AST) -> set[str]:
    """Return the names that trees read."""
    return set().union(*(_names(tree, ast.Load) for tree in trees))


def stored(*trees: ast.AST) -> set[str]:
    """Return the names that trees assign."""
    return set().union(*(_names(tree, ast.Store) for tree in trees))


def bound(*statements: ast.stmt) -> set[str]:
    """Return the names that statements of a module bind: functions, classes, imports, variables."""
    return set().union(*map(_bound, statements))


def definitions(tree: ast.Module, names: set[str], without: str) -> list[ast.stmt]:
    """Return the statements of a module that define names, and those they need, in order.

    A statement defines a name if it binds it or changes its value. ``TABLE["a"] = 1`` changes the
    table. An expression such as ``TABLE.append(1)`` may change everything that it, and the
    functions that it calls, read. A star import may define any name. Code under ``if __name__``
    defines nothing: a tested program is never the main module.

    Args:
        tree: the module.
        names: the names to define; names that the module does not bind are ignored.
        without: the function to leave out.
    """
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    reads = {node.name: loaded(*node.body) for node in functions}
    left = {
        number: _bound(node) | _changed(node, reads)
        for number, node in enumerate(tree.body)
        if not (isinstance(node, ast.FunctionDef) and node.name == without) and not _is_main(node)
    }
    wanted = {*names, "*"}
    kept: set[int] = set()
    while more := {number for number, given in left.items() if given & wanted} - kept:
        kept |= more
        wanted |= loaded(*(tree.body[number] for number in more))
    return [tree.body[number] for number in sorted(kept)]


def _is_main(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.If)
        and ast.unparse(node.test) == "__name__ == '__main__'"
        and not node.orelse
    )


def _bound(node: ast.stmt) -> set[str]:
    """Return the names that a statement at module level binds, also in its blocks."""
    if isinstance(node, Definition):
        return {node.name}
    found = stored(node)
    for part in ast.walk(node):
        if isinstance(part, Definition):
            found.add(part.name)
        elif isinstance(part, ast.Import | ast.ImportFrom):
            found |= {(alias.asname or alias.name).split(".")[0] for alias in part.names}
    return found


def _changed(node: ast.stmt, reads: Mapping[str, set[str]]) -> set[str]:
    """Return the names whose values a statement may change; `reads`: function -> names it reads."""
    if isinstance(node, Definition):
        return set()
    found: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Subscript | ast.Attribute) and not isinstance(part.ctx, ast.Load):
            found |= loaded(part.value)
        elif isinstance(part, ast.Expr):
            read = loaded(part)
            found |= read.union(*(reads[name] for name in read & reads.keys()))
    return found


def _names(tree: ast.AST, context: type[ast.expr_context]) -> set[str]:
    return {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, context)
    }
