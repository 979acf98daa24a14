"""Lint errors of statements: imports, names, comparisons, several statements on a line.

Each function returns the sites of a program at which one flake8 code can be put in. The syntax tree
changes, the program's results do not: its tests check that.
"""

from __future__ import annotations

import ast
import itertools
import tokenize
from collections.abc import Iterator

from coral_batch.corpus.code.edits import Edit
from coral_batch.linteval.items.view import Site, Sites, View

IMPORTS = (ast.Import, ast.ImportFrom)
_MODULES = ("os", "sys", "json", "random", "string", "itertools")
_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return, ast.Continue, ast.Break, ast.Pass)


def unused_import(view: View) -> Iterator[Site]:
    """F401: an import that nothing uses."""
    for module in _unused_modules(view):
        yield (_before_all(view, f"import {module}\n"),)


def imports_on_one_line(view: View) -> Iterator[Site]:
    """E401: several imports on one line."""
    spare = _unused_modules(view)
    for node in view.tree.body:
        if isinstance(node, ast.Import) and len(node.names) == 1 and spare:
            yield (Edit(view.end(node), view.end(node), f", {spare[0]}"),)
            return
    for first, second in itertools.pairwise(spare):
        yield (_before_all(view, f"import {first}, {second}\n"),)


def star_import(view: View) -> Iterator[Site]:
    """F403: an import of all names of a module."""
    for node in view.tree.body:
        if isinstance(node, ast.ImportFrom):
            yield (view.replace(node, f"from {node.module} import *"),)
            return
    for module in ("string", "itertools", "functools"):
        if module not in view.names():
            yield (_before_all(view, f"from {module} import *\n"),)


def import_twice(view: View) -> Iterator[Site]:
    """F811: a name that is defined again before it is used."""
    for node in view.tree.body:
        if isinstance(node, IMPORTS):
            start = view.line(node).start
            yield (Edit(start, start, view.code(node) + "\n"),)
            return
    for module in _unused_modules(view):
        yield (_before_all(view, f"import {module}\n" * 2),)


def to_the_end(
    kinds: tuple[type[ast.stmt], ...], blank: str, before: type[ast.stmt] = ast.stmt
) -> Sites:
    """E402, E305: an import below the code; less than two blank lines after a function, before a
    constant that only functions need.
    """

    def sites(view: View) -> Iterator[Site]:
        end = len(view.text)
        for node, following in itertools.pairwise(view.tree.body):
            if isinstance(node, kinds) and isinstance(following, before):
                decorators: list[ast.expr] = getattr(following, "decorator_list", [])
                first = decorators[0] if decorators else following
                taken = Edit(view.start(node), view.line(first).start, "")
                if "#" not in view.text[view.end(node) : taken.end]:
                    yield taken, Edit(end, end, f"{blank}{view.code(node)}\n")

    return sites


def colon_line(view: View) -> Iterator[Site]:
    """E701: a statement on the line of the colon."""
    for node in ast.walk(view.tree):
        if isinstance(node, ast.If | ast.For | ast.While) and len(node.body) == 1:
            inner = node.body[0]
            head = view.end(node.iter if isinstance(node, ast.For) else node.test)
            start = view.start(inner)
            between = view.text[head:start]
            near = between.startswith(":\n") and not between[1:].strip()
            if near and isinstance(inner, _SIMPLE) and _is_one_line(view, inner):
                yield (Edit(head + 1, start, " "),)


def semicolon_line(view: View) -> Iterator[Site]:
    """E702: two statements on a line."""
    for suite in view.bodies():
        for first, second in itertools.pairwise(suite):
            between = view.text[view.end(first) : view.start(second)]
            simple = isinstance(first, _SIMPLE) and isinstance(second, _SIMPLE)
            lines = _is_one_line(view, first) and _is_one_line(view, second)
            if simple and lines and between.startswith("\n") and not between.strip():
                yield (Edit(view.end(first), view.start(second), "; "),)


def final_semicolon(view: View) -> Iterator[Site]:
    """E703: a statement that ends in a semicolon."""
    for suite in view.bodies():
        for node in suite:
            end = view.end(node)
            if isinstance(node, _SIMPLE) and view.text[end : end + 1] == "\n":
                yield (Edit(end, end, ";"),)


def compared_to_none(view: View) -> Iterator[Site]:
    """E711: a comparison to None by value."""
    for left, operator, right in _comparisons(view):
        none = isinstance(right, ast.Constant) and right.value is None
        if none and isinstance(operator, ast.Is | ast.IsNot):
            sign = " == " if isinstance(operator, ast.Is) else " != "
            yield (Edit(view.end(left), view.start(right), sign),)


def compared_to_true(view: View) -> Iterator[Site]:
    """E712: a comparison to True by value."""
    for node in ast.walk(view.tree):
        if isinstance(node, ast.If | ast.While) and _is_truth(node.test):
            start, end = view.start(node.test), view.end(node.test)
            brackets = ("", "") if isinstance(node.test, ast.Call) else ("(", ")")
            yield Edit(start, start, brackets[0]), Edit(end, end, f"{brackets[1]} == True")


def negated(kind: type[ast.cmpop], sign: str) -> Sites:
    """E713, E714: a test of membership or identity that is negated from outside."""

    def sites(view: View) -> Iterator[Site]:
        for left, operator, right in _comparisons(view):
            if isinstance(operator, kind):
                start = view.start(left)
                yield Edit(start, start, "not "), Edit(view.end(left), view.start(right), sign)

    return sites


