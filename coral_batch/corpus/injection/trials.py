"""From candidates to bugs: run each on its program's tests, and keep the usable ones.

A trial is a row of the table `bug_trials`: a candidate and its outcomes in the jail. The bugs
depend only on the candidates and the trials.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from coral_batch.corpus.injection.candidates import BugCandidate, candidates
from coral_batch.corpus.injection.counting import counted, hangs
from coral_batch.errors import CoralError, shorten
from coral_batch.records.problem import Bug, Problem, Suite
from coral_batch.records.settings import Injection
from coral_batch.records.verdict import Program, Verdict, as_program

TRIED = 3
"""Candidates that are tried per wanted bug."""

CPU_SECONDS = 1.0
"""CPU seconds per case; enough, since there is a line limit as well."""

REFERENCE = "reference"
"""The `kind` of the trial of the reference itself; its `number` is 0."""

PASSED, HUNG = "P", "H"
_UNWANTED = frozenset("HTMCU")
"""Outcomes of a case that disqualify a candidate: it hangs, runs out of time or memory, crashes or
does not load."""

Judge = Callable[[Sequence[Program]], list[list[Verdict]]]
Rows = list[dict[str, Any]]


def inject(
    problems: Sequence[Problem], settings: Injection, seed: int, judge: Judge
) -> tuple[Rows, list[Bug]]:
    """Put bugs into the references of problems.

    There are two rounds. The first tries 1.5 candidates per wanted bug, enough for most programs.
    The second tries the rest for programs that still need bugs.

    Args:
        problems: the problems.
        settings: how many bugs, and which are kept.
        seed: the run's seed.
        judge: runs programs on their tests; called once a round.

    Returns:
        The rows of the table `bug_trials`, each reference before its candidates, and the bugs.

    Raises:
        CoralError: a reference fails its tests, it runs too many lines and the problem has no bug
            of its own, or a problem's own bug passes all tests.
    """
    searches = [_Search(problem, settings, seed) for problem in problems]
    while drawn := [(search, one) for search in searches for one in search.draw()]:
        results = judge([search.program(one) for search, one in drawn])
        for (search, one), verdicts in zip(drawn, results, strict=True):
            search.add(one, verdicts)
        if faults := [search.fault for search in searches if search.fault]:
            first, *others = faults
            names = "".join(f"; also {fault['field']}: {fault['found']}" for fault in others)
            raise CoralError(**{**first, "action": first["action"] + names})
    _check_own([search for search in searches if search.own], judge)
    rows = [row for search in searches for row in search.rows]
    return rows, [bug for search in searches for bug in search.bugs]


def _check_own(searches: Sequence[_Search], judge: Judge) -> None:
    """Check that problems fail a test with their own bugs."""
    judged = judge([search.program(search.own) for search in searches if search.own])
    passing = [
        search.name
        for search, verdicts in zip(searches, judged, strict=True)
        if all(verdict.kind == "PASS" for verdict in verdicts)
    ]
    if passing:
        raise CoralError(
            "a program with its bug passes all tests",
            field=", ".join(passing),
            expected="a bug that a test detects",
            action="exclude these programs (corpus.sources: exclude), or add tests",
        )


def outcomes(verdicts: Sequence[Verdict]) -> str:
    """Return a letter per case: the first of its verdict's kind, `HUNG` for too many lines."""
    return "".join(HUNG if hangs(verdict.detail) else verdict.kind[0] for verdict in verdicts)


def runs_too_long(letters: str) -> bool:
    """Whether the first case that a reference does not pass took too long."""
    return letters.lstrip(PASSED)[:1] in {HUNG, "T"}


