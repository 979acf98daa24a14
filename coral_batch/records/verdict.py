"""The input and output of the jail."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from coral_batch.records.problem import Case, Problem, Suite

Kind = Literal["PASS", "FAIL", "ERROR", "TIMEOUT", "MEMORY", "CRASH", "UNPARSEABLE"]


@dataclass(frozen=True)
class Program:
    """A program to judge.

    Attributes:
        function: name of the function under test, and of its module; with a `Suite`, of the
            function in its file.
        code: the module's source; with a `Suite`, a definition of the function.
        cases: JSON cases; without them `tests` is run.
        tests: source of the problem's test file, or the tests of a project.
        support: name -> source of the modules that tests and program may import (``node``).
        lines: with a `Suite`, how many lines of its file a test may run before it counts as
            hanging; 0 for no limit.
    """

    function: str
    code: str
    cases: tuple[Case, ...]
    tests: str | Suite | None
    support: dict[str, str]
    lines: int = 0


def as_program(problem: Problem, code: str) -> Program:
    """Return the program to judge for `code`, a repair of `problem`."""
    return Program(problem.function, code, problem.cases, problem.tests, problem.support)


@dataclass(frozen=True)
class Verdict:
    """The verdict on one case or one test function.

    Attributes:
        case: number of the case or test, from 0.
        test: name of the test function, or pytest's id; None for a JSON case.
        kind: PASS; FAIL (another result); ERROR (an exception, no result, or an invalid answer);
            TIMEOUT; MEMORY; CRASH (killed by a signal); UNPARSEABLE (does not parse, or lacks the
            function).
        detail: the result, the exception's type and message, or the signal; at most 400 characters;
            empty for PASS.
        cpu_seconds: CPU time of the case: as the process reports it, checked against the kernel's
            count (see `timing`).
        wall_seconds: wall time; the cases of one process share it evenly.
    """

    case: int
    test: str | None
    kind: Kind
    detail: str
    cpu_seconds: float
    wall_seconds: float
