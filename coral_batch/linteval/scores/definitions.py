"""The definitions of a program one by one: what an answer lacks of them, or changes unseen.

Other programs may call what no test reaches. So an answer has to define what the original defines,
with the same parameters and default values; and what the tested function does not lead to, and
what the program does when it is started by itself, has to stay as it is, but for what the
complaints permit.

What it does not follow: definitions inside other statements, and names that are put together when
the program runs.
"""

from __future__ import annotations

import ast
import copy
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from coral_batch.linteval.scores.canonical import canonical, read, reads_docstrings
from coral_batch.linteval.scores.meaning import equal
from coral_batch.linteval.scores.permits import Told, ambiguous, permit
from coral_batch.linteval.scores.scopes import renamed
from coral_batch.records.finding import Finding

_DEFINING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign)

Definitions = Mapping[str, ast.stmt]
"""Name -> what defines it, as `_definitions` yields them."""


def lacks(original: str, findings: Sequence[Finding], answer: str, function: str | None) -> bool:
    """Whether an answer lacks a definition or a parameter of the original, or changes one unseen.

    Args:
        original: the item's code.
        findings: flake8's findings in it.
        answer: the code of the answer.
        function: the function that tests call; None if there are no tests, which then see nothing
            of any definition: whether one is changed is not asked.

    Returns:
        True also where a definition is nested too deeply to be compared; False where one of the
        two is no Python.
    """
    before, after = read(original), read(answer)
    if before is None or after is None:
        return False
    told = Told(findings)
    names = ambiguous(told)
    documented = reads_docstrings(original)
    try:
        before = canonical(permit(before, told, exact=False), documented)
        after = canonical(after, documented)
        ours, theirs = dict(_definitions(before)), dict(_definitions(after))
        if any(not _is_there(one, theirs.get(name), names) for name, one in ours.items()):
            return True
        if function is None:
            return False
        if not _same(_mains(before), _mains(after), names):
            return True
        seen = _reached(before, ours, function) & _reached(after, theirs, function)
        return any(
            name in theirs
            and name not in seen
            and not _same([_alone(one)], [_alone(theirs[name])], names)
            for name, one in ours.items()
        )
    except RecursionError:
        return True


def _definitions(tree: ast.Module | ast.ClassDef, of: str = "") -> Iterator[tuple[str, ast.stmt]]:
    """Yield functions, classes and variables of a module and of its classes: ``Class.method``."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield of + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield of + node.name, node
            yield from _definitions(node, f"{of}{node.name}.")
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    yield of + target.id, node


def _is_there(ours: ast.stmt, theirs: ast.stmt | None, names: Collection[str]) -> bool:
    """Whether a definition is there, with its parameters; a variable need not be."""
    parameters = _parameters(ours)
    if parameters is None:
        return not isinstance(ours, ast.ClassDef) or theirs is not None
    given = None if theirs is None else _parameters(theirs)
    return (
        given is not None
        and len(parameters) == len(given)
        and all(
            (mine == other or (mine[1:] in names and mine[0] == other[0])) and equal(value, default)
            for (mine, value), (other, default) in zip(parameters, given, strict=True)
        )
    )


def _parameters(node: ast.stmt) -> list[tuple[str, ast.expr | None]] | None:
    """Return each parameter, a letter for its sort and its name, and its default value.

    A lambda that has a name is a function. None for what is no function.
    """
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        arguments = node.args
    elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
        arguments = node.value.args
    else:
        return None
    positional = [*arguments.posonlyargs, *arguments.args]
    required = len(positional) - len(arguments.defaults)
    values: list[ast.expr | None] = [*[None] * required, *arguments.defaults]
    named: list[tuple[str, ast.expr | None]] = [
        (("p" if number < len(arguments.posonlyargs) else "a") + one.arg, value)
        for number, (one, value) in enumerate(zip(positional, values, strict=True))
    ]
    for one, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        named.append((f"k{one.arg}", value))
    rest = (("*", arguments.vararg), ("/", arguments.kwarg))
    return named + [(mark + one.arg, None) for mark, one in rest if one is not None]


def _reached(tree: ast.Module, definitions: Definitions, function: str) -> set[str]:
    """Return what a function leads to by name, itself among it, and what the module calls itself.

    A method is reached by its name, of whatever class; a special one by its class.
    """
    places: defaultdict[str, list[str]] = defaultdict(list)
    for name in definitions:
        for called in {name, name.rpartition(".")[2]}:
            places[called].append(name)
    waiting = [function]
    for statement in tree.body:
        if not isinstance(statement, _DEFINING) and not _is_main(statement):
            waiting += _names(statement)
    reached: set[str] = set()
    while waiting:
        for name in places[waiting.pop()]:
            if name not in reached:
                reached.add(name)
                node = _alone(definitions[name])
                waiting += _names(node)
                if isinstance(node, ast.ClassDef):
                    waiting += (one for one in definitions if one.startswith(f"{name}.__"))
    return reached


def _names(node: ast.AST) -> Iterator[str]:
    for inside in ast.walk(node):
        if isinstance(inside, ast.Name):
            yield inside.id
        elif isinstance(inside, ast.Attribute):
            yield inside.attr


def _is_main(statement: ast.stmt) -> bool:
    """Whether a statement is ``if __name__ == ...``, which no test runs."""
    return isinstance(statement, ast.If) and "__name__" in _names(statement.test)


def _alone(node: ast.stmt) -> ast.stmt:
    """Return a definition; a class without those in it."""
    if not isinstance(node, ast.ClassDef):
        return node
    shell = copy.copy(node)
    own = {id(one) for _, one in _definitions(node)}
    shell.body = [one for one in node.body if id(one) not in own]
    return shell


def _mains(tree: ast.Module) -> list[ast.stmt]:
    return [statement for statement in tree.body if _is_main(statement)]


def _same(ours: list[ast.stmt], theirs: list[ast.stmt], names: Collection[str]) -> bool:
    before, after = ast.Module(ours, []), ast.Module(theirs, [])
    if names and not renamed(before, after, names):
        return False
    return equal(before, after)
