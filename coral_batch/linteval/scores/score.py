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
from typing import Any, Literal

import polars as pl

from coral_batch.records.finding import FAILURES, Finding
from coral_batch.records.verdict import Verdict

Change = Literal["fixed", "stayed", "lost", "new"]

CHANGES: tuple[Change, ...] = ("fixed", "stayed", "lost", "new")
NOT_PYTHON = frozenset({"E902", "E999"})


def score(
    code: str,
    after: Sequence[Finding],
    published: Sequence[Finding],
    verdicts: Sequence[Verdict] | None,
) -> dict[str, Any]:
    """Return the scores of one answer, as in the table `linteval_scores`.

    Args:
        code: the extracted code.
        after: flake8's findings in it as it was written, without ``# noqa``.
        published: its findings with ``# noqa`` honoured, as in the published scorer.
        verdicts: on each of the item's tests; None when it has none.
    """
    outcome = _outcome(code, after, published)
    tests = None if verdicts is None else all(one.kind == "PASS" for one in verdicts)
    return {
        "official": not published,
        "strict": tests and outcome == "clean",
        "outcome": outcome,
        "tests": tests,
    }


def _outcome(code: str, after: Sequence[Finding], published: Sequence[Finding]) -> str:
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


def changes(
    before: Sequence[Finding], after: Sequence[Finding], outcome: str
) -> list[dict[str, Any]]:
    """Return what happened to each flake8 code in one answer, as in the table `linteval_changes`.

    Args:
        before: flake8's findings in the item's code.
        after: its findings in the answer; both without ``# noqa``.
        outcome: the answer's.
    """
    had, has = (Counter(finding.code for finding in findings) for findings in (before, after))
    gone: Change = "lost" if outcome in ("empty", "unparseable", "unlinted") else "fixed"
    return [
        {
            "code": code,
            "before": had[code],
            "after": has[code],
            "change": "new" if not had[code] else "stayed" if has[code] else gone,
        }
        for code in sorted(had | has)
    ]


def count_changes(table: pl.DataFrame) -> dict[str, dict[Change, int]]:
    """Return flake8 code -> change -> number of answers, by code, of a table `linteval_changes`."""
    counts = Counter(table.select("code", "change").iter_rows())
    return {
        code: {change: counts[code, change] for change in CHANGES}
        for code in sorted({code for code, _ in counts})
    }
