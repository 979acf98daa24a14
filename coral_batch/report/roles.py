"""How problems are told apart by their role, wherever scores of theirs are shown."""

from __future__ import annotations

from collections.abc import Iterable

SHOWN = {"training": "trained on", "test": "test", "held_out": "held out"}
"""Role -> what stands beside a problem of that role."""
TRAINED_ON = (
    "The problems trained on show what an adapter keeps of their solutions: no evidence of repair."
)


def with_training(roles: Iterable[str]) -> list[str]:
    """Return what is to be said beside scores of problems of these roles: `TRAINED_ON` or nothing.

    Args:
        roles: of the problems, or names of the sets of problems in the evidence.
    """
    return [TRAINED_ON] if "training" in roles else []
