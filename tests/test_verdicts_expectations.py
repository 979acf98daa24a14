"""Test files know pytest's raises and approx, and call functions with keywords."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from coral_batch.records.verdict import Program
from coral_batch.verdicts.inside.expectations import Approx, Stopped, raises
from coral_batch.verdicts.pool import judge
from tests.programs import SETTINGS

CODE = """
class Own(ValueError):
    pass

def f(n, *, more=0):
    if n == 0:
        raise ValueError(f"no {n}")
    if n == 1:
        raise {}["key"]
    if n == 2:
        raise Own("mine")
    if n == 3:
        raise SystemExit(3)
    if n == 4:
        return [0.1 + 0.2, more]
    while n == 5:
        pass
    if n == 8:
        raise ValueError("bad:\\n\\tone\\xa0two")
    if n == 9:
        raise ValueError("x" * 1000 + " end")
    if n == 10:
        from collections import deque
        return deque()
    return n + more
"""


# The body of a test -> the kind of its verdict, and what the detail says.
BODIES = {
    "with pytest.raises(ValueError, match='^no 0$'): f(0)": ("PASS", ""),
    "with pytest.raises((TypeError, LookupError)): f(1)": ("PASS", ""),
    "with pytest.raises(ValueError, match=r'^bad:\\n\\tone\\xa0two$'): f(8)": ("PASS", ""),
    "with pytest.raises(ValueError, match='^x{1000} end$'): f(9)": ("PASS", ""),
    "with pytest.raises(SystemExit): f(3)": ("PASS", ""),
    "with pytest.raises(TypeError): f(6, other=1)": ("PASS", ""),
    "with pytest.raises(ZeroDivisionError): 1 / f(-1, more=1)": ("PASS", ""),
    "assert f(4, more=1) == pytest.approx((0.3, 1))": ("PASS", ""),
    "assert f(float('nan')) == pytest.approx(float('nan'), nan_ok=True)": ("PASS", ""),
    "assert f(n=7, more=1) == 8": ("PASS", ""),
    "pytest.raises(ValueError, f, 0)": ("PASS", ""),
    "pytest.raises(ValueError, lambda: f(n=0))": ("PASS", ""),
    "pytest.raises(ValueError, f, n=6)": ("FAIL", "did not raise"),
    "with pytest.raises(ValueError): f(6)": ("FAIL", "did not raise"),
    "with pytest.raises(ValueError, match='zero'): f(0)": ("FAIL", "no 0"),
    "with pytest.raises(KeyError): f(0)": ("ERROR", "ValueError: no 0"),
    "with pytest.raises(ValueError, match='^mine$'): f(2)": ("PASS", ""),
    "with pytest.raises(Exception): f(2)": ("PASS", ""),
    "with pytest.raises(TypeError): f(2)": ("ERROR", "Own (ValueError): mine"),
    "with pytest.raises(BaseException): f(5)": ("TIMEOUT", "no result"),
    "assert f(10)": ("FAIL", "cannot leave the program's process"),
    "assert not f(10)": ("FAIL", "the test uses <collections.deque object>"),
    "assert f(10) != 4": ("FAIL", "the test uses <collections.deque object>"),
    "assert f(10) not in [1, 2]": ("FAIL", "the test uses <collections.deque object>"),
    "f(10)": ("PASS", ""),
    "f(8)": ("ERROR", r"ValueError: bad:\n\tone\xa0two"),
    "f(9)": ("ERROR", "xxx..."),
    "assert f(4) == pytest.approx([0.31, 0])": ("FAIL", "returned"),
}


def test_a_test_that_expects_an_exception_or_a_number_has_the_verdict_of_pytest() -> None:
    tests = "import pytest\nfrom f import f\n" + "".join(
        f"\ndef test_{number}():\n    {body}\n" for number, body in enumerate(BODIES)
    )
    (verdicts,) = judge([Program("f", CODE, (), tests, {})], SETTINGS, workers=1)
    for verdict, (body, (kind, word)) in zip(verdicts, BODIES.items(), strict=True):
        assert (verdict.kind, word in verdict.detail) == (kind, True), (body, verdict)
        assert len(verdict.detail) <= 400


def test_an_end_without_an_exception_is_none_that_was_expected() -> None:
    for detail in ("wrote to the result channel", "print: x", "__name__: x", "int"):
        with pytest.raises(Stopped), raises(Exception):
            raise Stopped("ERROR", detail)
    with pytest.raises(Stopped), raises(ValueError):
        raise Stopped("FAIL", "ValueError: x")


CONTAINERS: tuple[Callable[[Any], Any], ...] = (
    list,
    tuple,
    deque,
    set,
    iter,
    lambda values: dict(enumerate(values)),
    lambda values: [list(values), 1],
    lambda values: (set(values), 1),
    lambda values: {0: list(values)},
    lambda values: [{0: values}],
)
OPTIONS: tuple[dict[str, Any], ...] = (
    *({}, {"nan_ok": True}, {"rel": 0.1}, {"abs": 0.1}),
    *({"rel": 0.0}, {"rel": 1e-3, "abs": 1.0}),
)
NUMBERS = (
    *(0, 0.1, 1 / 3, 0.34, 1, 1 + 1e-9, 1 + 1e-5, 1.1, -2, 1e-13, 5e-324, 1e308, 10**308),
    *(1e6, 1e6 + 0.9, 10**400, 10**400 + 1, -(10**400), math.inf, -math.inf, math.nan),
)
OTHERS = (True, False, Fraction(1, 3))


def near(found: Any, approx: Callable[..., Any], expected: Any, options: Any) -> bool | None:
    """Return what a comparison says; None for a set, what is nested or a number beyond floats."""
    try:
        return bool(found == approx(expected, **options))
    except (TypeError, OverflowError):
        return None


def test_numbers_are_near_as_pytest_has_it() -> None:
    numbers = (*NUMBERS, *OTHERS)
    for found, *other in product((*numbers, "1", None), numbers, OPTIONS):
        assert near(found, Approx, *other) == near(found, pytest.approx, *other), (found, other)


def test_containers_are_near_as_pytest_has_it() -> None:
    pairs = [(1, 2), (1, 2 + 1e-9), (1, 2, 3), (2, 1), (1, math.nan)]
    for make, other, values, options in product(CONTAINERS, CONTAINERS, pairs, OPTIONS):
        for expected in ((1, 2), (1, math.nan)) if other is not iter else ():
            ours = near(make(values), Approx, other(expected), options)
            theirs = near(make(values), pytest.approx, other(expected), options)
            assert ours == theirs, (make, other, values)


def test_values_that_are_no_numbers_are_near_themselves_alone() -> None:
    assert Approx({"b": 1}) != {"a": 1}
    for value in ("a", None, True, range(3), [1, "a", None], {"a": 1}):
        assert value == Approx(value)
        assert value != Approx([2])
    with pytest.raises(AssertionError, match="no truth value"):
        bool(Approx(1))
