"""The calls on which an answer is compared with its original: those of the tests, and like them.

Few tests let much pass, and a table of what they ask passes them all. So the arguments of the tests
are changed one at a time: a number by one, a text or a list by an item, and so on to the ends.
What the original returns for them is found out when it is called.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

from coral_batch.linteval.scores.canonical import read
from coral_batch.records.items import ItemTests

MOST = 64
"""Calls an item, at most."""

Arguments = tuple[Any, ...]


def calls_of(tests: ItemTests) -> tuple[str, ...]:
    """Return the arguments of each call as Python literals, each once; none without tests.

    Those of the tests come first; of a test file those that are literals there.
    """
    own = [case.inputs for case in tests.cases]
    if tests.function is not None and tests.tests is not None:
        own += _in_file(tests.tests, tests.function)
    variants = [list(_variants(arguments)) for arguments in own]
    turns = [one for turn in zip_longest(*variants) for one in turn if one is not None]
    texts = dict.fromkeys(repr(tuple(arguments)) for arguments in (*own, *turns))
    return tuple(text for text in texts if _is_literal(text))[:MOST]


def _in_file(tests: str, function: str) -> Iterator[Arguments]:
    tree = read(tests)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) == function:
            try:
                arguments = tuple(ast.literal_eval(argument) for argument in node.args)
            except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                continue
            if not node.keywords:
                yield arguments


def _is_literal(text: str) -> bool:
    """Whether a text is a literal: infinity, for one, is written as a name."""
    try:
        ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _variants(arguments: Sequence[Any]) -> Iterator[Arguments]:
    """Yield arguments with one of them changed, each in its turn."""
    each = [list(_neighbours(value)) for value in arguments]
    for turn in zip_longest(*each, fillvalue=_NONE):
        for number, value in enumerate(turn):
            if value is not _NONE:
                yield (*arguments[:number], value, *arguments[number + 1 :])


_NONE = object()


def _neighbours(value: Any) -> Iterator[Any]:
    """Yield values of the same type, the nearest first."""
    kind = type(value)
    if kind is bool:
        yield not value
    elif kind is int or kind is float:
        yield from (value + 1, value - 1, kind(0), -value, value + 2)
    elif kind is str or kind is list or kind is tuple:
        yield from (value[1:], value[:-1], value[::-1], value + value[:1], value[:1] + value)
        yield from _with_an_item_changed(value, kind)
        if kind is str:
            yield from (value.swapcase(), value.replace(" ", ""), value + " 1aZ_.")
        yield kind()
    elif kind is dict:
        items = list(value.items())
        yield from (dict(items[1:]), dict(items[:-1]), dict(items[::-1]))
        for key, held in items[:2]:
            yield from ({**value, key: other} for other in _neighbours(held))
        yield {}
    elif kind is set or kind is frozenset:
        ordered = sorted(value, key=repr)
        yield from (kind(ordered[1:]), kind(ordered[:-1]), kind())


def _with_an_item_changed(value: Any, kind: Callable[..., Any]) -> Iterator[Any]:
    """Yield a sequence with its middle, last or first item changed, or two of them swapped."""
    length = len(value)
    if kind is not str:
        for at in dict.fromkeys((length // 2, length - 1, 0)):
            if 0 <= at < length:
                for other in list(_neighbours(value[at]))[:4]:
                    yield kind([*value[:at], other, *value[at + 1 :]])
    elif length > 1:
        yield value[1] + value[0] + value[2:]
        yield value[: length // 2] + value[length // 2 + 1 :]
