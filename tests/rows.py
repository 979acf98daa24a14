"""Rows of tables, for tests that need some row of a table."""

from __future__ import annotations

from coral_batch.records.configuration import Knobs
from coral_batch.records.problem import Problem, Role
from coral_batch.records.rows import SampleRow

SAMPLE = SampleRow(
    genome="000-01",
    problem="gcd",
    sample=0,
    seed=7,
    knobs=Knobs(0.4, 0.9, 20, 1.0),
    prompt="Fix",
    raw="```python\nx = 1\n```",
    code="x = 1",
    prompt_tokens=1,
    new_tokens=5,
    copied_tokens=0,
    redrawn=0,
    finish="fence",
    candidate=0,
    drawn_tokens=5,
    log_probability=-1.5,
)


def role_row(problem: Problem, role: str) -> Role:
    """Return the row of the manifest that gives a problem a role."""
    return Role(problem.name, "test", role, "for a test", 1, "cases", problem.sha256)
