"""Rows of tables, for tests that need some row of a table."""

from coral_batch.records.configuration import Knobs
from coral_batch.records.example import Example
from coral_batch.records.genome import Genome
from coral_batch.records.problem import Problem, Role
from coral_batch.records.rows import SampleRow, SelectionRow
from coral_batch.records.settings import Scores

SAMPLE = SampleRow(
    genome="000-01",
    problem="gcd",
    sample=0,
    knobs=Knobs(0.4, 0.9, 20, 1.0),
    prompt="Fix",
    raw="```python\nx = 1\n```",
    code="x = 1",
    prompt_tokens=1,
    new_tokens=5,
    copied_tokens=0,
    redrawn=0,
    finish="fence",
    log_probability=-1.5,
)


def role_row(problem: Problem, role: str) -> Role:
    """Return the row of the manifest that gives a problem a role."""
    return Role(problem.name, "test", role, "for a test", "cases", problem.sha256)


def example(problem: str, variant: int, prompt: str, answer: str) -> Example:
    """Return a training example of a problem's own bug."""
    id = f"{problem}/{variant}"
    return Example(id, problem, variant, None, "Fix it.", "b", "a", prompt, answer)


def genome(name: str, *parents: str) -> Genome:
    """Return a genome that was drawn, or bred from its parents."""
    return Genome(name, parents, "mutation" if parents else "random", "B3/S23", 1, 0.5)


def selected(name: str, scores: Scores, value: float) -> SelectionRow:
    """Return the fate of a genome of these scores and this fitness that passed the gate."""
    return SelectionRow(
        *(name, scores, value, 0.25, 0.5, value, scores, True, (), 0.0, False, 0, None, True, ())
    )
