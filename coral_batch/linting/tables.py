"""The findings on many samples as rows of the lake's table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from coral_batch.linting.pool import lint
from coral_batch.records.rows import SampleRow


def lint_samples(samples: Sequence[SampleRow], workers: int | None) -> list[dict[str, Any]]:
    """Lint the code of every sample; return rows of the table `findings`, in order of samples."""
    found = lint([sample.code for sample in samples], workers)
    return [
        {
            "genome": sample.genome,
            "problem": sample.problem,
            "sample": sample.sample,
            **asdict(finding),
        }
        for sample, findings in zip(samples, found, strict=True)
        for finding in findings
    ]
