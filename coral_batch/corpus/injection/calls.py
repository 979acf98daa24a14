"""Slips in calls: the arguments, the function, a call too many or too few."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from coral_batch.corpus.injection.bounds import is_range, off_by_one
from coral_batch.corpus.injection.editable import Edit, Editable, Function
from coral_batch.corpus.injection.scope import Scope, integer

# What is written for a function of Python's own, or for a method.
_FUNCTIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "min": ("max",),
        "max": ("min",),
        "any": ("all",),
        "all": ("any",),
        "sum": ("max",),
        "sorted": ("list",),
        "reversed": ("sorted",),
        "list": ("set",),
        "set": ("list",),
        "int": ("float", "round"),
        "round": ("int",),
    }
)
_METHODS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "append": ("extend",),
        "extend": ("append",),
        "popleft": ("pop",),
        "keys": ("values",),
        "values": ("keys",),
        "items": ("keys",),
        "add": ("discard",),
        "union": ("intersection",),
        "intersection": ("union",),
        "difference": ("intersection",),
        "lower": ("upper",),
        "upper": ("lower",),
        "islower": ("isupper",),
        "isupper": ("islower",),
        "isalpha": ("isalnum",),
        "isalnum": ("isalpha",),
        "isdigit": ("isalnum",),
        "startswith": ("endswith",),
        "endswith": ("startswith",),
        "strip": ("lstrip", "rstrip"),
        "lstrip": ("strip", "rstrip"),
        "rstrip": ("strip", "lstrip"),
        "find": ("rfind",),
        "rfind": ("find",),
        "floor": ("ceil",),
        "ceil": ("floor",),
    }
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


def arguments(source: Editable, _: Scope) -> Iterator[Edit]:
    """Yield arguments in another order, and without one of them: ``f(a, b)`` as ``f(b, a)``."""
    for node in source.nodes:
        if not isinstance(node, ast.Call) or recursive(source, node) or is_range(node):
            continue
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


def call(source: Editable, _: Scope) -> Iterator[Edit]:
    """Yield a call that is missing or too many: ``sorted(items)`` as ``items``."""
    for node in source.nodes:
        if isinstance(node, ast.Call) and not node.keywords:
            name = name_of(node)
            if isinstance(node.func, ast.Name) and name in _FORGOTTEN and len(node.args) == 1:
                yield source.replace(node, source.code(node.args[0]))
            if isinstance(node.func, ast.Attribute) and name in _FORGOTTEN_METHODS:
                yield Edit(source.end(node.func.value), source.end(node), "")
        elif isinstance(node, ast.For) and isinstance(node.iter, ast.Name | ast.Attribute):
            for name in _ADDED:
                yield source.replace(node.iter, f"{name}({source.code(node.iter)})")


def function(source: Editable, scope: Scope) -> Iterator[Edit]:
    """Yield another function: ``min(a, b)`` as ``max(a, b)``, ``append`` as ``extend``."""
    for node in source.nodes:
        if not isinstance(node, ast.Call):
            continue
        name, end = name_of(node), source.end(node.func)
        if isinstance(node.func, ast.Name) and name not in scope.variables(node.func):
            others = _FUNCTIONS.get(name, ())
        else:
            others = _METHODS.get(name, ())
        for other in others:
            yield Edit(end - len(name), end, other)
        if isinstance(node.func, ast.Attribute) and name == "pop":
            if not node.args:
                yield Edit(source.end(node) - 1, source.end(node) - 1, "0")
            elif integer(node.args[0]) == 0:
                yield source.replace(node.args[0], "")


def recursion(source: Editable, scope: Scope) -> Iterator[Edit]:
    """Yield wrong arguments of a call to itself: ``f(n - 1)`` as ``f(n)``; and none returned."""
    for node in source.nodes:
        if isinstance(node, ast.Call) and recursive(source, node):
            yield from source.swapped(_arguments(source, node))
            for argument in node.args:
                yield from off_by_one(source, scope, argument)
                if isinstance(argument, ast.Name):
                    for name in scope.others(argument):
                        yield source.replace(argument, name)
                elif isinstance(argument, ast.Subscript):
                    yield source.replace(argument, source.code(argument.value))
            around = source.parent(node)
            if isinstance(around, ast.Return):
                yield source.replace(around, source.code(node))


def recursive(source: Editable, node: ast.Call) -> bool:
    """Whether a call is one of a function around it."""
    around = (one.name for one in source.parents(node) if isinstance(one, Function))
    return name_of(node) in around


def name_of(node: ast.Call) -> str:
    """Return the name of the function that is called, of a method its own; else nothing."""
    if isinstance(node.func, ast.Name):
        return node.func.id
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""


def _arguments(source: Editable, node: ast.Call) -> list[tuple[int, int]]:
    """Return where the positional arguments stand; nothing where one is unpacked."""
    if any(isinstance(argument, ast.Starred) for argument in node.args):
        return []
    if len(node.args) < 2:  # the brackets around a single one may be those of the call
        return [(source.start(argument), source.end(argument)) for argument in node.args]
    return [source.enclosed(argument, node) for argument in node.args]
