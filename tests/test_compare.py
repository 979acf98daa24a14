"""`coral compare`: a run against another one, from folders, revisions and experiments."""

import contextlib
import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from coral_batch import lake
from coral_batch.commands.compare import compare, comparison
from coral_batch.errors import CoralError
from coral_batch.evidence.summary import Evidence
from coral_batch.records.problem import Bug, Role
from coral_batch.records.rows import BestRow, FirstChangeRow
from coral_batch.report.roles import TRAINED_ON
from coral_batch.report.runs import read_run
from stages.evidence import evidence
from stages.results import results
from tests import REPOSITORY
from tests.errors import refused
from tests.pipeline import ENVIRONMENT
from tests.report_lake import HELD_OUT, make_run, write_evaluation

SHA = "0" * 64


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two runs, `first` and `second`.

    The best genome of the second solves all held-out problems, with another rank.
    """
    folder = tmp_path_factory.mktemp("runs")
    (folder / "first").mkdir()
    shutil.copy(REPOSITORY / "params.yaml", folder / "first")
    with contextlib.chdir(folder / "first"):
        make_run()
        names = [*HELD_OUT, *HELD_OUT.values()]
        roles = [Role(name, "classics", "test", "a test", "cases", SHA) for name in names]
        lake.write_rows("manifest", roles)
        evidence()
        results()
    shutil.copytree(folder / "first", folder / "second")
    with contextlib.chdir(folder / "second"):
        best = lake.read_document("best", BestRow)
        other = replace(best, configuration=replace(best.configuration, r=16))
        lake.write_document("best", other)
        part = lake.EVALUATIONS["best"]
        scores = lake.read_frame("scores", part)
        lake.write_frame("scores", scores.with_columns(bugfix=pl.lit(1.0)), part)
        looks = lake.read_rows("first_changes", FirstChangeRow, part)
        lake.write_rows("first_changes", [replace(row, right=1.0) for row in looks], part)
        evidence()
    return folder


@pytest.fixture
def first(runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the first run, as the working directory."""
    folder = Path(shutil.copytree(runs / "first", tmp_path / "first"))
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def second(runs: Path, tmp_path: Path) -> Path:
    """A copy of the second run."""
    return Path(shutil.copytree(runs / "second", tmp_path / "second"))


def compared(*runs: object) -> str:
    return comparison([read_run(str(run)) for run in runs])


def test_two_folders_are_compared(first: Path, second: Path) -> None:
    output = compared(".", second / "lake")
    assert "The budgets are equal." in output
    assert "r 8 -> 16" in output
    assert "detect_cycle 1/2 -> 2/2" in output
    assert "5 the same" in output
    held_out = [line for line in output.splitlines() if line.startswith("  held out")]
    assert re.search(r"pass@1 +2 +\+25 \[", held_out[0])
    (right,) = [line for line in held_out if "P(right first change)" in line]
    assert "+50 [-76, +92]  may be noise" in right
    # Each run chose its best genome by this score.
    (selection,) = [line for line in output.splitlines() if line.startswith("  selection, ")]
    assert "noise" not in selection


def test_budgets_are_compared_even_if_a_run_spent_none(first: Path, second: Path) -> None:
    known = lake.read_document("evidence", Evidence)
    budget = replace(known.budget, samples=2 * known.budget.samples, training_tokens=0)
    lake.write_document("evidence", replace(known, budget=budget))
    output = " ".join(compared(".", second).split())
    assert "budgets differ: training tokens (0 to 1,200), samples by up to 100.0%." in output


def test_a_run_of_another_version_is_refused(first: Path, second: Path) -> None:
    file = second / "lake" / lake.PLACES["evidence"]
    older = json.loads(file.read_text())
    del older["budget"]["training_tokens"]
    file.write_text(json.dumps(older))
    place = f"  file:     evidence/evidence.json\n  field:    {second}\n"
    with refused(
        "another version of coral-batch made this run",
        place,
        "use the code of the run's commit, or run",
    ):
        compare([".", str(second)])


def test_training_problems_are_marked_in_the_comparison(first: Path, second: Path) -> None:
    assert TRAINED_ON not in compared(".", second)
    write_evaluation("001-00", {"sieve": "gcd"})
    output = compared(".", second)
    assert TRAINED_ON in output
    assert "trained on     gcd 1/2 -> -" in output


def test_a_different_program_of_the_same_name_is_reported(first: Path, second: Path) -> None:
    """A bug of a different program is different as well: it may have other cases."""
    bug = Bug("sieve-1", "sieve", "constant", 1, "x = 1\n", "x = 2\n", "F", 1.0)
    lake.write_rows("bugs", [bug])
    with lake.at(second / "lake"):
        rows = lake.read_rows("manifest", Role)
        changed = [
            replace(row, sha256="1" * 64) if row.name in ("detect_cycle", "sieve") else row
            for row in rows
        ]
        lake.write_rows("manifest", changed)
        lake.write_rows("bugs", [bug])
    output = compared(".", second)
    assert "detect_cycle is a different program" in output and "detect_cycle 1/2" not in output
    here, there = read_run("."), read_run(str(second))
    assert here.problems["sieve-1"] != there.problems["sieve-1"]
    with lake.at(second / "lake"):
        lake.write_rows("manifest", [row for row in changed if row.name != "detect_cycle"])
    assert "detect_cycle is a different program" not in compared(".", second)
    with lake.at(second / "lake"):
        lake.write_rows("manifest", [row for row in changed if row.name != "sieve"])
    with pytest.raises(CoralError, match="sieve-1, a bug of an unknown problem"):
        read_run(str(second))


def test_results_of_another_genome_than_the_best_are_refused(first: Path) -> None:
    """`dvc repro best` alone leaves the results of the genome that was best before."""
    best = lake.read_document("best", BestRow)
    lake.write_document("best", replace(best, genome="000-02", generation="000"))
    with refused("another genome than the best one, 000-02"):
        read_run(".")


def test_runs_that_cannot_be_compared_are_refused(first: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for runs, message in (
        ([".", str(tmp_path / "empty")], "no finished run in this folder"),
        ([".", "x" * 256], "File name too long"),
        ([".", "."], "two or more distinct runs"),
        (["."], "two or more distinct runs"),
    ):
        with refused(message):
            compare(runs)


def git(command: str) -> None:
    names = ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL")
    environment = {**ENVIRONMENT, **dict.fromkeys(names, "a"), "GIT_CONFIG_GLOBAL": "/dev/null"}
    subprocess.run(command.split(), check=True, capture_output=True, env=environment)


@pytest.mark.slow
def test_revisions_are_read_from_the_cache(
    first: Path, second: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in ("git init", "dvc init", "dvc add lake", "git add -A", "git commit -m one"):
        git(command)
    shutil.rmtree("lake")
    shutil.copytree(second / "lake", "lake")
    for command in ("dvc add lake", "git commit -am two"):
        git(command)
    capsys.readouterr()
    compare(["HEAD~1", "HEAD", str(second)])
    output = capsys.readouterr().out
    assert "HEAD against HEAD~1" in output
    assert output.count("detect_cycle 1/2 -> 2/2") == 2
    shutil.rmtree(".dvc/cache")
    for revision in ("HEAD~1", "no-such-experiment"):
        with refused("cannot load run"):
            compare([revision, str(second)])