class _Search:
    """The search for bugs of one problem.

    Attributes:
        rows: the trials so far, as rows of their table.
        bugs: the bugs so far, numbered from 1.
        fault: what is wrong with the reference, as arguments of `CoralError`, or None.
    """

    def __init__(self, problem: Problem, settings: Injection, seed: int) -> None:
        self.rows: Rows = []
        self.bugs: list[Bug] = []
        self.fault: dict[str, str] | None = None
        self._problem = problem
        self._settings = settings
        self.name = problem.name
        buggy = problem.buggy
        self.own = None if buggy is None else BugCandidate(0, "own", 0, buggy)
        self._left = islice(candidates(problem, seed), TRIED * settings.each)
        self._effects: set[tuple[int, str]] = set()
        self._too_long = False

    def draw(self) -> list[BugCandidate]:
        """Return the next candidates: at first with the reference, finally none."""
        if self.rows:
            return list(self._left) if self._wants_more() else []
        reference = BugCandidate(0, REFERENCE, 0, self._problem.reference)
        wanted = self._settings.each
        return [reference, *islice(self._left, wanted + (wanted + 1) // 2)]

    def program(self, candidate: BugCandidate) -> Program:
        """Return the program to judge."""
        problem, lines = self._problem, self._settings.lines
        if isinstance(problem.tests, Suite):  # pytest's plugin counts the lines
            return replace(as_program(problem, candidate.code), lines=lines)
        return as_program(problem, counted(candidate.code, lines))

    def add(self, candidate: BugCandidate, verdicts: Sequence[Verdict]) -> None:
        """Record the verdicts on a candidate, and keep it if it is a wanted bug.

        Of candidates on one line with the same effect on every case, only the first is kept. A
        problem with its own bug gets no others if its reference runs too long.
        """
        letters = outcomes(verdicts)
        if candidate.kind == REFERENCE:
            self._too_long = self._problem.buggy is not None and runs_too_long(letters)
            if not self._too_long:
                self.fault = _fault(self._problem, verdicts, self._settings.lines)
        details = json.dumps([(verdict.kind, verdict.detail) for verdict in verdicts])
        effect = hashlib.sha256(details.encode()).hexdigest()[:16]
        self.rows.append(
            {
                "problem": self._problem.name,
                "number": candidate.number,
                "kind": candidate.kind,
                "line": candidate.line,
                "sha256": hashlib.sha256(candidate.code.encode()).hexdigest(),
                "outcomes": letters,
                "effect": effect,
            }
        )
        passed = letters.count(PASSED)
        wrong = passed < len(letters) and (passed or not self._settings.partial)
        new = (candidate.line, effect) not in self._effects
        if wrong and new and self._wants_more() and not set(letters) & _UNWANTED:
            self._effects.add((candidate.line, effect))
            bug = Bug(
                id=f"{self._problem.name}-{len(self.bugs) + 1}",
                problem=self._problem.name,
                kind=candidate.kind,
                line=candidate.line,
                reference=self._problem.reference,
                buggy=candidate.code,
                outcomes=letters,
                failed=1 - passed / len(letters),
            )
            self.bugs.append(bug)

    def _wants_more(self) -> bool:
        """Whether more bugs are wanted."""
        return len(self.bugs) < self._settings.each and not self._too_long


def _fault(problem: Problem, verdicts: Sequence[Verdict], lines: int) -> dict[str, str] | None:
    """Return what is wrong with a reference; None if it passes every case within the line limit."""
    verdict = next((one for one in verdicts if one.kind != "PASS"), None)
    if verdict is None:
        return None
    action = "exclude the problem (corpus.sources: exclude)"
    if hangs(verdict.detail):
        what, limit = "exceeds the line limit", f"at most {lines} lines"
        action = f"raise injection.lines in params.yaml if it ends; else correct it, or {action}"
    elif verdict.kind == "TIMEOUT":
        what = "takes too long to inject bugs into"
        limit = f"at most {CPU_SECONDS:g} s of CPU time, and the limits in verdicts"
    else:
        what, limit, action = "fails its own case", "PASS", f"correct the corpus, or {action}"
        if problem.cases:
            limit += f" with {shorten(problem.cases[verdict.case].expected)}"
    return {
        "problem": f"a reference program {what}",
        "field": f"problem {problem.name}, {verdict.test or f'case {verdict.case}'}",
        "found": f"{verdict.kind} {verdict.detail}".strip(),
        "expected": limit,
        "action": action,
    }
