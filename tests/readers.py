"""Data sets in the published forms, rows of our own for them, and their problems judged."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from coral_batch.corpus.readers import READERS
from coral_batch.records.problem import DroppedProblem, Problem
from coral_batch.records.settings import Verdicts
from coral_batch.records.verdict import as_program
from coral_batch.verdicts.pool import judge

SETTINGS = Verdicts(cpu_seconds=2.0, wall_seconds=10.0, memory_mb=256, require=("seccomp",))

MBPP: dict[str, Any] = {
    "text": "Write a function to add.",
    "code": "def add(a, b):\r\n\treturn a + b",
    "task_id": 601,
    "test_setup_code": "",
    "test_list": ["assert add(1, 2) == 3", "assert (add([1], [2.5])) == ([1, 2.5])"],
}
PROMPT = '''from typing import List


def helper(n: int) -> int:
    """ Adds one. """
    return n + 1


def tallest(heights: List[int], floor: int = 0) -> int:
    """ Return the largest height, at least the floor.
    >>> tallest([1, 3])
    3
    """
'''
HUMANEVAL: dict[str, Any] = {
    "task_id": "HumanEval/7",
    "prompt": PROMPT,
    "entry_point": "tallest",
    "canonical_solution": "    return max([floor, *heights])\n",
    "test": "\n\nMETADATA = {'author': 'us'}\n\n\ndef check(candidate):\n"
    "    assert candidate([1, 3]) == 3\n    assert candidate([], 4) == 4, 'the floor'\n"
    "    assert True, 'says nothing'\n",
}
DECLARATION = "\n\ndef total(numbers):\n"
HUMANEVALPACK: dict[str, Any] = {
    "task_id": "Python/3",
    "prompt": DECLARATION + '    """Sum."""\n',
    "declaration": DECLARATION,
    "canonical_solution": "    return sum(numbers)\n",
    "buggy_solution": "    return sum(numbers[1:])\n",
    "bug_type": "excess logic",
    "failure_symptoms": "incorrect output",
    "entry_point": "total",
    "docstring": "Sum of the numbers.\n",
    "test": "def check(total):\n    assert total([1, 2]) == 3\n    assert total([0]) == 0\n\n"
    "check(total)",
}
EVALPLUS: dict[str, Any] = {
    "task_id": "Mbpp/2",
    "prompt": '"""\nWrite a function that joins.\nassert joined((1,), (2,)) == (1, 2)\n"""\n',
    "entry_point": "joined",
    "canonical_solution": "\ndef joined(a, b):\n    return a + b\n",
    "base_input": [[[1], [2]]],
    "plus_input": {},
    "atol": 0,
}
ROWS = {
    "mbpp": MBPP,
    "humaneval": HUMANEVAL,
    "humanevalpack": HUMANEVALPACK,
    "evalplus": EVALPLUS,
}
"""Reader -> a row of its data set."""


def jsonl(file: Path, *rows: Mapping[str, Any]) -> Path:
    """Write a row a line; compressed, where the name ends in ``.gz``."""
    text = "".join(json.dumps(row) + "\n" for row in rows)
    file.write_bytes(gzip.compress(text.encode()) if file.suffix == ".gz" else text.encode())
    return file


def read(reader: str, path: Path) -> tuple[list[Problem], list[DroppedProblem]]:
    return READERS[reader].read(path)


def judged(*pairs: tuple[Problem, str]) -> list[list[str]]:
    """Return the kinds of verdicts of programs, each of them in the place of a problem's."""
    programs = [as_program(problem, code) for problem, code in pairs]
    return [[one.kind for one in row] for row in judge(programs, SETTINGS, workers=1)]


def kinds(problem: Problem, code: str | None = None) -> list[str]:
    """Return the kinds of verdicts of a program, by default the reference."""
    return judged((problem, problem.reference if code is None else code))[0]


def passes(problems: Sequence[Problem]) -> list[bool]:
    """Return for each problem whether its reference passes everything."""
    rows = judged(*((problem, problem.reference) for problem in problems))
    return [set(row) == {"PASS"} for row in rows]


def reasons(dropped: Iterable[DroppedProblem]) -> list[tuple[str, str]]:
    return [(one.name, one.reason) for one in dropped]