def compared_types(view: View) -> Iterator[Site]:
    """E721: types are compared instead of calling isinstance."""
    for node in ast.walk(view.tree):
        if isinstance(node, ast.Call) and view.code(node.func) == "isinstance":
            match node.args:
                case [value, ast.Name("list" | "str" | "dict" as kind)]:
                    yield (view.replace(node, f"type({view.code(value)}) == {kind}"),)


def bare_except(view: View) -> Iterator[Site]:
    """E722: an except clause without a type."""
    for node in ast.walk(view.tree):
        if isinstance(node, ast.ExceptHandler) and node.type is not None and node.name is None:
            yield (Edit(view.start(node.type) - 1, view.end(node.type), ""),)


def lambda_assignment(view: View) -> Iterator[Site]:
    """E731: a lambda that gets a name."""
    for function in view.functions():
        last = function.body[-1]
        value = last.value if isinstance(last, ast.Return) else None
        if value is not None and not isinstance(value, ast.Tuple) and _is_one_line(view, last):
            name = _unused_name(view, ("answer", "finish", "give"))
            line = view.line(last)
            start = f"{name} = lambda: {view.code(value)}\n"
            text = f"{start}{' ' * line.indent}return {name}()"
            yield (view.replace(last, text),)


def ambiguous_name(view: View) -> Iterator[Site]:
    """E741: a local variable that is named like a digit."""
    fresh = [name for name in ("l", "O", "I") if name not in view.names()]
    for function in view.functions():
        inner = list(ast.walk(function))
        names = [node for node in inner if isinstance(node, ast.Name)]
        kept = {node.arg for node in inner if isinstance(node, ast.arg)}
        for node in inner:
            if isinstance(node, ast.Global | ast.Nonlocal):
                kept.update(node.names)
        for text in inner:
            if isinstance(text, ast.JoinedStr):
                kept |= {node.id for node in ast.walk(text) if isinstance(node, ast.Name)}
        for name in dict.fromkeys(node.id for node in names if node.id not in kept):
            nodes = [node for node in names if node.id == name]
            if fresh and any(_is_seen_stored(view, node) for node in nodes):
                yield tuple(view.replace(node, fresh[0]) for node in nodes)


def _is_seen_stored(view: View, node: ast.Name) -> bool:
    """Whether flake8 checks a name: right before an equals sign or after `for`."""
    assigned = view.text.startswith(" = ", view.end(node))
    counted = view.text.endswith("for ", 0, view.start(node))
    return isinstance(node.ctx, ast.Store) and (assigned or counted)


def unused_variable(view: View) -> Iterator[Site]:
    """F841: a variable that nothing reads."""
    name = _unused_name(view, ("temp", "flag", "extra"))
    for function in view.functions():
        for value in ("0", "[]", "None", '""'):
            yield (_first_in(view, function, f"{name} = {value}"),)


def unused_global(view: View) -> Iterator[Site]:
    """F824: a global statement for a name that is never assigned."""
    assigned = [node for node in view.tree.body if isinstance(node, ast.Assign)]
    targets = [target for node in assigned for target in node.targets]
    for function in view.functions():
        for target in targets:
            if isinstance(target, ast.Name):
                yield (_first_in(view, function, f"global {target.id}"),)


def formatted_without_placeholder(view: View) -> Iterator[Site]:
    """F541: an f-string without placeholders."""
    for token in view.tokens:
        plain = token.kind == tokenize.STRING and token.text[0] in {"'", '"'}
        if plain and not set(token.text) & set("{}"):
            yield (Edit(token.start, token.start, "f"),)


def invalid_escape(view: View) -> Iterator[Site]:
    """W605: a backslash in a string that is not raw."""
    for token in view.tokens:
        if token.kind == tokenize.STRING and token.text[0] == "r" and "\\" in token.text:
            yield (Edit(token.start, token.start + 1, ""),)


def _comparisons(view: View) -> Iterator[tuple[ast.expr, ast.cmpop, ast.expr]]:
    for node in ast.walk(view.tree):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            yield node.left, node.ops[0], node.comparators[0]


def _is_truth(node: ast.expr) -> bool:
    """Whether the value is certainly a bool, not just truthy or falsy."""
    predicates = {"isinstance", "startswith", "endswith", "islower", "isupper", "isdigit"}
    if isinstance(node, ast.Call):
        name = getattr(node.func, "id", None) or getattr(node.func, "attr", None)
        return name in predicates
    return isinstance(node, ast.Compare)


def _is_one_line(view: View, node: ast.stmt) -> bool:
    return node.lineno == node.end_lineno and view.line(node).end >= view.end(node)


def _before_all(view: View, text: str) -> Edit:
    """Insert lines before the first statement, with the blank lines that flake8 requires."""
    first = view.tree.body[0]
    line = view.line(first)
    blank = "" if isinstance(first, IMPORTS) else "\n\n"
    return Edit(line.start, line.start, text + blank)


def _first_in(view: View, function: ast.FunctionDef, statement: str) -> Edit:
    line = view.line(function.body[0])
    return Edit(line.start, line.start, " " * line.indent + statement + "\n")


def _unused_modules(view: View) -> list[str]:
    taken = view.names()
    return [module for module in _MODULES if module not in taken]


def _unused_name(view: View, names: tuple[str, ...]) -> str:
    taken = view.names()
    numbered = (f"{name}_{number}" for number in itertools.count(2) for name in names)
    return next(name for name in itertools.chain(names, numbered) if name not in taken)
