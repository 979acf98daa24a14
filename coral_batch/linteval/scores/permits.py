"""What each complaint of flake8 permits to change: the original's tree, changed where it was told.

Where a complaint can be met in more than one way, the tree holds a node that no program has:
`Spare`, `Truth`, `Kind` or `Caught`. `meaning.py` says what an answer may have in its place.
"""

from __future__ import annotations

import ast
import builtins
import functools
import importlib
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, TypeGuard

from coral_batch.linteval.scores.canonical import Import, at, bound_by, split, suites
from coral_batch.records.finding import Finding

RENAMED = "E741"

# Modules whose names are looked up when a program imports all of them: importing one does nothing.
_COVERED = """
    bisect collections copy datetime decimal fractions functools heapq itertools math operator
    random re statistics string sys time typing
"""
_EQUAL = (ast.Eq, ast.NotEq)
_IDENTICAL: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Eq: ast.Is, ast.NotEq: ast.IsNot}
_BY_VALUE: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Is: ast.Eq, ast.IsNot: ast.NotEq}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_EFFECTS = (
    *(ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.Subscript),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.Starred),
)


class Spare(ast.stmt):
    """The value of a variable that nothing read: an expression, or nothing unless it is needed."""

    _fields = ("value",)

    def __init__(self, value: ast.expr, needed: bool) -> None:
        self.value = value
        self.needed = needed


class Truth(ast.expr):
    """``value == truth``, or ``!=`` if negated: by `is`, or ``value`` itself."""

    _fields = ("value",)

    def __init__(self, value: ast.expr, truth: bool, negated: bool) -> None:
        self.value = value
        self.truth = truth
        self.negated = negated


class Kind(ast.expr):
    """``type(value) == kind``, or ``!=`` if negated: by `is` or `isinstance`."""

    _fields = ("value", "kind")

    def __init__(self, value: ast.expr, kind: ast.expr, negated: bool) -> None:
        self.value = value
        self.kind = kind
        self.negated = negated


class Caught(ast.expr):
    """What a bare `except` catches: `Exception` or `BaseException`."""

    _fields = ()


