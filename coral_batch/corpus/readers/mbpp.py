"""Read MBPP as Google Research publishes it: ``mbpp.jsonl`` or ``sanitized-mbpp.json``.

Each assert of a task is a JSON case or a test, see `coral_batch.corpus.sources.asserts`. The tasks
have no bugs.
"""

from __future__ import annotations

from pathlib import Path

from coral_batch.corpus.sources.asserts import checks, numbered
from coral_batch.corpus.sources.mbpp import Task, examine, read_tasks
from coral_batch.corpus.sources.problems import make_problem
from coral_batch.corpus.sources.programs import parse_program
from coral_batch.corpus.sources.rows import find_file, gather
from coral_batch.records.problem import DroppedProblem, Problem
from coral_batch.verdicts.functions import as_module


def read(path: Path, origin: str) -> tuple[list[Problem], list[DroppedProblem]]:
    """Read every task, in the file's order; ``mbpp_601`` is the problem of task 601.

    Returns:
        The problems, and the tasks whose program or tests the jail cannot run.

    Raises:
        CoralError: see `read_tasks`, or no problem is left.
    """

    def make(name: str, task: Task) -> Problem:
        found = examine(task)
        parse_program(task.code, found.function)
        tested = checks(found.function, numbered(found.tests), found.setup)
        return make_problem(
            name,
            found.function,
            as_module(task.code),
            origin,
            docstring=task.text.strip(),
            cases=tested.cases,
            tests=tested.tests,
        )

    file = find_file(path, ".jsonl", ".json", ".jsonl.gz")
    return gather(file, ((f"mbpp_{task.id}", task) for task in read_tasks(file)), make)
