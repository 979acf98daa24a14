"""Names of the roles of problems in the report."""

from __future__ import annotations

from collections.abc import Iterable

SHOWN = {"training": "trained on", "test": "test", "held_out": "held out"}
"""Role -> its name in tables."""
TRAINED_ON = "Scores on problems that were trained on measure memory, not repair."


def with_training(roles: Iterable[str]) -> list[str]:
    """Return the warning `TRAINED_ON` if training problems are among the roles.

    Args:
        roles: of the problems, or names of the sets of problems in the evidence.
    """
    return [TRAINED_ON] if "training" in roles else []
