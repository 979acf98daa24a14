"""BugsInPy (Widyasari et al. 2020) cannot be read: a message says why."""

from __future__ import annotations

from pathlib import Path

from coral_batch.errors import CoralError
from coral_batch.records.problem import DroppedProblem, Problem


def read(path: Path, origin: str) -> tuple[list[Problem], list[DroppedProblem]]:
    """Say why a checkout of BugsInPy gives no problems.

    Raises:
        CoralError: always.
    """
    raise CoralError(
        "BugsInPy cannot be read",
        file=path,
        found="whole projects at the commits of their bugs, each with dependencies of its own",
        expected="programs of one module, whose tests call one function: the jail gives them the "
        "standard library, no packages, no network and no files of theirs",
        action="cut the function of a bug and its test out of the project, as NAME.py, "
        "NAME.buggy.py and test_NAME.py, and use the reader `folder`; or use `humanevalpack`, "
        "`debugbench` or `quixbugs`",
    )
