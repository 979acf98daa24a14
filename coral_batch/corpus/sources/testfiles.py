"""Test files that run apart from the program: what in them would not be run is refused."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NoReturn

from coral_batch.corpus.sources.asserts import loaded
from coral_batch.corpus.sources.rows import Lost


def check_plain(tree: ast.Module) -> None:
    """Check that every test of a file is a function that it defines by ``def`` at its top level.

    Raises:
        Lost: another is in a class or a block, is asynchronous, or is what a variable may hold.
    """
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and (
            node.name.startswith("Test") or "TestCase" in _bases(node)
        ):
            _refuse(f"the class {node.name}")
        if isinstance(node, ast.AsyncFunctionDef) and node.name.startswith("test"):
            _refuse(f"async def {node.name}")
    data = {id(target) for node in ast.walk(tree) for target in _targets_of_data(node)}
    for node in (part for statement in tree.body for part in _own_scope(statement)):
        match node:
            case ast.FunctionDef(name=name) if name.startswith("test") and node not in tree.body:
                _refuse(f"the function {name} in a block")
            case ast.Name(id=name, ctx=ast.Store()) if name.startswith("test"):
                if name in defined or id(node) not in data:
                    _refuse(f"the variable {name}, which may hold a test")


_SCOPES = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
_DATA = (
    *(ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.Set, ast.Dict),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.BinOp, ast.UnaryOp, ast.Compare),
)


def _own_scope(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a module's statement that run in its own scope, definitions as a whole."""
    yield node
    if isinstance(node, _SCOPES) or (isinstance(node, ast.If) and "__name__" in loaded(node.test)):
        return
    for part in ast.iter_child_nodes(node):
        yield from _own_scope(part)


def _targets_of_data(node: ast.AST) -> list[ast.expr]:
    """Return what a statement assigns a value that is no function, as its form shows."""
    if isinstance(node, ast.Assign) and isinstance(node.value, _DATA):
        return node.targets
    if isinstance(node, ast.AugAssign) or (
        isinstance(node, ast.AnnAssign) and isinstance(node.value, _DATA)
    ):
        return [node.target]
    return []


def _refuse(what: str) -> NoReturn:
    raise Lost("untestable", f"{what}: only plain test functions are read")


def _bases(node: ast.ClassDef) -> str:
    return " ".join(map(ast.unparse, node.bases))
