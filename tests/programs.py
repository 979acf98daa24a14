"""Programs to judge, and the limits to judge them under."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from coral_batch.records.problem import Case
from coral_batch.records.settings import Verdicts
from coral_batch.records.verdict import Program, Verdict

SETTINGS = Verdicts(cpu_seconds=0.4, wall_seconds=3.0, memory_mb=256, require=("seccomp",))

NODE = """
class Node:
    def __init__(self, value=None, successor=None):
        self.value = value
        self.successor = successor
"""
"""A support module with a class whose objects cross between a program and its tests."""

GCD = "def gcd(a, b):\n    return a if b == 0 else gcd(b, a % b)\n"
GCD_CASES = (Case((12, 18), 6), Case((7, 3), 1), Case((0, 5), 5))


def program(problem: str, code: str, cases: Sequence[tuple[Any, ...]]) -> Program:
    """Return a program to judge; a case is arguments, expected result and maybe a tolerance."""
    return Program(problem, code, tuple(Case(*case) for case in cases), None, {})


def kinds(verdicts: Sequence[Verdict]) -> list[str]:
    return [verdict.kind for verdict in verdicts]


def untimed(verdicts: Sequence[Sequence[Verdict]]) -> list[list[Verdict]]:
    return [[replace(one, cpu_seconds=0.0, wall_seconds=0.0) for one in row] for row in verdicts]


MIXED = [
    Program("gcd", code, GCD_CASES, None, {})
    for code in (
        GCD,
        "def gcd(a, b):\n    return a\n",
        GCD,
        "def gcd(a, b):\n    while b != 5: pass\n    return 5\n",
        "def gcd(a, b)\n",
        "def gcd(a, b):\n    return a // b - 1 // (b - 3)\n",
    )
]
