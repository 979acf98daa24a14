"""Judge the samples of a whole part of the lake, and the references beside them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from coral_batch.corpus.problem import Problem
from coral_batch.errors import CoralError
from coral_batch.params import Verdicts
from coral_batch.rows import REFERENCE, SampleRow
from coral_batch.verdicts.pool import judge, layers_in_force
from coral_batch.verdicts.verdict import Program, Verdict

Rows = list[dict[str, Any]]


def judge_samples(
    samples: Sequence[SampleRow],
    problems: Sequence[Problem],
    settings: Verdicts,
    workers: int | None,
    journal: Path,
    *,
    timed: bool = False,
) -> tuple[Rows, Rows]:
    """Judge every sample on its problem's cases, and time the reference programs on them.

    Args:
        samples: the samples.
        problems: their problems.
        settings: limits and required isolation.
        workers: processes; None for one a core.
        journal: file of finished verdicts that a killed run goes on from.
        timed: whether processor times are to be told apart below a millisecond.

    Returns:
        Rows of the tables `verdicts` and `case_times`, in the order of `samples`; the references'
        times come last.

    Raises:
        CoralError: a required layer of isolation is missing, or a reference fails a case.
    """
    by_name = {problem.name: problem for problem in problems}
    programs = [program_of(by_name[sample.problem], sample.code) for sample in samples]
    references = [program_of(problem, problem.reference) for problem in problems]
    results = judge([*programs, *references], settings, workers, journal, timed=timed)
    layers = "+".join(layers_in_force(settings.require))
    verdicts: Rows = []
    times: Rows = []
    for sample, result in zip(samples, results[: len(samples)], strict=True):
        key = {"genome": sample.genome, "problem": sample.problem, "sample": sample.sample}
        verdicts += [
            {**key, "case": v.case, "test": v.test, "kind": v.kind, "detail": v.detail}
            | {"isolation": layers}
            for v in result
        ]
        times += [_time(key, verdict) for verdict in result]
    for problem, result in zip(problems, results[len(samples) :], strict=True):
        failed = [verdict for verdict in result if verdict.kind != "PASS"]
        if failed:
            raise CoralError(
                "a reference program fails its own case",
                field=f"problem {problem.name}, case {failed[0].case}",
                found=f"{failed[0].kind} {failed[0].detail}".strip(),
                expected="PASS",
                action="correct the corpus, or raise verdicts.cpu_seconds if the case is slow",
            )
        key = {"genome": REFERENCE, "problem": problem.name, "sample": 0}
        times += [_time(key, verdict) for verdict in result]
    return verdicts, times


def program_of(problem: Problem, code: str) -> Program:
    """Return what is judged when `code` is a repair of `problem`."""
    return Program(problem.name, problem.name, code, problem.cases, problem.tests, problem.support)


def _time(key: dict[str, Any], verdict: Verdict) -> dict[str, Any]:
    return {
        **key,
        "case": verdict.case,
        "passed": verdict.kind == "PASS",
        "cpu_seconds": verdict.cpu_seconds,
        "wall_seconds": verdict.wall_seconds,
    }
