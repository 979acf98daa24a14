"""Test files that compare a function's results with expected ones, floats within a tolerance.

The expected results are written into the file, or a reference program computes them there. The test
file and the program under test run in different processes, so the program never sees the reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

Rule = Literal["equal", "set", "presence", "root"]
"""How a result is compared.

equal: by ``==``, but floats (also in lists, tuples and dicts) within the tolerance, and a container
may have a base type of the expected one; set: as sets; presence: whether there is a result,
booleans by value; root: the result is a root of the polynomial whose coefficients are the argument.
"""

FLOATS = 1e-6
"""The tolerance of expected floats if there is none."""

RELATIVE = 1e-7
"""Allowed relative difference of a float, in addition to the tolerance."""

_NEAR = f"""
def near(found, expected, tolerance):
    if isinstance(expected, (list, tuple)):
        return (
            isinstance(expected, type(found))
            and len(found) == len(expected)
            and all(near(one, other, tolerance) for one, other in zip(found, expected))
        )
    if isinstance(expected, dict):
        return (
            isinstance(expected, type(found))
            and found.keys() == expected.keys()
            and all(near(found[key], expected[key], tolerance) for key in expected)
        )
    if type(expected) is float or (INTEGERS and type(expected) is int and type(found) is float):
        return found == expected or (
            type(found) in (int, float)
            and abs(expected) != inf
            and abs(found - expected) <= tolerance + {RELATIVE} * abs(expected)
        )
    return found == expected
"""

_RULES: dict[Rule, str] = {
    "equal": _NEAR
    + """

def agrees(found, expected, arguments):
    return near(found, expected, TOLERANCE)
""",
    "set": """
def agrees(found, expected, arguments):
    return set(found) == set(expected)
""",
    "presence": """
def is_there(value):
    return value if isinstance(value, bool) else value is not None


def agrees(found, expected, arguments):
    return is_there(found) == is_there(expected)
""",
    "root": """
def agrees(found, expected, arguments):
    terms = (factor * found**power for power, factor in enumerate(arguments[0]))
    return abs(sum(terms)) <= TOLERANCE
""",
}

_WRITTEN = """
def compare(arguments, expected):
    found = tested(*copy.deepcopy(arguments))
    assert agrees(found, expected, arguments), f"expected {{expected!r}}"
"""

_COMPUTED = """
REFERENCE = {{}}
exec({reference!r}, REFERENCE)


def compare(arguments):
    expected = REFERENCE[{function!r}](*copy.deepcopy(arguments))
    found = tested(*copy.deepcopy(arguments))
    assert agrees(found, expected, arguments), f"expected {{expected!r}}"
"""


def comparing(
    function: str,
    calls: Sequence[Sequence[Any]],
    expected: Sequence[Any] | str,
    tolerance: float,
    rule: Rule = "equal",
) -> str:
    """Write a test file with a test for each call.

    Args:
        function: name of the function under test.
        calls: the positional arguments of each call: values whose `repr` is Python; infinite
            numbers are allowed.
        expected: the result of each call, or the source of a program whose function of that name
            returns it.
        tolerance: allowed absolute difference of a number; 0 for `FLOATS` where a float is
            expected.
        rule: how results are compared.
    """
    computed = isinstance(expected, str)
    compare = (_COMPUTED if computed else _WRITTEN).format(function=function, reference=expected)
    imports = "import copy\nfrom math import inf, nan\n\n"
    parts = [
        f"{imports}from {function} import {function} as tested\n",
        f"TOLERANCE = {tolerance or FLOATS!r}\nINTEGERS = {tolerance > 0}\n",
        _RULES[rule].strip() + "\n",
        compare.strip() + "\n",
    ]
    for number, arguments in enumerate(calls, start=1):
        shown = [written(list(arguments))]
        if not computed:
            shown.append(written(expected[number - 1]))
        parts.append(f"def test_{number}():\n    compare({', '.join(shown)})\n")
    return "\n\n".join(parts)


def written(value: Any) -> str:
    """Write a value like `repr`, but sets in a fixed order: theirs differs from run to run."""
    if isinstance(value, set | frozenset):
        items = ", ".join(sorted(map(written, value)))
        return f"{type(value).__name__}([{items}])" if items else repr(value)
    if isinstance(value, dict):
        pairs = (f"{written(key)}: {written(item)}" for key, item in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list | tuple):
        items = ", ".join(map(written, value))
        if isinstance(value, list):
            return f"[{items}]"
        return f"({items},)" if len(value) == 1 else f"({items})"
    return repr(value)
