"""A bug that was put into a correct program."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Bug:
    """One edit of a problem's reference program, and its outcomes on the tests.

    Attributes:
        id: ``PROBLEM-NUMBER``, numbered from 1 in an order that spreads the kinds.
        problem: the problem's name.
        kind: the kind of bug, e.g. ``comparison``.
        line: line of the edit in the reference, from 1.
        reference: the reference program.
        buggy: the program with the bug; layout and comments are the reference's.
        outcomes: one letter per case or test: the first of its verdict's kind (``P`` passed).
        failed: share of the cases that fail, in (0, 1].
    """

    id: str
    problem: str
    kind: str
    line: int
    reference: str
    buggy: str
    outcomes: str
    failed: float


def program_of(problem: str) -> str:
    """Return the name of a problem's program, e.g. ``gcd`` for the bug ``gcd-3``."""
    return problem.partition("-")[0]
