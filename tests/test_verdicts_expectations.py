"""Test files know pytest's raises and approx, and call functions with keywords."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coral_batch.records.verdict import Program
from coral_batch.verdicts.inside.expectations import Approx, Raises, Stopped
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
    "with pytest.raises(ValueError): f(6)": ("FAIL", "did not raise"),
    "with pytest.raises(ValueError, match='zero'): f(0)": ("FAIL", "no 0"),
    "with pytest.raises(KeyError): f(0)": ("ERROR", "ValueError: no 0"),
    "with pytest.raises(ValueError): f(2)": ("ERROR", "Own: mine"),
    "with pytest.raises(BaseException): f(5)": ("TIMEOUT", "no result"),
    "f(8)": ("ERROR", r"ValueError: bad:\n\tone\xa0two"),
    "f(9)": ("ERROR", "xxx..."),
    "assert f(4) == pytest.approx([0.31, 0])": ("FAIL", "returned"),
}


def test_a_test_that_expects_an_exception_or_a_number_has_the_verdict_of_pytest() -> None:
    tests = "import pytest\nfrom f import f\n" + "".join(
        f"\ndef test_{number}():\n    {body}\n" for number, body in enumerate(BODIES)
    )
    (verdicts,) = judge([Program("x", "f", CODE, (), tests, {})], SETTINGS, workers=1)
    for verdict, (body, (kind, word)) in zip(verdicts, BODIES.items(), strict=True):
        assert (verdict.kind, word in verdict.detail) == (kind, True), (body, verdict)
        assert len(verdict.detail) <= 400


def test_an_end_without_an_exception_is_none_that_was_expected() -> None:
    for detail in ("wrote to the result channel", "print: x", "__name__: x", "int"):
        with pytest.raises(Stopped), Raises(Exception):
            raise Stopped("ERROR", detail)
    with pytest.raises(Stopped), Raises(ValueError):
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


def test_containers_are_near_as_pytest_has_it() -> None:
    def near(found: Any, approx: Callable[[Any], Any], expected: Any) -> bool | None:
        try:
            return bool(found == approx(expected))
        except TypeError:  # it expects a set, or something nested
            return None

    for make, other in product(CONTAINERS, CONTAINERS):
        for values in [(1, 2), (1, 2 + 1e-9), (1, 2, 3), (2, 1)]:
            if other is not iter:
                ours = near(make(values), Approx, other((1, 2)))
                assert ours == near(make(values), pytest.approx, other((1, 2))), (make, other)


def test_nan_is_near_nan_where_a_test_says_so() -> None:
    for found, nan_ok in product((math.nan, 1.0, "nan", Fraction(1, 3)), (False, True)):
        for one, expected in ((found, math.nan), ([1, found], [1, math.nan])):
            ours = one == Approx(expected, nan_ok=nan_ok)
            assert ours == (one == pytest.approx(expected, nan_ok=nan_ok))


ODD = (math.inf, -math.inf, math.nan, 10**400, 10**400 + 1, -(10**400), 10**308, 1e308, 5e-324)


def outcome(near: Callable[[], bool]) -> bool | None:
    """Return what a comparison says; None where a number is beyond all floats."""
    try:
        return near()
    except OverflowError:
        return None


@given(
    found=st.sampled_from(ODD) | st.integers() | st.floats() | st.floats(-9, 9),
    expected=st.sampled_from(ODD) | st.integers() | st.floats() | st.floats(-9, 9),
    rel=st.none() | st.floats(0, 1),
    absolute=st.none() | st.floats(0),
)
def test_numbers_are_near_as_pytest_has_it(
    found: float, expected: float, rel: float | None, absolute: float | None
) -> None:
    ours = outcome(lambda: found == Approx(expected, rel, absolute))
    assert ours == outcome(lambda: found == pytest.approx(expected, rel=rel, abs=absolute))


def test_fractions_are_near_numbers_and_other_values_are_not() -> None:
    assert [Fraction(1, 3)] == Approx([1 / 3])
    assert Fraction(1, 3) != Approx(0.34)
    for found, expected in [(True, 1), ({"a": 1}, {"b": 1}), ("1", 1)]:
        assert found != Approx(expected)
    for value in ("a", None, True, range(3), [1, "a", None], {"a": 1}):
        assert value == Approx(value)