class Told:
    """What flake8 found in the original.

    Args:
        findings: its findings in the code.
    """

    def __init__(self, findings: Sequence[Finding]) -> None:
        self._messages: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
        for finding in findings:
            self._messages[finding.code].append((finding.line, finding.message))

    def has(self, *codes: str) -> bool:
        """Whether one of the codes was found anywhere."""
        return any(code in self._messages for code in codes)

    def of(self, code: str, node: Any) -> bool:
        """Whether a code was found on the lines of a statement, a handler or an expression."""
        return any(
            node.lineno <= line <= node.end_lineno for line, _ in self._messages.get(code, ())
        )

    def names(self, code: str, pattern: str) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Yield the line and the matched groups of every finding of a code."""
        for line, message in self._messages.get(code, ()):
            match = re.search(pattern, message)
            if match is not None:
                yield line, match.groups()


def ambiguous(told: Told) -> set[str]:
    """Return the names that flake8 calls ambiguous, and that may be called otherwise."""
    return {name for _, (name,) in told.names(RENAMED, "'(.+)'")}


def permit(tree: ast.Module, told: Told, exact: bool) -> ast.Module:
    """Change the original's tree as the complaints permit, in place.

    Args:
        tree: the original's tree.
        told: what flake8 found in it.
        exact: whether nothing is permitted that may change a value.
    """
    sheltered = _sheltered(tree)
    unused: defaultdict[ast.AST, set[str]] = defaultdict(set)
    for code in ("F841", "F842"):
        for line, (name,) in told.names(code, "variable '(.+)' is"):
            unused[_function_at(tree, line)].add(name)
    for function, names in unused.items():
        _remove_variables(function, names, sheltered)
    _remove_caught(tree, set(told.names("F841", "variable '(.+)' is")))
    for suite in suites(tree):
        suite[:] = [one for statement in suite for one in split(statement)]
    # In this order: the later of two imports may be unused as well.
    _remove_redefined(tree, told, sheltered)
    _remove_imports(tree, told, sheltered)
    _remove_globals(tree, told)
    _name_imports(tree, told, sheltered)
    return _Permitted(told, exact).visit(tree)


def _sheltered(tree: ast.Module) -> set[int]:
    """Return the lines whose exceptions may be caught: of a `try` with handlers, of a `with`."""
    return {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.With | ast.AsyncWith)
        or (isinstance(node, ast.Try | ast.TryStar) and node.handlers)
        for line in range(node.body[0].lineno, (node.body[-1].end_lineno or 0) + 1)
    }


def _is_pure(value: ast.expr) -> bool:
    """Whether an expression has no effect but what it raises.

    What goes through an iterator uses it up: comprehensions, stars, `in`. A subscript may put its
    key into a dictionary.
    """
    return not any(map(_has_effect, ast.walk(value)))


def _has_effect(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return not _is_pure_call(node)
    if isinstance(node, ast.Compare):
        return any(isinstance(operator, ast.In | ast.NotIn) for operator in node.ops)
    return isinstance(node, _EFFECTS)


def _is_still(value: ast.expr) -> bool:
    """Whether an expression can neither have an effect nor raise anything."""
    still = (ast.Constant, ast.List, ast.Tuple, ast.expr_context)
    return all(isinstance(node, still) for node in ast.walk(value))


def _is_pure_call(call: ast.Call) -> bool:
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    if name in {"len", "range", "abs", "bool", "type", "isinstance"}:
        return True
    return name in {"list", "dict", "set", "tuple", "str", "int"} and not call.args


def _function_at(tree: ast.Module, line: int) -> ast.AST:
    """Return the innermost function around a line; a node of no program if there is none."""
    return max(
        (
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and node.lineno <= line <= (node.end_lineno or 0)
        ),
        key=lambda node: node.lineno,
        default=ast.Pass(),
    )


def _own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """Yield a function's nodes without those of the functions and classes in it."""
    waiting = [function]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [
            child
            for child in ast.iter_child_nodes(node)
            if not isinstance(child, (*_FUNCTIONS, ast.ClassDef))
        ]


def _remove_variables(
    function: ast.AST, names: Collection[str], sheltered: Collection[int]
) -> None:
    """Turn assignments to names that the function never reads into `Spare` statements."""
    own = list(_own_nodes(function))
    kept = {
        node.id
        for node in own
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store)
    }
    names = set(names) - kept

    def is_unused(target: ast.AST | None) -> bool:
        return isinstance(target, ast.Name) and target.id in names

    for node in own:
        for field in ("body", "orelse", "finalbody"):
            suite = getattr(node, field, None)
            if isinstance(suite, list):
                suite[:] = [
                    changed
                    for statement in suite
                    if (changed := _without_variable(statement, is_unused, sheltered)) is not None
                ]
        if isinstance(node, ast.withitem) and is_unused(node.optional_vars):
            node.optional_vars = None


