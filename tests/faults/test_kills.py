"""A run of the real pipeline that is killed, or started twice."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.faults.kills import killed_run
from tests.test_pipeline import ENVIRONMENT, attempt, hashes, make_project, run

# Everything of one generation and of the baseline: each kind of stage that keeps work.
TARGETS = ("selection@000", "baseline_scores")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in which the targets have run."""
    project = make_project(tmp_path_factory.mktemp("kills") / "finished")
    run(project, "dvc", "repro", *TARGETS)
    return project


def test_a_run_killed_at_random_moments_ends_with_the_same_bytes(
    finished: Path, tmp_path: Path
) -> None:
    project = make_project(tmp_path / "killed")
    outcome = killed_run(project, hashes(finished), 6, 1, *TARGETS)
    assert len(outcome.moments) == 6
    assert outcome.differing == []


def test_a_second_pipeline_on_the_same_lake_is_told_to_wait(finished: Path) -> None:
    environment = {**ENVIRONMENT, "PYTHONPATH": str(finished)}
    command = ["dvc", "repro", "--force", "--single-item", "split"]
    first = subprocess.Popen(command, cwd=finished, env=environment, stdout=subprocess.DEVNULL)
    second = attempt(finished, *command)
    codes = {first.wait(), second.returncode}
    assert 0 in codes
    assert codes == {0} or "lock" in second.stderr
    assert run(finished, "dvc", "status").strip().endswith("up to date.")
