"""References are judged before the samples, so that one that fails costs nobody hours."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from coral_batch.errors import CoralError
from coral_batch.lake import params
from coral_batch.verdicts.tables import judge_samples
from tests import REPOSITORY
from tests.injectable import problem_of
from tests.rows import SAMPLE

SETTINGS = params.load(REPOSITORY / "params.yaml")
WRONG = "def f(n):\n    return n + 1\n"
ENDLESS = "def f(n):\n    while True:\n        pass\n"
GREEDY = "def f(n):\n    return len([0] * 10**10)\n"


@pytest.mark.parametrize(
    ("reference", "found", "action"),
    [
        (WRONG, "FAIL returned 3", "exclude)"),
        (ENDLESS, "TIMEOUT no result", "or raise verdicts.cpu_seconds or wall_seconds"),
        (GREEDY, "MEMORY MemoryError", "or raise verdicts.memory_mb"),
    ],
)
def test_a_reference_that_fails_is_refused_before_samples_are_judged(
    reference: str, found: str, action: str, tmp_path: Path
) -> None:
    problem = problem_of(reference, [((2,), 2)])
    verdicts = dataclasses.replace(SETTINGS.verdicts, require=(), cpu_seconds=1.0)
    settings = dataclasses.replace(SETTINGS, verdicts=verdicts)
    sample = dataclasses.replace(SAMPLE, problem="f", code="def f(n):\n    return n\n")
    journal = tmp_path / "journal"
    with pytest.raises(CoralError) as caught:
        judge_samples([sample], [problem], settings, journal)
    text = str(caught.value)
    assert "problem f, case 0" in text
    assert found in text
    assert text.endswith(action)
    assert len(journal.read_text().splitlines()) == 1
