"""What no answer to a linter may bring into a program.

Tests cannot tell a program that was repaired from one that only hides what it is: the unchanged
code in a string that `exec` runs passes them, and flake8 reads a file as its coding cookie says. So
an answer is refused for what it has and the original has not: ways to run text, modules beyond
those that calculate, attributes that lead there, a coding cookie.

What it does not see: a name that is put together when the program runs. What takes such a name and
gives what it names is refused, as `string.Formatter` is; what is run by one nevertheless ends in
the jail (`coral_batch/verdicts/inside/watch.py`), where the item has tests.
"""

from __future__ import annotations

import ast
import codecs
import re
from collections.abc import Iterator

_MODULES = """
    abc bisect cmath collections copy dataclasses datetime decimal enum fractions functools heapq
    itertools json math numbers operator random re statistics string time typing
"""
_WORDS = """
    exec eval compile __import__ __builtins__ __loader__ __spec__ builtins breakpoint globals locals
    vars dir getattr setattr delattr attrgetter methodcaller getattr_static get_type_hints
    singledispatch singledispatchmethod make_dataclass modules sys os codecs bltns importlib
    import_module input open CodeType FunctionType
    Formatter get_field wraps update_wrapper
    gi_frame gi_code cr_frame cr_code ag_frame ag_code f_globals f_locals f_builtins f_back f_code
    get_code get_data exec_module load_module source_to_code
"""
# Modules that those hold, as ``dataclasses.inspect``.
_HELD = "contextlib copyreg inspect keyword types warnings weakref"
_SPECIAL = re.compile(r"__\w+__")
_HARMLESS = "__all__ __doc__ __init__ __main__ __name__"
# PEP 263.
_COOKIE = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.ASCII)


def misread(original: str, answer: str) -> bool:
    """Whether an answer, of any text, has a coding cookie that lets flake8 read other code.

    The original's own cookie and that of UTF-8 are let through.
    """
    return bool(_cookies(answer) - _cookies(original) - {"utf-8"})


def _cookies(code: str) -> set[str]:
    names = set()
    text = code.removeprefix("\ufeff")
    # Python's parser takes "\r" for the end of a line as well, the tokenizer of flake8 does not.
    for line in [*re.split(r"\r\n|\r|\n", text)[:2], *text.split("\n")[:2]]:
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
    special = {name for name in new if _SPECIAL.fullmatch(name)}
    attributes = set(_attributes(answer)) - known
    modules = set(_imported(answer)) - set(_imported(original)) - known
    return bool(
        new & set(_WORDS.split())
        or special - set(_HARMLESS.split())
        or attributes & set(_HELD.split())
        or any(name.startswith("_") for name in attributes)
        or modules - set(_MODULES.split())
    )


def _words(tree: ast.Module) -> Iterator[str]:
    """Yield names, attributes and what is imported, and strings that could be or hold any."""
    yield from _attributes(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
            yield from _SPECIAL.findall(node.value)
        elif isinstance(node, ast.alias):
            yield from node.name.split(".")


def _attributes(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            if node.attr != "compile" or not _is_name(node.value, "re"):
                yield node.attr
        elif isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.MatchClass):
            yield from node.kwd_attrs


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _imported(tree: ast.Module) -> Iterator[str]:
    """Yield the modules that a program imports, those in packages by the package's name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." if node.level else (node.module or "").split(".")[0]
