"""The prompt of a further round: the project's own, with a test that the program fails."""

from __future__ import annotations

from coral_batch.commands.repair.checks import Failure
from coral_batch.models.prompts.prompt import repair_prompt
from coral_batch.records.problem import Problem

LONGEST = 400
"""Most characters of a call or a result that a prompt shows."""


def retry_prompt(problem: Problem, docstring: bool, failure: Failure) -> str:
    """Return the repair prompt with a failing test before its last paragraph, which asks.

    Args:
        problem: the best attempt as the program to repair.
        docstring: whether the prompt shows the docstring.
        failure: a test that the best attempt fails.
    """
    shown, asked = repair_prompt(problem, docstring).rsplit("\n\n", 1)
    told = [f"It fails this test:\n```python\n{failure.test[:LONGEST]}\n```"]
    if failure.expected is not None:
        told.append(f"Expected: {failure.expected[:LONGEST]}")
    told.append(f"Got: {failure.got[:LONGEST]}")
    return "\n\n".join([shown, "\n".join(told), asked])
