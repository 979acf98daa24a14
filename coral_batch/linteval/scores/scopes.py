"""Names by the scope that binds them, so that a name that was changed everywhere is the same.

What Python resolves at run time is not followed: see `renamed`.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from coral_batch.linteval.scores.canonical import bound_by

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_BY_TEXT = frozenset({"eval", "exec", "globals", "locals", "vars", "dir", "getattr", "setattr"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(eq=False)
class _Scope:
    """A scope: its number in the program's order, what is around it, the names that it binds."""

    number: int
    around: _Scope | None
    opaque: bool
    names: list[str] = field(default_factory=list)

    def bind(self, name: str) -> None:
        if name not in self.names:
            self.names.append(name)


def renamed(original: ast.Module, answer: ast.Module, permitted: Collection[str]) -> bool:
    """Write each name with the number of its scope, in both trees, in place.

    A name of the original that is permitted to change is written as in the original, where the
    answer's scope binds another one in its stead.

    Args:
        original: the original's tree.
        answer: the answer's tree.
        permitted: names of the original that the answer may call otherwise.

    Returns:
        Whether each scope of the answer binds the names of the original's, or others for those
        that are permitted to change. False where names are also used in ways that are not
        followed: as text, as a keyword, as an attribute of a class, by `global` or `match`.
    """
    if not all(_is_followed(tree, permitted) for tree in (original, answer)):
        return False
    ours, theirs = _Program(original), _Program(answer)
    if len(ours.scopes) != len(theirs.scopes):
        return False
    changes: list[dict[str, str]] = []
    for mine, other in zip(ours.scopes, theirs.scopes, strict=True):
        gone = [name for name in mine.names if name not in other.names]
        new = [name for name in other.names if name not in mine.names]
        if len(gone) != len(new) or not set(gone) <= set(permitted) or (gone and mine.opaque):
            return False
        changes.append(dict(zip(new, gone, strict=True)))
    ours.write([{} for _ in changes])
    theirs.write(changes)
    return True


def _is_followed(tree: ast.Module, names: Collection[str]) -> bool:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in _BY_TEXT:
            return False
        if isinstance(node, ast.Global | ast.Nonlocal) and set(node.names) & set(names):
            return False
        if isinstance(node, ast.keyword) and node.arg in names:
            return False
        if isinstance(node, ast.Match | ast.NamedExpr):
            return False
    return True


class _Program:
    """A tree with the scope of each of its nodes."""

    def __init__(self, tree: ast.Module) -> None:
        self.scopes: list[_Scope] = []
        self._nodes: list[tuple[ast.AST, _Scope]] = []
        self._visit(tree, self._open(None))
        for node, scope in self._nodes:
            for name in _bound(node):
                scope.bind(name)

    def write(self, changes: list[dict[str, str]]) -> None:
        """Write the names with their scopes, changed as said for each scope."""
        for node, scope in self._nodes:
            if isinstance(node, ast.keyword):
                continue
            # What an import is from is no name of the program; what it is called here is one.
            for attribute in ("asname",) if isinstance(node, ast.alias) else ("id", "arg", "name"):
                name = getattr(node, attribute, None)
                if isinstance(name, str):
                    setattr(node, attribute, _written(name, scope, changes))

    def _open(self, around: _Scope | None, opaque: bool = False) -> _Scope:
        self.scopes.append(_Scope(len(self.scopes), around, opaque))
        return self.scopes[-1]

    def _visit(self, node: ast.AST, scope: _Scope) -> None:
        self._nodes.append((node, scope))
        inside = scope
        around: list[ast.AST | None] = []
        if isinstance(node, _FUNCTIONS):
            inside = self._open(scope)
            arguments = node.args
            around = [*arguments.defaults, *arguments.kw_defaults]
            every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
            every += [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
            around += [one.annotation for one in every]
            if not isinstance(node, ast.Lambda):
                around += [*node.decorator_list, node.returns]
        elif isinstance(node, ast.ClassDef):
            inside = self._open(scope, opaque=True)
            around = [*node.bases, *node.keywords, *node.decorator_list]
        elif isinstance(node, _COMPREHENSIONS):
            inside = self._open(scope)
            around = [node.generators[0].iter]
        outside = {id(one) for one in around}
        for one in around:
            if one is not None:
                self._visit(one, scope)
        self._visit_rest(node, inside, outside)

    def _visit_rest(self, node: ast.AST, scope: _Scope, without: set[int]) -> None:
        for child in ast.iter_child_nodes(node):
            if id(child) in without:
                continue
            if isinstance(child, ast.arguments | ast.arg | ast.comprehension):
                self._nodes.append((child, scope))
                self._visit_rest(child, scope, without)
            else:
                self._visit(child, scope)


def _bound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.alias):
        yield bound_by(node)
    elif isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name


def _written(name: str, scope: _Scope, changes: list[dict[str, str]]) -> str:
    place: _Scope | None = scope
    while place is not None:
        # The names of a class are not seen by the functions in it.
        if name in place.names and (place is scope or not place.opaque):
            return f"{place.number}:{changes[place.number].get(name, name)}"
        place = place.around
    return name