def _remove_caught(tree: ast.Module, unused: Collection[tuple[int, tuple[str, ...]]]) -> None:
    """Remove the names of caught exceptions that nothing reads (F841)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and (node.lineno, (node.name,)) in unused:
            node.name = None


def _without_variable(
    statement: ast.stmt,
    is_unused: Callable[[ast.AST | None], bool],
    sheltered: Collection[int],
) -> ast.stmt | None:
    if isinstance(statement, ast.Assign):
        statement.targets = [one for one in statement.targets if not is_unused(one)]
        return statement if statement.targets else _spare(statement, statement.value, sheltered)
    if isinstance(statement, ast.AnnAssign) and is_unused(statement.target):
        if statement.value is None:
            return None
        return _spare(statement, statement.value, sheltered)
    return statement


def _spare(statement: ast.stmt, value: ast.expr, sheltered: Collection[int]) -> Spare:
    without_it = _is_still if statement.lineno in sheltered else _is_pure
    return at(statement, Spare(value, needed=not without_it(value)))


def _remove_imports(tree: ast.Module, told: Told, sheltered: Collection[int]) -> None:
    """Remove the imports that nothing uses (F401), but for those of all names."""
    unused = {(line, name) for line, (name,) in told.names("F401", "^'(.+)' imported but unused")}
    for suite in suites(tree):
        suite[:] = [
            one
            for one in suite
            if not isinstance(one, Import)
            or _is_star(one)
            or one.lineno in sheltered
            or (one.lineno, _told_as(one)) not in unused
        ]


def _is_star(statement: ast.stmt) -> TypeGuard[ast.ImportFrom]:
    return isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*"


def _told_as(node: Import) -> str:
    """Return an import of one name as flake8 writes it."""
    alias = node.names[0]
    name = alias.name
    if isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        name = f"{module}{'' if module.endswith('.') else '.'}{name}"
    return name if alias.asname in {None, alias.name} else f"{name} as {alias.asname}"


def _remove_redefined(tree: ast.Module, told: Told, sheltered: Collection[int]) -> None:
    """Remove what is defined again, beside it, before it is used (F811): the earlier definition."""
    later: defaultdict[tuple[int, str], set[int]] = defaultdict(set)
    for line, (name, earlier) in told.names("F811", "unused '(.+)' from line ([0-9]+)"):
        later[int(earlier), name].add(line)

    def is_redefined(statement: ast.stmt, after: Sequence[ast.stmt]) -> bool:
        return any(
            one.lineno in later.get((statement.lineno, name), ()) and name in _bound(one)
            for name in _bound(statement)
            for one in after
        )

    for suite in suites(tree):
        suite[:] = [
            statement
            for number, statement in enumerate(suite)
            if statement.lineno in sheltered
            or not _only_defines(statement)
            or not is_redefined(statement, suite[number + 1 :])
        ]


def _bound(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement binds, whatever happens."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, Import):
        yield from map(bound_by, statement.names)
    elif isinstance(statement, ast.Assign):
        yield from (target.id for target in statement.targets if isinstance(target, ast.Name))


def _only_defines(statement: ast.stmt) -> bool:
    """Whether a statement defines or imports something, and does nothing else."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        arguments = statement.args
        defaults = [*arguments.defaults, *(one for one in arguments.kw_defaults if one is not None)]
        return not statement.decorator_list and all(map(_is_pure, defaults))
    if isinstance(statement, ast.ClassDef):
        # A base class may keep a list of those that are derived from it.
        around = (*statement.decorator_list, *statement.bases, *statement.keywords)
        return not around and all(map(_only_defines, statement.body))
    if isinstance(statement, ast.Assign | ast.Expr):
        return _is_pure(statement.value)
    return isinstance(statement, Import | ast.Pass)


def _remove_globals(tree: ast.Module, told: Told) -> None:
    """Remove names from `global` and `nonlocal` that are never assigned there (F824)."""
    unused = {(line, name) for line, (name,) in told.names("F824", "`[a-z]+ (.+)` is unused")}
    for suite in suites(tree):
        for statement in suite:
            if isinstance(statement, ast.Global | ast.Nonlocal):
                statement.names = [
                    name for name in statement.names if (statement.lineno, name) not in unused
                ]
        suite[:] = [
            statement
            for statement in suite
            if not isinstance(statement, ast.Global | ast.Nonlocal) or statement.names
        ]


def _name_imports(tree: ast.Module, told: Told, sheltered: Collection[int]) -> None:
    """Write the names that an import of all names (F403) is used for (F405).

    Not where such a name has another meaning without the import: one of the builtins, of the
    program itself, or of another import of all names.
    """
    stars = [statement for suite in suites(tree) for statement in suite if _is_star(statement)]
    if len(stars) != 1 or stars[0].lineno in sheltered:
        return
    module = stars[0].module or ""
    if module not in _COVERED.split():
        return
    read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    if _exported(module) & (_bound_at_top(tree) | read & set(dir(builtins))):
        return
    used = {name for _, (name,) in told.names("F405", "^'(.+)' may be .* star imports: ")}
    for suite in suites(tree):
        suite[:] = [
            one
            for statement in suite
            for one in (_named(statement, used) if statement is stars[0] else [statement])
        ]


