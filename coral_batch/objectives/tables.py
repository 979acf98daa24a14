"""Scores of a whole part of the lake, from its samples, verdicts, findings and times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import Any

import numpy as np
import polars as pl

from coral_batch.errors import apart
from coral_batch.objectives.aggregate import fitness
from coral_batch.objectives.formulas import REPEATED, RUN_ONCE
from coral_batch.objectives.score import score
from coral_batch.records.finding import Finding
from coral_batch.records.problem import program_of
from coral_batch.records.rows import REFERENCE, SampleRow
from coral_batch.records.settings import Objectives

KEY = ("genome", "problem", "sample")


def score_samples(
    samples: Sequence[SampleRow],
    verdicts: pl.DataFrame,
    findings: pl.DataFrame,
    times: pl.DataFrame,
    roles: Mapping[str, str],
    settings: Objectives,
) -> list[dict[str, Any]]:
    """Score every sample.

    Args:
        samples: the samples.
        verdicts: table `verdicts` of the same samples.
        findings: table `findings` of the same samples.
        times: table `case_times`, with the references' times.
        roles: program -> its role, from the table `manifest`.
        settings: weights, and which runtime objective enters the fitness.

    Returns:
        Rows of the table `scores`, in the order of `samples`.

    Raises:
        CoralError: a sample has no verdicts, a case no time, or a program no role.
    """
    judged = verdicts.select(*KEY, "case", "kind").sort("case").rows_by_key(KEY)
    timed = times.select(*KEY, "case", "cpu_seconds").sort("case").rows_by_key(KEY)
    found = findings.rows_by_key(KEY, named=True)
    tests = set(verdicts.filter(pl.col("test").is_not_null())["problem"])
    measured = settings.runtime == "measured"
    scores = []
    for sample in samples:
        key = (sample.genome, sample.problem, sample.sample)
        kinds = [kind for _, kind in judged[key]]
        seconds = [second for _, second in timed[key]]
        reference = [second for _, second in timed[REFERENCE, sample.problem, 0]]
        if not len(kinds) == len(seconds) == len(reference) > 0:
            of_times = f"{len(seconds)} times, {len(reference)} of the reference"
            raise apart(f"{len(kinds)} verdicts and {of_times} for {'/'.join(map(str, key))}")
        result = score(
            sample.code,
            kinds,
            [Finding(**row) for row in found[key]],
            times=[*zip(seconds, reference, strict=True)] if measured else None,
            # Cases are repeated, a test file runs once.
            resolution=RUN_ONCE if sample.problem in tests else REPEATED,
        )
        row: dict[str, Any] = dict(zip(KEY, key, strict=True))
        program = program_of(sample.problem)
        if program not in roles:
            raise apart(f"no role of the program {program}")
        reasons = {f"{name}_reason": why for name, why in result.reasons.items()}
        total = float(fitness(np.array(astuple(result.scores)), settings.weights))
        scores.append(
            {**row, "role": roles[program], **vars(result.scores), "fitness": total, **reasons}
        )
    return scores
