"""Slips in calls: wrong arguments, wrong function, extra or missing call."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from coral_batch.corpus.code.edits import Edit
from coral_batch.corpus.injection.bounds import is_range, off_by_one
from coral_batch.corpus.injection.editable import Function
from coral_batch.corpus.injection.scope import Scoped, integer

_Pairs = tuple[tuple[str, str], ...]

# Built-in functions, and methods, that are confused with each other.
_FUNCTIONS: _Pairs = (("min", "max"), ("any", "all"), ("list", "set"), ("int", "round"))
_METHODS: _Pairs = (
    *(("append", "extend"), ("keys", "values"), ("union", "intersection"), ("lower", "upper")),
    *(("islower", "isupper"), ("isalpha", "isalnum"), ("startswith", "endswith")),
    *(("strip", "lstrip"), ("strip", "rstrip"), ("lstrip", "rstrip"), ("find", "rfind")),
    ("floor", "ceil"),
)
# The second is written by mistake for the first, but not vice versa.
_FUNCTIONS_ONE_WAY: _Pairs = (
    ("sum", "max"),
    ("sorted", "list"),
    ("reversed", "sorted"),
    ("int", "float"),
)
_METHODS_ONE_WAY: _Pairs = (
    *(("popleft", "pop"), ("items", "keys"), ("add", "discard"), ("difference", "intersection")),
    ("isdigit", "isalnum"),
)
_FORGOTTEN = frozenset(
    {"sorted", "reversed", "list", "set", "tuple", "abs", "str", "int", "float", "round"}
)
_FORGOTTEN_METHODS = frozenset(
    {"strip", "lstrip", "rstrip", "lower", "upper", "copy", "items", "keys", "values"}
)
_ADDED = ("sorted", "reversed", "set")
_SYMMETRIC = frozenset({"min", "max"})
_BOTH_NEEDED = frozenset({"isinstance", "divmod", "map", "filter"})


def arguments(source: Scoped, node: ast.AST) -> Iterator[Edit]:
    """Yield arguments in another order, and without one of them: ``f(a, b)`` as ``f(b, a)``."""
    if not isinstance(node, ast.Call) or recursive(source, node) or is_range(node):
        return
    spans = _arguments(source, node)
    if name_of(node) not in _SYMMETRIC:
        yield from source.swapped(spans)
    if len(spans) > 1 and name_of(node) not in _BOTH_NEEDED:
        yield Edit(spans[-2][1], spans[-1][1], "")
        yield Edit(spans[0][0], spans[1][0], "")
    ends = [span[1] for span in spans]
    for keyword in node.keywords:
        end = source.enclosed(keyword.value, node)[1]
        if ends and not any(isinstance(one, ast.Starred) for one in node.args):
            yield Edit(ends[-1], end, "")
        ends.append(end)


def call(source: Scoped, node: ast.AST) -> Iterator[Edit]:
    """Yield missing and extra calls: ``sorted(items)`` as ``items``."""
    if isinstance(node, ast.Call) and not node.keywords:
        name = name_of(node)
        if isinstance(node.func, ast.Name) and name in _FORGOTTEN and len(node.args) == 1:
            yield source.replace(node, source.code(node.args[0]))
        if isinstance(node.func, ast.Attribute) and name in _FORGOTTEN_METHODS:
            yield Edit(source.end(node.func.value), source.end(node), "")
    elif isinstance(node, ast.For) and isinstance(node.iter, ast.Name | ast.Attribute):
        for name in _ADDED:
            yield source.replace(node.iter, f"{name}({source.code(node.iter)})")


def function(source: Scoped, node: ast.AST) -> Iterator[Edit]:
    """Yield another function: ``min(a, b)`` as ``max(a, b)``, ``append`` as ``extend``."""
    if not isinstance(node, ast.Call):
        return
    name, end = name_of(node), source.end(node.func)
    if isinstance(node.func, ast.Name) and name not in source.variables(node.func):
        both, one_way = _FUNCTIONS, _FUNCTIONS_ONE_WAY
    else:
        both, one_way = _METHODS, _METHODS_ONE_WAY
    for meant, other in (*both, *((b, a) for a, b in both), *one_way):
        if name == meant:
            yield Edit(end - len(name), end, other)
    if isinstance(node.func, ast.Attribute) and name == "pop":
        if not node.args:
            yield Edit(source.end(node) - 1, source.end(node) - 1, "0")
        elif integer(node.args[0]) == 0:
            yield source.replace(node.args[0], "")


def recursion(source: Scoped, node: ast.AST) -> Iterator[Edit]:
    """Yield wrong arguments of a recursive call: ``f(n - 1)`` as ``f(n)``; and a missing return."""
    if isinstance(node, ast.Call) and recursive(source, node):
        yield from source.swapped(_arguments(source, node))
        for argument in node.args:
            yield from off_by_one(source, argument)
            if isinstance(argument, ast.Name):
                yield from source.others(argument)
            elif isinstance(argument, ast.Subscript):
                yield source.replace(argument, source.code(argument.value))
        around = source.parent(node)
        if isinstance(around, ast.Return):
            yield source.replace(around, source.code(node))


def recursive(source: Scoped, node: ast.Call) -> bool:
    """Whether a call calls a function around it."""
    around = (one.name for one in source.parents(node) if isinstance(one, Function))
    return name_of(node) in around


def name_of(node: ast.Call) -> str:
    """Return the name of the called function or method, or an empty string."""
    if isinstance(node.func, ast.Name):
        return node.func.id
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""


def _arguments(source: Scoped, node: ast.Call) -> list[tuple[int, int]]:
    """Return the spans of the positional arguments; none if one is unpacked."""
    if any(isinstance(argument, ast.Starred) for argument in node.args):
        return []
    if len(node.args) < 2:  # the brackets around a single one may be those of the call
        return [(source.start(argument), source.end(argument)) for argument in node.args]
    return [source.enclosed(argument, node) for argument in node.args]
