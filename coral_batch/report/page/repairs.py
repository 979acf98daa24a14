"""The repairs of a page: each distinct repair of a problem once.

Model output and test results pass through `coral_batch.work.text.escape` here; the templates escape
them for HTML.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from coral_batch.records.problem import Problem
from coral_batch.report.metrics import OBJECTIVES
from coral_batch.report.views import (
    NO_CODE,
    UNCHANGED,
    HeatLine,
    Repair,
    case_name,
    difference,
    failures,
    finding_text,
    heat,
    mark,
    question,
)
from coral_batch.work.text import escape, inline

SHOWN = 120
"""Distinct repairs of a problem on a page, at most: browsers are slow with larger pages."""

Question = tuple[str, str] | None
"""Input and expected result of a single case; None for a test, or several cases."""


@dataclass(frozen=True)
class Attempts:
    """All repairs of one problem.

    Attributes:
        problem: its name.
        kind: kind of its bug; "own" if it was not injected.
        mark: " (trained on)" for a training problem; else empty.
        prompt: the text given to the model.
        heat: probability of the first change by line, mean over the models; may be empty.
        samples: number of samples.
        solved: number of samples that pass every case.
        repairs: the distinct ones, best first; at most `SHOWN`.
        omitted: number of distinct repairs left out.
    """

    problem: str
    kind: str
    mark: str
    prompt: str
    heat: Sequence[HeatLine]
    samples: int
    solved: int
    repairs: Sequence[Mapping[str, Any]]
    omitted: int

    @property
    def distinct(self) -> int:
        """Number of distinct repairs."""
        return len(self.repairs) + self.omitted


def attempts(repairs: Sequence[Repair]) -> list[Attempts]:
    """Group repairs by problem and by code.

    Within a problem, repairs that pass more cases come first, then those of more samples.
    """
    by_name = sorted(repairs, key=_name)
    return [_attempts(list(group)) for _, group in groupby(by_name, key=_name)]


def _name(repair: Repair) -> str:
    return repair.problem.name


def _attempts(repairs: Sequence[Repair]) -> Attempts:
    groups: dict[str, list[Repair]] = {}
    for repair in repairs:
        groups.setdefault(repair.sample.code, []).append(repair)
    ordered = sorted(groups.values(), key=lambda group: (-_share(group[0]), -len(group)))
    return Attempts(
        repairs[0].problem.name,
        repairs[0].kind,
        mark(repairs[0]),
        escape(repairs[0].sample.prompt),
        _heat(repairs),
        len(repairs),
        sum(_share(repair) == 1 for repair in repairs),
        [_distinct(group) for group in ordered[:SHOWN]],
        max(0, len(ordered) - SHOWN),
    )


def _heat(repairs: Sequence[Repair]) -> list[HeatLine]:
    looks = {repair.sample.genome: repair.look for repair in repairs if repair.look is not None}
    return heat(repairs[0].problem, list(looks.values())) if looks else []


def _share(repair: Repair) -> float:
    return sum(row["kind"] == "PASS" for row in repair.verdicts) / len(repair.verdicts)


def _distinct(repairs: Sequence[Repair]) -> dict[str, Any]:
    """Return what the page shows of repairs with the same code.

    Among it: genome -> numbers of its samples; the diff as (class, line), or a note if there is
    none; (name, kind) of each case; outcome: "repaired", or "failed" and the kinds of the failures.
    """
    first = repairs[0]
    samples: dict[str, list[int]] = {}
    for repair in repairs:
        samples.setdefault(repair.sample.genome, []).append(repair.sample.sample)
    diff, note = _diff(first)
    counts = Counter(row["kind"] for row in first.verdicts)
    failed = sorted(counts.keys() - {"PASS"})
    reasons = [inline(first.scores[f"{name}_reason"]) for name in OBJECTIVES]
    scores = [first.scores[name] for name in OBJECTIVES]
    return {
        "samples": samples,
        "count": len(repairs),
        "diff": diff,
        "note": note,
        "cases": [(case_name(row), row["kind"]) for row in first.verdicts],
        "passed": counts["PASS"],
        "outcome": ["failed", *failed] if failed else ["repaired"],
        "verdict": ", ".join(f"{counts[kind]} {kind}" for kind in ("PASS", *failed)),
        "failures": [_failure(first.problem, rows) for rows in failures(first.verdicts)],
        "findings": [finding_text(row) for row in first.findings],
        "scores": list(zip(OBJECTIVES, scores, reasons, strict=True)),
        "fitness": first.scores["fitness"],
    }


def _diff(repair: Repair) -> tuple[list[tuple[str, str]], str]:
    if not repair.sample.code.strip():
        return [], NO_CODE
    assert repair.problem.buggy is not None  # it has a prompt
    # Without the two lines that name the files.
    lines = difference(repair.problem.buggy, repair.sample.code)[2:]
    kinds = {"+": "add", "-": "del", "@": "hunk"}
    return [(kinds.get(line[:1], "same"), line) for line in lines], "" if lines else UNCHANGED


def _failure(problem: Problem, rows: Sequence[Mapping[str, Any]]) -> tuple[str, str, Question, str]:
    first = rows[0]
    name, asked = case_name(first), question(problem, first)
    if len(rows) > 1:
        name, asked = f"{name} to {case_name(rows[-1])}", None
    return name, first["kind"], asked, inline(first["detail"])
