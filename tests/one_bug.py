"""An injected bug of a small program, for tests that only pass bugs on."""

from __future__ import annotations

from coral_batch.records.problem import Bug

REFERENCE = "def {name}(n):\n    return n + 1\n"


def bug_of(name: str, number: int, failed: float = 1.0) -> Bug:
    """Return a bug of the program `REFERENCE`: another constant, by its number."""
    reference = REFERENCE.format(name=name)
    return Bug(
        id=f"{name}-{number}",
        problem=name,
        kind="constant",
        line=2,
        reference=reference,
        buggy=reference.replace("1", str(number + 1)),
        outcomes="F",
        failed=failed,
    )