@functools.cache
def _exported(module: str) -> frozenset[str]:
    """Return the names that an import of all names of a module binds."""
    found = importlib.import_module(module)
    public = [name for name in vars(found) if not name.startswith("_")]
    return frozenset(getattr(found, "__all__", public))


def _bound_at_top(tree: ast.Module) -> set[str]:
    """Return the names that a program binds at the top of its module, at whatever depth."""
    names = {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
    for node in _own_nodes(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt) and not isinstance(child, ast.Assign):
                names |= set(_bound(child))
    return names


def _named(statement: ast.ImportFrom, names: Collection[str]) -> Iterator[ast.stmt]:
    for name in sorted(names):
        yield at(statement, ast.ImportFrom(statement.module, [ast.alias(name)], statement.level))


class _Permitted(ast.NodeTransformer):
    """Changes expressions, handlers and assigned lambdas where a complaint was told."""

    def __init__(self, told: Told, exact: bool) -> None:
        self._told = told
        self._exact = exact

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        told = self._told
        values = [node.left, *node.comparators]
        if len(node.ops) == 1 and isinstance(node.ops[0], _EQUAL):
            if told.of("E712", node) and any(map(_is_truth, values)):
                return node if self._exact else _truth(node)
            if told.of("E721", node) and any(map(_is_type_call, values)):
                return _kind(node, self._exact)
        for number, operator in enumerate(node.ops):
            pair = values[number : number + 2]
            if (told.of("E711", node) and any(map(_is_none, pair))) or (
                told.of("E712", node) and any(map(_is_truth, pair)) and not self._exact
            ):
                node.ops[number] = _IDENTICAL.get(type(operator), type(operator))()
            elif told.of("F632", node) and any(map(_is_literal, pair)):
                node.ops[number] = _BY_VALUE.get(type(operator), type(operator))()
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        self.generic_visit(node)
        if node.type is None and self._told.of("E722", node):
            node.type = Caught()
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        self.generic_visit(node)
        target, value = node.targets[0], node.value
        named = len(node.targets) == 1 and isinstance(target, ast.Name)
        if not (named and isinstance(value, ast.Lambda) and self._told.of("E731", node)):
            return node
        assert isinstance(target, ast.Name)
        body: list[ast.stmt] = [at(node, ast.Return(value.body))]
        definition = ast.parse("def f(): pass").body[0]
        assert isinstance(definition, ast.FunctionDef)
        definition.name, definition.args, definition.body = target.id, value.args, body
        return at(node, definition)


def _truth(node: ast.Compare) -> Truth:
    values = [node.left, node.comparators[0]]
    constant = next(value for value in reversed(values) if _is_truth(value))
    assert isinstance(constant, ast.Constant)
    values.remove(constant)
    negated = isinstance(node.ops[0], ast.NotEq)
    return at(node, Truth(values[0], constant.value is True, negated))


def _kind(node: ast.Compare, exact: bool) -> ast.expr:
    left, right = node.left, node.comparators[0]
    if _is_type_call(left) and not exact:
        return at(node, Kind(left.args[0], right, isinstance(node.ops[0], ast.NotEq)))
    return at(node, ast.Compare(left, [_IDENTICAL[type(node.ops[0])]()], [right]))


def is_call_of(node: Any, name: str) -> TypeGuard[ast.Call]:
    """Whether a node calls the function of this name, without keywords."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == name
        and not node.keywords
    )


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_truth(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, bool)


def _is_type_call(node: ast.expr) -> TypeGuard[ast.Call]:
    return is_call_of(node, "type") and len(node.args) == 1


def _is_literal(node: ast.expr) -> bool:
    """Whether an expression is a constant that `is` is not for, as flake8 has it."""
    if isinstance(node, ast.Tuple):
        return all(isinstance(one, ast.Constant) or _is_literal(one) for one in node.elts)
    return isinstance(node, ast.Constant) and not (
        node.value is None or node.value is ... or isinstance(node.value, bool)
    )
