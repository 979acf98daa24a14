"""A file to repair, with its tests, answers that repair it or not, and a model that gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

BROKEN = '''"""Numbers."""

import math
from os import path

LOWEST = 0


def clamp(value, high):
    """Return the value, held between LOWEST and `high`."""
    # The bounds are inside.
    return max(LOWEST, max(value, high))


def root(value):
    return math.isqrt(value)
'''
TESTS = """from numbers_ import clamp, root


def test_inside():
    assert clamp(3, 9) == 3


def test_above():
    assert clamp(30, 9) == 9


def test_root():
    assert root(9) == 3
"""
RIGHT = "def clamp(value, high):\n    return max(LOWEST, min(value, high))\n"
CLOSER = "def clamp(value, high):\n    return max(LOWEST, value)\n"
LONGER = (
    "def clamp(value, high):\n    if value > high:\n        return high\n    return max(0, value)\n"
)


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Write files into a folder, with their parents."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


class Scripted:
    """Draws what it was given, a list of answers a round, and keeps what it was asked."""

    def __init__(self, *rounds: Sequence[str]) -> None:
        self.rounds = list(rounds)
        self.prompts: list[str] = []
        self.programs: list[str] = []

    def __call__(self, prompt: str, program: str, count: int, /) -> list[str]:
        self.prompts.append(prompt)
        self.programs.append(program)
        return [f"```python\n{code}```" for code in self.rounds.pop(0)][:count]
