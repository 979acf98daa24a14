"""Test files that run apart from the program: what in them would not be run is refused."""

from __future__ import annotations

import ast

from coral_batch.corpus.sources.rows import Lost

_DEFINITION = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def check_plain(tree: ast.Module) -> None:
    """Check that every test of a file is a function that it defines by ``def`` at its top level.

    Raises:
        Lost: another is in a class or a block, or is asynchronous.
    """
    for node in ast.walk(tree):
        if not isinstance(node, _DEFINITION) or not node.name.lower().startswith("test"):
            continue
        if not isinstance(node, ast.FunctionDef) or node not in tree.body:
            where = ast.unparse(node).partition("\n")[0].rstrip(":")
            raise Lost("untestable", f"{where}: only plain test functions are read")
