"""Judge the samples of a part of the lake, and the reference programs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from coral_batch.errors import CoralError
from coral_batch.records.problem import Problem
from coral_batch.records.rows import REFERENCE, SampleRow
from coral_batch.records.settings import Params
from coral_batch.records.verdict import Program, Verdict, as_program
from coral_batch.verdicts import pool

Rows = list[dict[str, Any]]


def judge_samples(
    samples: Sequence[SampleRow],
    problems: Sequence[Problem],
    settings: Params,
    journal: Path,
) -> tuple[Rows, Rows]:
    """Judge every sample on its problem's cases, and time the reference programs on them.

    Args:
        samples: the samples.
        problems: their problems.
        settings: limits, required isolation, processes, and whether runtime is measured.
        journal: file of finished verdicts from which a killed run resumes.

    Returns:
        Rows of the tables `verdicts` and `case_times`, in the order of `samples`; the references'
        times come last.

    Raises:
        CoralError: a required layer of isolation is missing, or a reference fails a case.
    """
    references = [as_program(problem, problem.reference) for problem in problems]
    timed = settings.objectives.runtime == "measured"
    judge = partial(pool.judge_of(settings, journal), timed=timed)
    # First, so that a failing reference is reported before hours of judging samples.
    of_references = judge(references)
    for problem, result in zip(problems, of_references, strict=True):
        _check_reference(problem, result)
    layers = pool.isolation_text(settings)
    verdicts: Rows = []
    times: Rows = []
    for sample, result in zip(samples, judge(as_programs(samples, problems)), strict=True):
        key = {"genome": sample.genome, "problem": sample.problem, "sample": sample.sample}
        verdicts += [
            {**key, "case": v.case, "test": v.test, "kind": v.kind, "detail": v.detail}
            | {"isolation": layers}
            for v in result
        ]
        times += [_time(key, verdict) for verdict in result]
    for problem, result in zip(problems, of_references, strict=True):
        key = {"genome": REFERENCE, "problem": problem.name, "sample": 0}
        times += [_time(key, verdict) for verdict in result]
    return verdicts, times


def _check_reference(problem: Problem, verdicts: Sequence[Verdict]) -> None:
    """Raise if a reference fails a case."""
    failed = next((verdict for verdict in verdicts if verdict.kind != "PASS"), None)
    if failed is None:
        return
    limits = {"TIMEOUT": "cpu_seconds or wall_seconds", "MEMORY": "memory_mb"}.get(failed.kind)
    raising = f", or raise verdicts.{limits}" if limits else ""
    raise CoralError(
        "a reference program fails its own case",
        field=f"problem {problem.name}, {failed.test or f'case {failed.case}'}",
        found=f"{failed.kind} {failed.detail}".strip(),
        expected="PASS",
        action=f"fix the corpus, exclude the problem (corpus.sources: exclude){raising}",
    )


def as_programs(samples: Sequence[SampleRow], problems: Sequence[Problem]) -> list[Program]:
    """Return the program of each sample."""
    by_name = {problem.name: problem for problem in problems}
    return [as_program(by_name[one.problem], one.code) for one in samples]


def _time(key: dict[str, Any], verdict: Verdict) -> dict[str, Any]:
    return {
        **key,
        "case": verdict.case,
        "cpu_seconds": verdict.cpu_seconds,
        "wall_seconds": verdict.wall_seconds,
    }
