"""All rules for comparing results with expected values.

A result leaves the jail as a document (see `inside/encoding.py`), whose form `answers` has checked.
It is compared with the case's expected JSON value. The rules follow QuixBugs' own suite, which uses
Python's `==`:

- Numbers compare by value: 1 equals 1.0, -0.0 equals 0, NaN equals nothing, not even NaN.
- True and False equal only themselves: True is not 1, unlike with Python's `==`. No program of
  QuixBugs depends on it.
- A tuple equals a list with equal items, since JSON has no tuples (hanoi).
- An iterator is listed and compared as a list (flatten, kheapsort). If it exceeds the size of a
  document, the result is wrong.
- A dict equals an object with the same keys and equal values.
- A set or frozenset equals no JSON value.
- An instance of a subclass of a built-in type counts as the built-in value; its `__eq__` is
  ignored.
- A value of any other type equals nothing.
- A case with a tolerance (only QuixBugs' sqrt) accepts any number within it.
- Every case gets its own arguments, so changing them does not affect other cases.
"""

from __future__ import annotations

import math
from typing import Any

_DETAIL = 400


def equal(expected: Any, document: list[Any], tolerance: float | None = None) -> bool:
    """Whether a document's result equals the expected one, or is within the tolerance."""
    if tolerance is not None:
        return _near(expected, _value(document[0]), tolerance)
    return _equal(expected, document)


def _near(expected: float, result: Any, tolerance: float) -> bool:
    if not _is_number(result):
        return False
    try:
        return bool(result == expected or abs(result - expected) <= tolerance)
    except OverflowError:  # an integer too large for a float
        return False


def _equal(expected: Any, document: list[Any]) -> bool:
    """Compare by walking `expected`, so that cycles in the result do no harm.

    It is not recursive, since JSON may be nested deeply.
    """
    entries = document[1:]
    left = [(expected, document[0])]
    while left:
        wanted, cell = left.pop()
        if type(cell) is not list or len(cell) != 1:
            if not _equal_scalars(wanted, _value(cell)):
                return False
            continue
        mark, items = entries[cell[0]][0], entries[cell[0]][1:]
        if type(wanted) is list and mark in ("l", "t", "g") and len(items) == len(wanted):
            left += zip(wanted, items, strict=True)
        elif type(wanted) is dict and mark == "d" and _has_keys(items[::2], wanted):
            values = zip(items[::2], items[1::2], strict=True)
            left += [(wanted[key], value) for key, value in values]
        else:
            return False
    return True


def _equal_scalars(expected: Any, value: Any) -> bool:
    if _is_number(expected):
        return _is_number(value) and bool(value == expected)
    return type(value) is type(expected) and type(value) in _SCALARS and bool(value == expected)


def _has_keys(keys: list[Any], wanted: dict[str, Any]) -> bool:
    """Whether a result has exactly the keys of the expected object, each once."""
    return (
        len(keys) == len(wanted)
        and all(type(key) is str and key in wanted for key in keys)
        and len(set(keys)) == len(keys)
    )


_SCALARS = (str, bool, type(None))


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _value(cell: Any) -> Any:
    """Return a cell's scalar; a list for anything else."""
    if type(cell) is list and len(cell) == 2 and cell[0] == "i":
        return int(cell[1], 16)
    return cell


def show(document: list[Any]) -> str:
    """Format any result as Python would, cut after about 400 characters."""
    parts: list[str] = []
    _show(document[0], document[1:], parts, [_DETAIL], 20)
    return "".join(parts)


def shorten(text: str) -> str:
    """Cut a text to the 400 characters of a verdict's detail.

    Lone surrogates, which tables cannot hold, and terminal control characters are escaped.
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
    """Append what fits into `left[0]` characters, which also cuts off cycles."""
    if left[0] <= 0:
        return
    if type(cell) is not list or len(cell) != 1:
        parts.append(_show_scalar(cell))
        left[0] -= len(parts[-1])
        return
    entry = entries[cell[0]]
    if entry[0] == "o":
        parts.append(f"<{shorten(entry[1])} object>")
        left[0] -= len(parts[-1])
        return
    opening, closing = _BRACKETS[entry[0]]
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
        return f"<{shorten(cell[1])} object>"
    value = _value(cell)
    if type(value) is int and abs(value) >= 10**400:
        return f"an integer of about {int(math.log10(2) * value.bit_length())} digits"
    if type(value) is str and len(value) > _DETAIL:
        return repr(value[:_DETAIL]) + "..."
    return repr(value)
