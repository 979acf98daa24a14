"""What each complaint of flake8 permits to change: the original's tree, changed where it was told.

Where a complaint can be met in more than one way, the tree holds a node that no program has:
`Spare`, `Truth`, `Kind` or `Caught`. `meaning.py` says what an answer may have in its place.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, TypeGuard

from coral_batch.linteval.scores.canonical import Import, at, bound_by, split, suites
from coral_batch.records.finding import Finding

RENAMED = "E741"

# Names that each module of the standard library has in common with the builtins: a program that
# uses one of them may mean something else without the import of all names.
_COVERED: dict[str, frozenset[str]] = {
    **dict.fromkeys(
        ("bisect", "collections", "copy", "datetime", "decimal", "fractions", "functools"),
        frozenset(),
    ),
    **dict.fromkeys(("heapq", "itertools", "random", "re", "statistics", "string"), frozenset()),
    **dict.fromkeys(("sys", "time", "tkinter", "turtle", "typing"), frozenset()),
    "math": frozenset({"pow"}),
    "operator": frozenset({"abs", "pow"}),
}
_EQUAL = (ast.Eq, ast.NotEq)
_IDENTICAL: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Eq: ast.Is, ast.NotEq: ast.IsNot}
_BY_VALUE: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Is: ast.Eq, ast.IsNot: ast.NotEq}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Spare(ast.stmt):
    """The value of a variable that nothing read: an expression, or nothing if it has no effect."""

    _fields = ("value",)

    def __init__(self, value: ast.expr) -> None:
        self.value = value


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


def permit(tree: ast.Module, told: Told) -> ast.Module:
    """Change the original's tree as the complaints permit, in place."""
    unused: defaultdict[ast.AST, set[str]] = defaultdict(set)
    for code in ("F841", "F842"):
        for line, (name,) in told.names(code, "variable '(.+)' is"):
            unused[_function_at(tree, line)].add(name)
    for function, names in unused.items():
        _remove_variables(function, names)
    _remove_caught(tree, set(told.names("F841", "variable '(.+)' is")))
    _remove_imports(tree, told)
    _remove_redefined(tree, told)
    _remove_globals(tree, told)
    _name_imports(tree, told)
    return _Permitted(told).visit(tree)


def is_pure(value: ast.expr) -> bool:
    """Whether an expression has no effect but what it raises."""
    effects = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
    return all(
        not isinstance(node, effects) or (isinstance(node, ast.Call) and _is_pure_call(node))
        for node in ast.walk(value)
    )


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


def _remove_variables(function: ast.AST, names: Collection[str]) -> None:
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
                    if (changed := _without_variable(statement, is_unused)) is not None
                ]
        if isinstance(node, ast.withitem) and is_unused(node.optional_vars):
            node.optional_vars = None


def _remove_caught(tree: ast.Module, unused: Collection[tuple[int, tuple[str, ...]]]) -> None:
    """Remove the names of caught exceptions that nothing reads (F841)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and (node.lineno, (node.name,)) in unused:
            node.name = None


def _without_variable(
    statement: ast.stmt, is_unused: Callable[[ast.AST | None], bool]
) -> ast.stmt | None:
    if isinstance(statement, ast.Assign):
        statement.targets = [one for one in statement.targets if not is_unused(one)]
        return statement if statement.targets else at(statement, Spare(statement.value))
    if isinstance(statement, ast.AnnAssign) and is_unused(statement.target):
        return None if statement.value is None else at(statement, Spare(statement.value))
    return statement


def _remove_imports(tree: ast.Module, told: Told) -> None:
    """Remove the imports that nothing uses (F401)."""
    unused = {(line, name) for line, (name,) in told.names("F401", "^'(.+)' imported but unused")}
    for suite in suites(tree):
        suite[:] = [
            one
            for statement in suite
            for one in split(statement)
            if not isinstance(one, Import) or (one.lineno, _told_as(one)) not in unused
        ]


def _told_as(node: Import) -> str:
    """Return an import of one name as flake8 writes it."""
    alias = node.names[0]
    name = alias.name
    if isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        name = f"{module}{'' if module.endswith('.') else '.'}{name}"
    return name if alias.asname in {None, alias.name} else f"{name} as {alias.asname}"


def _remove_redefined(tree: ast.Module, told: Told) -> None:
    """Remove what is defined again before it is used (F811): the earlier definition."""
    earlier = {
        (int(line), name)
        for _, (name, line) in told.names("F811", "unused '(.+)' from line ([0-9]+)")
    }
    for suite in suites(tree):
        suite[:] = [
            statement
            for statement in suite
            if not any((statement.lineno, name) in earlier for name in _defined(statement))
        ]


def _defined(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, Import):
        yield from map(bound_by, statement.names)


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


def _name_imports(tree: ast.Module, told: Told) -> None:
    """Write the names that an import of all names (F403) is used for (F405)."""
    used: defaultdict[str, set[str]] = defaultdict(set)
    for _, (name, modules) in told.names("F405", "^'(.+)' may be .* star imports: (.+)$"):
        used[modules].add(name)
    read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for suite in suites(tree):
        suite[:] = [
            one
            for statement in suite
            for one in (
                _named(statement, used[statement.module or ""])
                if isinstance(statement, ast.ImportFrom)
                and statement.names[0].name == "*"
                and statement.module in _COVERED
                and not read & _COVERED[statement.module]
                else [statement]
            )
        ]


def _named(statement: ast.ImportFrom, names: Collection[str]) -> Iterator[ast.stmt]:
    for name in sorted(names):
        yield at(statement, ast.ImportFrom(statement.module, [ast.alias(name)], statement.level))


class _Permitted(ast.NodeTransformer):
    """Changes expressions, handlers and assigned lambdas where a complaint was told."""

    def __init__(self, told: Told) -> None:
        self._told = told

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        told = self._told
        values = [node.left, *node.comparators]
        if len(node.ops) == 1 and isinstance(node.ops[0], _EQUAL):
            if told.of("E712", node) and any(map(_is_truth, values)):
                return _truth(node)
            if told.of("E721", node) and any(map(_is_type_call, values)):
                return _kind(node)
        for number, operator in enumerate(node.ops):
            pair = values[number : number + 2]
            if (told.of("E711", node) and any(map(_is_none, pair))) or (
                told.of("E712", node) and any(map(_is_truth, pair))
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


def _kind(node: ast.Compare) -> ast.expr:
    left, right = node.left, node.comparators[0]
    if _is_type_call(left):
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
    if isinstance(node, ast.Tuple):
        return all(map(_is_literal, node.elts))
    return isinstance(node, ast.Constant) and isinstance(node.value, str | bytes | int | float)
