"""The objectives of one sample, with reasons.

`JUDGES` has one entry per objective. Its name is a field of `Scores`, the key of its weight and its
thresholds in params.yaml (`objectives.weights`, `gate.base`, `gate.max`), and its column.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from coral_batch.objectives import formulas
from coral_batch.records.finding import CRASH, FAILURES, TIMEOUT, TOO_LONG, Finding
from coral_batch.records.settings import Scores
from coral_batch.verdicts.inside import syntax


@dataclass(frozen=True)
class SampleScore:
    """The scores of one sample.

    Attributes:
        scores: the objectives, each in [0, 1].
        reasons: objective -> why, in a few words.
    """

    scores: Scores
    reasons: dict[str, str]


@dataclass(frozen=True)
class Facts:
    """What is known of a sample that parses.

    Attributes:
        code: the extracted code.
        loops: how deep its loops are nested.
        verdicts: one for each case.
        findings: of flake8 and bandit.
        runtime: the measured runtime objective; None for the heuristic.
    """

    code: str
    loops: int
    verdicts: Sequence[str]
    findings: Sequence[Finding]
    runtime: float | None


Judge = Callable[[Facts], tuple[float, str]]
"""An objective's score, in [0, 1], and the reason."""


def score(
    code: str,
    verdicts: Sequence[str],
    findings: Sequence[Finding],
    *,
    times: Sequence[tuple[float, float]] | None = None,
    resolution: float = formulas.RUN_ONCE,
) -> SampleScore:
    """Score one sample.

    Code that does not parse scores 0 in all objectives. So does code that kills or stalls a linter
    or is too long for it: it is not parsed here, where no limit applies. If a linter fails
    otherwise, its objective is 0, never the score of clean code.

    Args:
        code: the extracted code, which may be anything.
        verdicts: the kind of each case of the problem, at least one.
        findings: what flake8 and bandit found in `code`.
        times: CPU seconds of the program and of the reference, which passes all cases, one pair a
            case as `verdicts`, for a measured runtime objective; None for the heuristic.
        resolution: seconds; shorter times count as this.
    """
    refused = {finding.code for finding in findings} & {CRASH, TIMEOUT, TOO_LONG}
    loops = None if refused else _loops(code)
    if loops is None:
        failed = f"not parsed: linting failed with {', '.join(sorted(refused))}"
        reasons = dict.fromkeys(JUDGES, failed if refused else "does not parse")
        return SampleScore(Scores(**dict.fromkeys(JUDGES, 0.0)), reasons)

    measured = None
    if times is not None:
        passed = [one for one, kind in zip(times, verdicts, strict=True) if kind == "PASS"]
        measured = formulas.runtime_measured(passed, resolution)
    facts = Facts(code, loops, verdicts, findings, measured)
    judged = {name: judge(facts) for name, judge in JUDGES.items()}
    return SampleScore(
        Scores(**{name: value for name, (value, _) in judged.items()}),
        {name: why for name, (_, why) in judged.items()},
    )


@lru_cache(maxsize=1024)
def _loops(code: str) -> int | None:
    """Return how deep loops are nested, None for code that does not parse; samples repeat."""
    try:
        return formulas.nested_loops(syntax.parse(code))
    except SyntaxError:
        return None


def _bugfix(facts: Facts) -> tuple[float, str]:
    total, passed = len(facts.verdicts), facts.verdicts.count("PASS")
    others = Counter(verdict for verdict in facts.verdicts if verdict != "PASS")
    reason = f"{passed} of {total} cases pass"
    if others:
        reason += ": " + _tally(others)
    return formulas.bugfix(passed, total), reason


def _syntax(_: Facts) -> tuple[float, str]:
    return formulas.SYNTAX, "parses"


def _style(facts: Facts) -> tuple[float, str]:
    findings, failed = _findings(facts, "flake8")
    if failed is not None:
        return 0.0, failed
    return formulas.style(len(findings)), _said([finding.code for finding in findings])


def _security(facts: Facts) -> tuple[float, str]:
    findings, failed = _findings(facts, "bandit")
    if failed is not None:
        return 0.0, failed
    severities = Counter(finding.severity for finding in findings)
    reason = _said([f"{finding.code} {finding.severity}" for finding in findings])
    return formulas.security(severities["HIGH"], severities["MEDIUM"]), reason


def _findings(facts: Facts, tool: str) -> tuple[list[Finding], str | None]:
    """Return what a linter found, and why it failed if it did."""
    findings = [finding for finding in facts.findings if finding.tool == tool]
    failed = (finding.message for finding in findings if finding.code in FAILURES)
    return findings, next(failed, None)


def _said(codes: Sequence[str]) -> str:
    plural = "s" if len(codes) > 1 else ""
    return f"{len(codes)} finding{plural}: {_tally(Counter(codes))}" if codes else "clean"


def _runtime(facts: Facts) -> tuple[float, str]:
    if facts.runtime is not None:
        return facts.runtime, f"measured on {facts.verdicts.count('PASS')} passed cases"
    heuristic = formulas.runtime_heuristic(facts.code, facts.loops)
    return heuristic, f"heuristic, loops nested {facts.loops} deep"


JUDGES: dict[str, Judge] = {
    "bugfix": _bugfix,
    "security": _security,
    "syntax": _syntax,
    "style": _style,
    "runtime": _runtime,
}
"""Objective -> function that judges a sample by it, in the order of `Scores`' fields."""


def _tally(counts: Counter[str]) -> str:
    """Write counts in order of name, e.g. ``E225, 2 x E302``."""
    return ", ".join(
        name if count == 1 else f"{count} x {name}" for name, count in sorted(counts.items())
    )
