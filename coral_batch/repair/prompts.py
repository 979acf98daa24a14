"""The prompt of a further round: the project's own, with a test that the program fails."""

from __future__ import annotations

from coral_batch.models.prompts.prompt import repair_prompt
from coral_batch.records.problem import Problem
from coral_batch.repair.tests import Failure

LONGEST = 400
"""Most characters of a test, or of what came of it, that a prompt shows."""


def retry_prompt(problem: Problem, docstring: bool, failure: Failure) -> str:
    """Return the repair prompt with a failing test before its last paragraph, which asks.

    Args:
        problem: the best attempt as the program to repair.
        docstring: whether the prompt shows the docstring.
        failure: a test that the best attempt fails.
    """
    shown, asked = repair_prompt(problem, docstring).rsplit("\n\n", 1)
    test, got = failure.test[:LONGEST], failure.got[:LONGEST]
    if failure.expected is None:
        told = f"It fails the test {test}:\n```\n{got}\n```"
    else:
        expected = failure.expected[:LONGEST]
        told = f"It fails this test:\n```python\n{test}\n```\nExpected: {expected}\nGot: {got}"
    return "\n\n".join([shown, told, asked])
