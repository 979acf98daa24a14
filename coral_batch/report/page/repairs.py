"""The repairs of a page: each distinct repair of a problem once.

Model output and test results pass through `coral_batch.work.text.escape` here; the templates escape
them for HTML.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from coral_batch.records.settings import OBJECTIVES
from coral_batch.report.views import (
    Repair,
    case_name,
    change,
    failures,
    finding_text,
    heat,
    mark,
)
from coral_batch.work.text import escape, inline

MOST_REPAIRS = 120
"""Distinct repairs of a problem on a page, at most: browsers are slow with larger pages."""


def attempts(repairs: Sequence[Repair]) -> list[dict[str, Any]]:
    """Return what the page shows of each problem; repairs are grouped by problem and by code.

    Within a problem, repairs that pass more cases come first, then those of more samples. The heat
    is the probability of the first change by line, mean over the models; it may be empty.
    """
    by_problem: dict[str, list[Repair]] = {}
    for repair in sorted(repairs, key=lambda repair: repair.problem.name):
        by_problem.setdefault(repair.problem.name, []).append(repair)
    return [_attempts(group) for group in by_problem.values()]


def _attempts(repairs: Sequence[Repair]) -> dict[str, Any]:
    groups: dict[str, list[Repair]] = {}
    for repair in repairs:
        groups.setdefault(repair.sample.code, []).append(repair)
    ordered = sorted(groups.values(), key=lambda group: (-_share(group[0]), -len(group)))
    first = repairs[0]
    looks = {repair.sample.genome: repair.look for repair in repairs if repair.look is not None}
    return {
        "problem": first.problem.name,
        "kind": first.kind,
        "mark": mark(first),
        "prompt": escape(first.sample.prompt),
        "heat": heat(first.problem, list(looks.values())) if looks else [],
        "samples": len(repairs),
        "solved": sum(repair.scores["bugfix"] == 1 for repair in repairs),
        "repairs": [_distinct(group) for group in ordered[:MOST_REPAIRS]],
        "distinct": len(ordered),
    }


def _share(repair: Repair) -> float:
    return sum(row["kind"] == "PASS" for row in repair.verdicts) / len(repair.verdicts)


def _distinct(repairs: Sequence[Repair]) -> dict[str, Any]:
    """Return what the page shows of repairs with the same code.

    Among it: genome -> numbers of its samples; the diff as (class, line), or a note if there is
    none; (name, kind) of each case; outcome: "repaired", or "not repaired" and the kinds of the
    failures (none if a linter stalled).
    """
    first = repairs[0]
    samples: dict[str, list[int]] = {}
    for repair in repairs:
        samples.setdefault(repair.sample.genome, []).append(repair.sample.sample)
    lines, note = change(first)
    kinds = {"+": "add", "-": "del", "@": "hunk"}
    counts = Counter(row["kind"] for row in first.verdicts)
    failed = sorted(counts.keys() - {"PASS"})
    reasons = [inline(first.scores[f"{name}_reason"]) for name in OBJECTIVES]
    scores = [first.scores[name] for name in OBJECTIVES]
    return {
        "samples": samples,
        "count": len(repairs),
        # Without the two lines that name the files.
        "diff": [(kinds.get(line[:1], "same"), line) for line in lines[2:]],
        "note": note,
        "cases": [(case_name(row), row["kind"]) for row in first.verdicts],
        "passed": counts["PASS"],
        "outcome": ["repaired"] if first.scores["bugfix"] == 1 else ["not repaired", *failed],
        "verdict": ", ".join(f"{counts[kind]} {kind}" for kind in ("PASS", *failed)),
        "failures": failures(first),
        "findings": [finding_text(row) for row in first.findings],
        "scores": list(zip(OBJECTIVES, scores, reasons, strict=True)),
        "fitness": first.scores["fitness"],
    }
