"""A bug that was put into a correct program."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Bug:
    """One edit of a problem's reference program, and what its tests say of it.

    Attributes:
        id: ``PROBLEM-NUMBER``, numbered from 1 in an order that spreads the kinds.
        problem: the problem's name.
        kind: what kind of slip it is, e.g. ``comparison``.
        line: line of the edit in the reference, from 1.
        reference: the reference program.
        buggy: the program with the bug; layout and comments are the reference's.
        outcomes: one letter a case or test: the first of its verdict's kind (``P`` passed).
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
    """Return the name of the program that a problem is about: of ``gcd-3`` it is ``gcd``."""
    return problem.partition("-")[0]
