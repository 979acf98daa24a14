"""The two scores of an answer, and what happened to each flake8 code.

The official score is CodeLinterEval's: default flake8 finds nothing in the code, ``# noqa`` may
silence it, and an empty answer passes. The strict score also requires that the program still works:
the code is not empty, flake8 is silent without the help of ``# noqa``, and all tests of the item
pass. An item without tests has no strict score. Both score the code as written: no final newline is
added (W292).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from coral_batch.records.finding import FAILURES, Finding
from coral_batch.records.verdict import Verdict

Outcome = Literal["clean", "silenced", "findings", "empty", "unparseable", "unlinted"]
Change = Literal["fixed", "stayed", "lost", "new"]

CHANGES: tuple[Change, ...] = ("fixed", "stayed", "lost", "new")
NOT_PYTHON = frozenset({"E902", "E999"})


@dataclass(frozen=True)
class CodeChange:
    """What happened to one flake8 code in one answer.

    Attributes:
        code: flake8's code.
        before: its findings in the item's code.
        after: its findings in the answer; `before` and `after` are not both 0.
        change: ``fixed`` (none left), ``stayed`` (one or more left), ``new`` (there was none), or
            ``lost``: none is found because the answer is empty or cannot be linted.
    """

    code: str
    before: int
    after: int
    change: Change


@dataclass(frozen=True)
class Score:
    """The scores of one answer.

    Attributes:
        official: passed by the published rule.
        strict: passed by the strict rule; None when the item has no tests.
        outcome: ``clean`` (flake8 is silent), ``silenced`` (silent only due to ``# noqa``),
            ``findings`` (findings are left), ``empty`` (only white space), ``unparseable`` (not
            Python) or ``unlinted`` (flake8 did not finish).
        tests: whether all of the item's tests pass; None when it has none.
        changes: by code.
    """

    official: bool
    strict: bool | None
    outcome: Outcome
    tests: bool | None
    changes: tuple[CodeChange, ...]


def score(
    code: str,
    before: Sequence[Finding],
    after: Sequence[Finding],
    published: Sequence[Finding],
    verdicts: Sequence[Verdict] | None,
) -> Score:
    """Score one answer.

    Args:
        code: the extracted code.
        before: flake8's findings in the item's code.
        after: its findings in `code`; like `before` as the code was written, without ``# noqa``.
        published: its findings in `code` with ``# noqa`` honoured, as in the published scorer.
        verdicts: on each of the item's tests; None when it has none.
    """
    outcome = _outcome(code, after, published)
    tests = None if verdicts is None else all(one.kind == "PASS" for one in verdicts)
    return Score(
        official=not published,
        strict=tests and outcome == "clean",
        outcome=outcome,
        tests=tests,
        changes=_changes(before, after, outcome),
    )


def _outcome(code: str, after: Sequence[Finding], published: Sequence[Finding]) -> Outcome:
    codes = {finding.code for finding in after}
    if not code.strip():
        return "empty"
    if codes & FAILURES:
        return "unlinted"
    if codes & NOT_PYTHON:
        return "unparseable"
    if not codes:
        return "clean"
    return "findings" if published else "silenced"


def _changes(
    before: Sequence[Finding], after: Sequence[Finding], outcome: Outcome
) -> tuple[CodeChange, ...]:
    had = Counter(finding.code for finding in before)
    has = Counter(finding.code for finding in after)
    judged = outcome not in ("empty", "unparseable", "unlinted")
    return tuple(
        CodeChange(code, had[code], has[code], _change(had[code], has[code], judged))
        for code in sorted(had | has)
    )


def _change(before: int, after: int, judged: bool) -> Change:
    if not before:
        return "new"
    if after:
        return "stayed"
    return "fixed" if judged else "lost"


def count_changes(changes: pl.DataFrame) -> dict[str, dict[Change, int]]:
    """Return flake8 code -> change -> number of answers, by code, of a table `linteval_changes`."""
    counts = Counter(changes.select("code", "change").iter_rows())
    return {
        code: {change: counts[code, change] for change in CHANGES}
        for code in sorted({code for code, _ in counts})
    }
