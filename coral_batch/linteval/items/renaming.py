"""Rename variables that look like digits (E741).

No fixer does this, since a name may be used in ways that the text does not show. Programs in which
that is possible stay unchanged.
"""

from __future__ import annotations

import ast
import re

from coral_batch.corpus.code.edits import Edit, Source, apply
from coral_batch.verdicts.inside import syntax

_AMBIGUOUS = frozenset("lOI")
_BY_TEXT = frozenset({"eval", "exec", "globals", "locals", "vars", "dir", "getattr", "setattr"})


def without_ambiguous_names(code: str) -> str:
    """Return a program with its variables `l`, `O` and `I` renamed to `l_`, `O_` and `I_`.

    If the text already has such a name, the new name gets another underscore.

    Args:
        code: a program that parses.

    Returns:
        The text with only these names changed. The program stays unchanged if one of them is
        anything but a variable or a parameter, or is used in an f-string, or if the program looks
        up names by their text.
    """
    source = Source(code, syntax.parse(code))
    nodes = list(ast.walk(source.tree))
    if any(map(_hides, nodes)):
        return code
    return apply(
        code,
        (
            Edit(start := source.start(node), start + len(name), _unused(name, code))
            for node in nodes
            if isinstance(node, ast.Name | ast.arg) and (name := _name(node)) in _AMBIGUOUS
        ),
    )


def _hides(node: ast.AST) -> bool:
    """Whether a node uses an ambiguous name in a way that renaming would miss."""
    if isinstance(node, ast.Name):
        return node.id in _BY_TEXT
    if isinstance(node, ast.JoinedStr):  # Python 3.11 does not say where in it a name stands
        return any(_name(part) in _AMBIGUOUS for part in ast.walk(node))
    if isinstance(node, ast.arg):
        return False
    names = [getattr(node, field, None) for field in ("name", "asname", "arg", "attr", "rest")]
    return not _AMBIGUOUS.isdisjoint([*names, *getattr(node, "names", ())])


def _name(node: ast.AST) -> str | None:
    if isinstance(node, ast.arg):
        return node.arg
    return node.id if isinstance(node, ast.Name) else None


def _unused(name: str, code: str) -> str:
    longer = f"{name}_"
    while re.search(rf"\b{longer}\b", code):
        longer += "_"
    return longer
