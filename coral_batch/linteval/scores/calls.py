"""The calls on which an answer is compared with its original: those of the tests, and like them.

Few tests let much pass, and a table of what they ask passes them all. So the arguments of the tests
are changed, one at a time and then two: a number by one, a text or a list by an item, and so on, to
the values that stand in the program, where it may decide. What the original returns for them is
found out when it is called.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from coral_batch.linteval.scores.canonical import read
from coral_batch.linteval.scores.permits import is_call_of
from coral_batch.records.items import ItemTests

MOST = 200
"""Calls an item, at most."""

_LARGE = 1000  # a number that a program may count to in a moment
_LONG = 20
_UNREADABLE = (ValueError, TypeError, SyntaxError, MemoryError, RecursionError)

Arguments = tuple[Any, ...]


def calls_of(tests: ItemTests, code: str) -> tuple[str, ...]:
    """Return the arguments of each call as Python literals, each once; none without tests.

    Where none of the tests' arguments is a literal it is one call without arguments: the program is
    loaded at least.

    Args:
        tests: the item's tests, whose own arguments come first; of a test file those that are
            literals there.
        code: the item's code.
    """
    own: list[Arguments] = [case.inputs for case in tests.cases]
    if tests.function is not None and tests.tests is not None:
        own += _in_file(tests.tests, tests.function)
    own = [arguments for arguments in own if _written(arguments) is not None]
    values = _constants(code)
    texts: dict[str, None] = {}
    for arguments in (*own, *_in_turns([_variants(one, values) for one in own])):
        if len(texts) < MOST and (text := _written(arguments)) is not None:
            texts[text] = None
    return tuple(texts) or (() if tests.function is None else ("()",))


def _in_file(tests: str, function: str) -> Iterator[Arguments]:
    tree = read(tests)
    for node in ast.walk(tree) if tree is not None else ():
        if is_call_of(node, function):
            try:
                arguments = tuple(ast.literal_eval(argument) for argument in node.args)
            except _UNREADABLE:
                continue
            yield arguments


def _constants(code: str) -> list[Any]:
    """Return the numbers of a program, with those beside them, and its texts."""
    tree = read(code)
    values: dict[str, Any] = {}
    for node in ast.walk(tree) if tree is not None else ():
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(value, bool):
            continue
        if isinstance(value, int | float) and abs(value) <= _LARGE:
            values |= {repr(near): near for near in (value, value - 1, value + 1)}
        elif isinstance(value, str) and len(value) <= _LONG:
            values[repr(value)] = value
    return list(values.values())


def _written(arguments: Arguments) -> str | None:
    """Return arguments as a literal; None for what has none: infinity, thousands of digits."""
    try:
        text = _literal(tuple(arguments))
        ast.literal_eval(text)
    except _UNREADABLE:
        return None
    return text


def _literal(value: Any) -> str:
    """Return `repr`, with the items of a set in the order of theirs, which is that of no hash."""
    kind = type(value)
    if kind is set and value:
        return f"{{{', '.join(sorted(map(_literal, value)))}}}"
    if kind is dict:
        pairs = (f"{_literal(key)}: {_literal(held)}" for key, held in value.items())
        return f"{{{', '.join(pairs)}}}"
    if kind is list:
        return f"[{', '.join(map(_literal, value))}]"
    if kind is tuple:
        return f"({', '.join(map(_literal, value))}{',' if len(value) == 1 else ''})"
    return repr(value)


_NONE = object()


def _in_turns(several: Sequence[Iterator[Any]]) -> Iterator[Any]:
    """Yield the first of each, the second of each, and so on."""
    for turn in zip_longest(*several, fillvalue=_NONE):
        yield from (one for one in turn if one is not _NONE)


def _variants(arguments: Arguments, values: Sequence[Any]) -> Iterator[Arguments]:
    """Yield arguments with one of them changed, each in its turn, then with two."""
    others = [[*_neighbours(one), *_of_its_type(one, [*arguments, *values])] for one in arguments]
    changed = [
        [(*arguments[:number], value, *arguments[number + 1 :]) for value in of_one]
        for number, of_one in enumerate(others)
    ]
    yield from _in_turns([iter(of_one) for of_one in changed])
    for number, of_one in enumerate(others[1:], start=1):
        before = changed[number - 1]
        for at, value in enumerate(of_one):
            if before:
                # A step that meets other pairs than those of the same place.
                start = before[(at * 7 + 3) % len(before)]
                yield (*start[:number], value, *start[number + 1 :])


def _of_its_type(value: Any, values: Sequence[Any]) -> Iterator[Any]:
    """Yield those of the values that may stand for this one; a text also at its end."""
    for other in values:
        if type(other) is type(value) and other != value:
            yield other
            if isinstance(other, str):
                yield value + other
        elif type(value) is float and type(other) is int and abs(other) <= sys.float_info.max:
            yield float(other)


def _neighbours(value: Any) -> Iterator[Any]:
    """Yield values of the same type, the nearest first."""
    kind = type(value)
    if kind is bool:
        yield not value
    elif kind in (int, float):
        yield from (value + 1, value - 1, kind(0), -value, value + 2, 2 * value)
    elif kind in (str, list, tuple):
        yield from (value[1:], value[:-1], value[:1], value[::-1])
        yield from (value[1:2] + value[:1] + value[2:], value + value[:1], value[:1] + value)
        yield from _with_an_item_changed(value)
        yield kind()
    elif kind is dict:
        items = list(value.items())
        yield from (dict(items[1:]), dict(items[:-1]), dict(items[::-1]))
        for key, held in items[:2]:
            yield from ({**value, key: other} for other in _neighbours(held))
        yield {}
    elif kind in (set, frozenset):
        ordered = sorted(value, key=repr)
        yield from (kind(ordered[1:]), kind(ordered[:-1]), kind())


def _with_an_item_changed(value: Any) -> Iterator[Any]:
    """Yield a text or a sequence with its middle, last or first item changed, one or all."""
    middle = len(value) // 2
    if isinstance(value, str):
        yield from (value.swapcase(), value.replace(" ", ""), value + " 1aZ_.")
        yield value[:middle] + value[middle + 1 :]
        return
    for at in dict.fromkeys((middle, len(value) - 1, 0)):
        if 0 <= at < len(value):
            for other in list(_neighbours(value[at]))[:4]:
                yield type(value)([*value[:at], other, *value[at + 1 :]])
