"""What no answer to a linter may bring into a program, and what it may not take out of it.

Tests cannot tell a program that was repaired from one that only hides what it is: the unchanged
code in a string that `exec` runs passes them, and flake8 reads a file as its coding cookie says. So
an answer is refused for what it has and the original has not: ways to run text, modules beyond
those that calculate, attributes that lead there, a coding cookie. And it has to define what the
original defines, with the same parameters, since other programs may call it.
"""

from __future__ import annotations

import ast
import codecs
import re
from collections.abc import Collection, Iterator

_MODULES = """
    abc bisect cmath collections copy dataclasses datetime decimal enum fractions functools heapq
    itertools json math numbers operator random re statistics string time typing
"""
_WORDS = """
    exec eval compile __import__ __builtins__ __loader__ __spec__ builtins breakpoint globals locals
    vars dir getattr setattr delattr attrgetter methodcaller get_type_hints make_dataclass modules
    sys os codecs importlib import_module input open
"""
# PEP 263.
_COOKIE = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.ASCII)


def misread(original: str, answer: str) -> bool:
    """Whether an answer, of any text, has a coding cookie that lets flake8 read other code.

    The original's own cookie and that of UTF-8 are let through.
    """
    return not _cookies(answer) <= _cookies(original) | {"utf-8"}


def _cookies(code: str) -> set[str]:
    names = set()
    for line in re.split(r"\r\n|\r|\n", code.removeprefix("\ufeff"))[:2]:
        if match := _COOKIE.match(line):
            try:
                names.add(codecs.lookup(match[1]).name)
            except (LookupError, ValueError):
                names.add(match[1])
    return names


def hides(original: ast.Module, answer: ast.Module) -> bool:
    """Whether an answer can run what does not stand in it, in a way that the original has not."""
    known = set(_words(original))
    new = set(_words(answer)) - known
    modules = set(_imported(answer)) - set(_imported(original)) - known
    private = {name for name in set(_attributes(answer)) - known if name.startswith("_")}
    return bool(private or new & set(_WORDS.split()) or modules - set(_MODULES.split()))


def _words(tree: ast.Module) -> Iterator[str]:
    """Yield names, attributes and what is imported, and strings that could be any of them."""
    yield from _attributes(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.alias):
            yield from node.name.split(".")


def _attributes(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names)


def _imported(tree: ast.Module) -> Iterator[str]:
    """Yield the modules that a program imports, those in packages by the package's name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." if node.level else (node.module or "").split(".")[0]


def lacks(original: ast.Module, answer: ast.Module, ambiguous: Collection[str]) -> bool:
    """Whether an answer lacks a function, a class or a parameter of the original.

    Args:
        original: the original's tree.
        answer: the answer's tree.
        ambiguous: names of parameters that may be others.
    """
    ours, theirs = dict(_definitions(original)), dict(_definitions(answer))
    return any(
        name not in theirs or not _alike(parameters, theirs[name], ambiguous)
        for name, parameters in ours.items()
    )


def _alike(ours: list[str], theirs: list[str], ambiguous: Collection[str]) -> bool:
    return len(ours) == len(theirs) and all(
        ours_ == theirs_ or (ours_[1:] in ambiguous and ours_[0] == theirs_[0])
        for ours_, theirs_ in zip(ours, theirs, strict=True)
    )


def _definitions(tree: ast.Module | ast.ClassDef, of: str = "") -> Iterator[tuple[str, list[str]]]:
    """Yield the functions and classes of a module and of its classes, with their parameters.

    A parameter is a letter for its sort and its name. A lambda that has a name is a function.
    """
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield of + node.name, _parameters(node.args)
        elif isinstance(node, ast.ClassDef):
            yield of + node.name, []
            yield from _definitions(node, f"{of}{node.name}.")
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    yield of + target.id, _parameters(node.value.args)


def _parameters(arguments: ast.arguments) -> list[str]:
    positional = [*arguments.posonlyargs, *arguments.args]
    optional = len(positional) - len(arguments.defaults)
    named = []
    for number, one in enumerate(positional):
        mark = "p" if number < len(arguments.posonlyargs) else "a"
        named.append((mark if number < optional else mark.upper()) + one.arg)
    for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        named.append(("k" if default is None else "K") + one.arg)
    rest = (("*", arguments.vararg), ("/", arguments.kwarg))
    return named + [mark + one.arg for mark, one in rest if one is not None]
