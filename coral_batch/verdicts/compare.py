"""The comparison rules, all of them, in one place.

A result comes out of the jail as a document (see `inside/encoding.py`) and is compared with the
JSON value that the case expects. The rules follow QuixBugs' own suite, which compares with
Python's `==`:

- Numbers compare by value: 1 equals 1.0, -0.0 equals 0, NaN equals nothing, not even NaN.
- True and False equal themselves alone: True is not 1. (Python's `==` would let a truth value
  pass for a count; no program of QuixBugs depends on it.)
- A tuple equals a list with equal items, since JSON has no tuples (hanoi).
- An iterator is listed and compared as a list (flatten, kheapsort); one that does not end within
  the bounds of a document is a wrong result.
- A dict equals an object with the same keys and equal values.
- A set or frozenset equals nothing that JSON can say.
- An instance of a subclass of a built-in type is the built-in value that it holds, whatever its
  class makes of `__eq__`.
- A value of any other type equals nothing.
- sqrt: a number within the case's second argument of the expected one.
- Every case gets arguments of its own: what a program does to them reaches no other case.
"""

from __future__ import annotations

import math
from typing import Any

_DETAIL = 400

# Problem -> which argument of the case is the tolerance, as QuixBugs' test file has it.
_TOLERANCE_ARGUMENT = {"sqrt": -1}


def equal(problem: str, inputs: tuple[Any, ...], expected: Any, document: list[Any]) -> bool:
    """Whether the result that a document holds is the expected one.

    Raises:
        ValueError: the document does not follow the format.
    """
    if type(document) is not list or not document:
        raise ValueError("not a document")
    entries = document[1:]
    if problem in _TOLERANCE_ARGUMENT:
        result = _value(document[0])
        if not _is_number(result):
            return False
        tolerance = inputs[_TOLERANCE_ARGUMENT[problem]]
        return bool(result == expected or abs(result - expected) <= tolerance)
    try:
        return _equal(expected, document[0], entries)
    except (IndexError, TypeError, KeyError) as error:
        raise ValueError(f"malformed document: {error}") from None


def _equal(expected: Any, cell: Any, entries: list[Any]) -> bool:
    """Compare; the recursion follows `expected`, so a cycle in the result cannot catch it."""
    if type(cell) is list and len(cell) == 1:
        entry = _entry(cell[0], entries)
        mark, items = entry[0], entry[1:]
        if type(expected) is list:
            return (
                mark in ("l", "t", "g")
                and len(items) == len(expected)
                and all(_equal(e, c, entries) for e, c in zip(expected, items, strict=True))
            )
        if type(expected) is dict:
            keys = items[::2]
            return (
                mark == "d"
                and len(keys) == len(expected)
                and all(type(key) is str and key in expected for key in keys)
                and len(set(keys)) == len(keys)
                and all(
                    _equal(expected[key], value, entries)
                    for key, value in zip(keys, items[1::2], strict=True)
                )
            )
        return False
    value = _value(cell)
    if _is_number(expected):
        return _is_number(value) and value == expected
    return type(value) is type(expected) and type(value) in _SCALARS and value == expected


_SCALARS = (str, bool, type(None))


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _entry(number: Any, entries: list[Any]) -> list[Any]:
    if type(number) is not int or not 0 <= number < len(entries):
        raise ValueError("reference to nowhere")
    entry = entries[number]
    if type(entry) is not list or not entry or type(entry[0]) is not str:
        raise ValueError("not an entry")
    return entry


def _value(cell: Any) -> Any:
    """Return the scalar that a cell holds; a list for everything that is no scalar."""
    if type(cell) is list and len(cell) == 2 and cell[0] == "i" and type(cell[1]) is str:
        return int(cell[1], 16)
    return cell


def show(document: list[Any]) -> str:
    """Write the result as Python would, cut after some 400 characters, whatever its shape."""
    parts: list[str] = []
    _show(document[0], document[1:], parts, [_DETAIL], 20)
    return "".join(parts)


def shorten(text: str) -> str:
    """Cut a text to the 400 characters of a verdict's detail, with escapes for what is no character
    to be shown: half surrogate pairs, which no table can hold, and what moves a terminal's cursor.
    """
    text = "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text[: _DETAIL + 1]
    )
    return text if len(text) <= _DETAIL else text[: _DETAIL - 3] + "..."


_BRACKETS = {
    "l": ("[", "]"),
    "g": ("[", "] (iterator)"),
    "t": ("(", ")"),
    "s": ("{", "}"),
    "f": ("frozenset({", "})"),
    "d": ("{", "}"),
}


def _show(cell: Any, entries: list[Any], parts: list[str], left: list[int], depth: int) -> None:
    """Append what fits into `left[0]` characters; sharing and cycles are cut by it as well."""
    if left[0] <= 0:
        return
    if type(cell) is not list or len(cell) != 1:
        parts.append(_show_scalar(cell))
        left[0] -= len(parts[-1])
        return
    entry = _entry(cell[0], entries)
    if entry[0] == "o":
        parts.append(f"<{shorten(str(entry[1]))} object>")
        left[0] -= len(parts[-1])
        return
    opening, closing = _BRACKETS.get(entry[0], ("<", ">"))
    items = entry[1:]
    if depth == 0:
        items, opening = [], opening + "..."
    elif entry[0] == "t" and len(items) == 1:
        closing = ",)"
    elif entry[0] == "s" and not items:
        opening, closing = "set(", ")"
    parts.append(opening)
    left[0] -= len(opening) + len(closing)
    for number, item in enumerate(items):
        if left[0] <= 0:
            parts.append("...")
            break
        if number:
            parts.append(": " if entry[0] == "d" and number % 2 else ", ")
            left[0] -= 2
        _show(item, entries, parts, left, depth - 1)
    parts.append(closing)


def _show_scalar(cell: Any) -> str:
    if type(cell) is list and len(cell) == 2 and cell[0] == "x":
        return f"<{shorten(str(cell[1]))} object>"
    value = _value(cell)
    if type(value) is int and abs(value) >= 10**400:
        return f"an integer of about {int(math.log10(2) * value.bit_length())} digits"
    if type(value) is str and len(value) > _DETAIL:
        return repr(value[:_DETAIL]) + "..."
    return repr(value)
