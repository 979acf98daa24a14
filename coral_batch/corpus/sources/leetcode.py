"""Programs and examples in LeetCode's form, made into modules that can be called and tested.

A program is ``class Solution`` with the method that is asked for; there, List, Counter, inf and the
like are known without an import. An example is a text such as ``Input: nums = [2,7], target = 9``,
then ``Output: [0,1]``, and perhaps an explanation.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from coral_batch.corpus.sources.asserts import loaded
from coral_batch.corpus.sources.rows import Lost
from coral_batch.verdicts.functions import as_module

TOLERANCE = 1e-5
"""What a float that is expected may differ by: LeetCode's own rule."""

_CLASS = "Solution"
_KNOWN = (
    *("collections", "typing", "functools", "itertools", "heapq", "bisect", "math", "operator"),
    *("string", "random", "statistics", "re"),
)
_INPUT = re.compile(r"\s*Input:?\s*(?P<input>.*?)\s*Output:?\s*(?P<output>.*)", re.DOTALL)
_NAME = re.compile(r"\s*(?P<name>[A-Za-z_]\w*)\s*=\s*")
_BEHIND = re.compile(r"\s*(Explanation|$)", re.IGNORECASE)
_SEVERAL = re.compile(
    r"any order|any of them|any valid|any such|return any|multiple (valid )?(answers|solutions)"
    r"|more than one (valid )?(answer|solution)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Example:
    """An example: the arguments by name, in their order, and the result."""

    arguments: dict[str, Any]
    result: Any


def parse_examples(texts: Sequence[str]) -> list[Example]:
    """Parse the examples of a task, all of them or none.

    Raises:
        Lost: there is none, or a value in one is not JSON.
    """
    if not texts:
        raise Lost("untested", "it has no examples")
    return [_example(text, number) for number, text in enumerate(texts, start=1)]


def _example(text: str, number: int) -> Example:
    parts = _INPUT.fullmatch(text)
    try:
        if parts is None:
            raise ValueError("no input and output")
        arguments = _arguments(parts["input"])
        result, end = _decode(parts["output"])
        if not _BEHIND.match(parts["output"], end):
            raise ValueError("more than one value")
    except (ValueError, RecursionError) as error:
        raise Lost("untestable", f"example {number} holds no plain values: {error}") from None
    return Example(arguments, result)


def _arguments(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    while text:
        match = _NAME.match(text)
        if match is None:
            raise ValueError(f"no name = value in {text[:40]!r}")
        value, end = _decode(text[match.end() :])
        found[match["name"]] = value
        text = text[match.end() + end :].lstrip()
        if text and not text.startswith(","):
            raise ValueError(f"more than a value in {text[:40]!r}")
        text = text.removeprefix(",")
    return found


def _decode(text: str) -> tuple[Any, int]:
    return _DECODER.raw_decode(text)


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse)


def check_decided(*texts: str) -> None:
    """Check that the texts of a task let one result alone be right.

    Raises:
        Lost: they speak of several.
    """
    for text in texts:
        found = _SEVERAL.search(text)
        if found is not None:
            raise Lost("undecided", f"several results are right: {found[0]!r}")


def method_for(tree: ast.Module, names: Sequence[str]) -> str:
    """Return the method of ``Solution`` that takes the arguments of these names.

    It is the one with parameters of these names; without such a one, the only one with as many.

    Raises:
        Lost: there is no such method or more than one, or it returns nothing.
    """
    methods = {
        node.name: node
        for one in tree.body
        if isinstance(one, ast.ClassDef) and one.name == _CLASS
        for node in one.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    }
    parameters = {
        name: [argument.arg for argument in node.args.args[1:]] for name, node in methods.items()
    }
    fitting = [name for name in methods if parameters[name] == list(names)] or [
        name for name in methods if len(parameters[name]) == len(names)
    ]
    if len(fitting) != 1:
        takes = ", ".join(names)
        raise Lost("untestable", f"{len(fitting)} methods of class {_CLASS} take {takes}")
    returns = methods[fitting[0]].returns
    if isinstance(returns, ast.Constant) and returns.value is None:
        raise Lost("untestable", f"{fitting[0]} returns nothing: it changes its argument")
    return fitting[0]


def module_of(code: str, imports: Sequence[str], method: str, parameters: Sequence[str]) -> str:
    """Return a module with a function that calls the method of a new ``Solution``.

    Args:
        code: the program.
        imports: lines to put before it.
        method: the method's name, which becomes that of the function.
        parameters: the function's parameters.
    """
    names = ", ".join(parameters)
    call = f"def {method}({names}):\n    return {_CLASS}().{method}({names})\n"
    head = "\n".join(imports) + "\n\n\n" if imports else ""
    return f"{head}{as_module(code)}\n\n{call}"


def missing_imports(tree: ast.Module) -> list[str]:
    """Return import statements for the names that a program reads and does not bind.

    Raises:
        Lost: a name is neither a module that LeetCode imports nor in one: TreeNode, say.
    """
    modules = {
        node.value.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    wanted: dict[str, list[str]] = {}
    plain = []
    read = loaded(tree, *_quoted(tree))
    for name in sorted(read - _bound_anywhere(tree) - set(dir(builtins))):
        if name in modules and name in _KNOWN:
            plain.append(f"import {name}")
            continue
        home = next((module for module in _KNOWN if name in _public(module)), None)
        if home is None:
            raise Lost("untestable", f"it needs {name}, which it does not define")
        wanted.setdefault(home, []).append(name)
    return plain + [f"from {home} import {', '.join(wanted[home])}" for home in sorted(wanted)]


def _quoted(tree: ast.Module) -> list[ast.AST]:
    """Return the annotations of parameters that are written as text: ``root: 'Node'``."""
    found: list[ast.AST] = []
    for node in ast.walk(tree):
        annotation = node.annotation if isinstance(node, ast.arg) else None
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            with contextlib.suppress(SyntaxError):
                found.append(ast.parse(annotation.value, mode="eval"))
    return found


def _public(module: str) -> set[str]:
    content = import_module(module)
    return set(getattr(content, "__all__", dir(content)))


def _bound_anywhere(tree: ast.Module) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
    return found
