"""Replacements for `pytest.raises` and `pytest.approx` in test files.

An exception of the function under test stays in its process; only type and message come out, as
text. So `raises` only knows built-in exceptions, by name; others count as their nearest built-in
base. It gives no access to the exception.
"""

from __future__ import annotations

import builtins
import math
import re
from collections.abc import Iterable, Sequence, Set
from numbers import Real
from typing import Any


class Stopped(BaseException):
    """A call did not return; holds the verdict's kind and detail."""


def _told(kind: str, detail: str) -> tuple[type, str]:
    """Return class and message of a verdict's exception; the class is `object` if there is none."""
    name, _, message = detail.partition(": ")
    base = name.rpartition(" (")[2].removesuffix(")")
    raised = vars(builtins).get(base) if kind == "ERROR" else None
    return (raised if isinstance(raised, type) else object), message


class Raises:
    """A context manager that expects a call to raise an exception.

    Args:
        expected: the exception's class, or a tuple of classes.
        match: pattern to `re.search` in its message; None for any message.
    """

    def __init__(
        self, expected: type[BaseException] | tuple[type[BaseException], ...], match: str | None
    ) -> None:
        self._expected = expected
        self._match = match

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type | None, error: BaseException | None, trace: object) -> bool:
        if error is None:
            raise AssertionError(f"did not raise {self._expected}")
        raised, message = type(error), str(error)
        if isinstance(error, Stopped):
            raised, message = _told(*error.args)
        if not issubclass(raised, self._expected):
            return False
        if self._match is not None and re.search(self._match, message) is None:
            raise AssertionError(f"raised with the message {message!r}")
        return True


def raises(expected: Any, *call: Any, match: str | None = None, **named: Any) -> Raises | None:
    """Return a context manager; or expect ``raises(ValueError, f, 0)`` to raise at once."""
    if not call:
        return Raises(expected, match, **named)
    function, *arguments = call
    with Raises(expected, match):
        function(*arguments, **named)
    return None


class Approx:
    """Equals numbers, and sequences and dicts of numbers, close to the expected ones.

    Sequences of equal length are compared item by item, for example a list with a tuple. Other
    values are compared by ``==``.

    Args:
        expected: a number, or a sequence or dict of numbers.
        rel: relative tolerance; pytest's default.
        abs: absolute tolerance; pytest's default if `rel` is not given either.
        nan_ok: whether NaN equals NaN.

    Raises:
        TypeError: `expected` is a set, or one of its items is a container.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self,
        expected: Any,
        rel: float | None = None,
        abs: float | None = None,
        nan_ok: bool = False,
    ) -> None:
        self._expected = expected
        self._relative = (1e-6 if abs is None else 0.0) if rel is None else rel
        self._absolute = 1e-12 if abs is None else abs
        self._nan_ok = nan_ok
        items: Iterable[Any] = ()
        if _holds(expected):
            items = expected.values() if isinstance(expected, dict) else expected
        if isinstance(expected, Set) or any(map(_holds, items)):
            raise TypeError(f"pytest.approx accepts no sets or nested values: {expected!r}")

    def __eq__(self, found: Any) -> bool:
        expected = self._expected
        if isinstance(expected, dict):
            same = isinstance(found, dict) and found.keys() == expected.keys()
            return same and all(self._near(found[key], expected[key]) for key in expected)
        if _holds(expected):
            try:
                same = len(found) == len(expected)
            except TypeError:
                return False
            return same and all(self._near(*pair) for pair in zip(found, expected, strict=True))
        return self._near(found, expected)

    def __bool__(self) -> bool:
        raise AssertionError("pytest.approx has no truth value: compare it with ==")

    def __repr__(self) -> str:
        return f"approx({self._expected!r})"

    def _near(self, found: Any, expected: Any) -> bool:
        is_bool = isinstance(expected, bool)
        if is_bool and not isinstance(found, bool):
            return False
        if found == expected:
            return True
        numbers = isinstance(expected, Real) and hasattr(type(found), "as_integer_ratio")
        if is_bool or not numbers:
            return False
        if not math.isfinite(expected):  # infinity is close only to itself
            return self._nan_ok and math.isnan(expected) and math.isnan(found)
        bound = max(self._relative * abs(expected), self._absolute)
        return bool(abs(found - expected) <= bound)


def _holds(value: object) -> bool:
    """Whether a value is a container, other than text or bytes."""
    containers = isinstance(value, Sequence | Set | dict)
    return containers and not isinstance(value, str | bytes | bytearray)
