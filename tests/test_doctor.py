"""`coral doctor`: one finding a subject, and failure only where no run is possible."""

from __future__ import annotations

import os
import shutil
import subprocess
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from click.testing import Result
from typer.testing import CliRunner

from coral_batch import lake
from coral_batch.commands import cli
from coral_batch.commands.doctor import TESTED
from coral_batch.commands.duration import minutes
from coral_batch.lake import params
from coral_batch.verdicts import layers
from tests import REPOSITORY
from tests.settings import set_params


@pytest.fixture
def project(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose base model is there, on a machine without a network."""
    shutil.copy(REPOSITORY / "constraints.txt", workspace)
    lake.path("card").parent.mkdir(parents=True)
    lake.path("card").write_text("{}")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    return workspace


def doctor() -> Result:
    done = CliRunner().invoke(cli.app, ["doctor"])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def grades(text: str) -> dict[str, str]:
    """Subject -> its last grade."""
    rows = (line.split() for line in text.splitlines() if line[:4].strip() and "  " in line)
    return {row[1]: row[0] for row in rows}


def test_each_subject_is_found_and_explained(project: Path) -> None:
    done = doctor()
    assert done.exit_code == 0, done.output
    found = grades(done.output)
    assert [*found] == [
        *("system", "processor", "device", "load", "time", "memory", "disk", "versions"),
        *("isolation", "jails", "workers", "base", "mirrors", "store", "cache"),
    ]
    assert done.output.count("->") >= len(found)
    assert "seccomp" in done.output
    assert "a run works here" in done.output


def test_the_time_says_what_it_does_not_count(project: Path) -> None:
    set_params({"sampling.best_of": 8, "linteval.source": "folder"})
    output = doctor().output
    assert grades(output)["time"] == "note"
    assert "not counting that sampling.best_of, linteval.source changed" in output


def test_the_versions_of_python_that_were_tested_are_named_wherever_they_stand(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tested = f"{', '.join(TESTED[:-1])} and {TESTED[-1]}"
    text = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
    names = [name.rpartition(" ")[2] for name in text["project"]["classifiers"]]
    assert [name for name in names if name.startswith("3.")] == list(TESTED)
    assert tested in (REPOSITORY / "README.md").read_text()
    assert f"tested with Python {tested}" in doctor().output
    monkeypatch.setattr("platform.python_version_tuple", lambda: ("3", "99", "0"))
    done = doctor()
    assert done.exit_code == 0
    assert grades(done.output)["system"] == "note"
    assert f"tested with Python {tested} only" in done.output


def test_the_time_that_a_run_takes_follows_from_its_work_and_the_rate_of_products(
    project: Path,
) -> None:
    settings = params.load()
    usual = minutes(settings, 1e12, torch.float32)
    whole = replace(settings, training=replace(settings.training, layers=None))
    twice = replace(whole, training=replace(whole.training, passes=2))
    all_layers = minutes(whole, 1e12, torch.float32)["training"]
    assert minutes(twice, 1e12, torch.float32)["training"] == pytest.approx(2 * all_layers)
    assert 0.5 * all_layers < usual["training"] < 0.75 * all_layers
    more = replace(settings, evaluation=replace(settings.evaluation, bugs=500))
    assert minutes(more, 1e12, torch.float32)["answers"] > usual["answers"]
    fewer = replace(settings, examples=replace(settings.examples, lint=0))
    assert (
        minutes(fewer, 1e12, torch.float32)["training the best once more"]
        < usual["training the best once more"]
    )
    once = replace(fewer, examples=replace(fewer.examples, refit=settings.examples.bugs))
    assert usual["training the best once more"] > usual["training"] / 4
    assert minutes(once, 1e12, torch.float32)["training the best once more"] == 0
    half = minutes(settings, 0.5e12, torch.float32)
    assert half["answers"] == pytest.approx(2 * usual["answers"])
    assert half["the rest"] == usual["the rest"]
    assert "a run takes about" in doctor().output


def test_bf16_that_is_hidden_is_told(project: Path) -> None:
    if not any(has for name, has in torch.cpu.get_capabilities().items() if "bf16" in name):
        pytest.skip("needs a processor with bf16")
    done = subprocess.run(
        ["coral", "doctor"],
        env={**os.environ, "ONEDNN_MAX_CPU_ISA": "AVX2", "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "oneDNN is told not to use bf16: models compute in float32" in done.stdout


def test_a_base_model_that_is_nowhere_fails(project: Path) -> None:
    lake.path("card").unlink()
    done = doctor()
    assert done.exit_code == 1
    assert grades(done.output)["mirrors"] == "FAIL"
    assert "no mirror answers" in done.output


def test_another_version_than_the_pinned_one_is_named(project: Path) -> None:
    pins = project / "constraints.txt"
    text = pins.read_text()
    pins.write_text(text.replace("flake8==", "flake8==0."))
    done = doctor()
    assert done.exit_code == 0
    assert grades(done.output)["versions"] == "note"
    assert "flake8" in done.output
    assert "(pinned 0." in done.output


def test_a_project_without_the_pins_is_told(project: Path) -> None:
    (project / "constraints.txt").unlink()
    done = doctor()
    assert done.exit_code == 0
    assert grades(done.output)["versions"] == "note"
    assert "no constraints.txt here" in done.output


def test_a_file_that_a_power_cut_left_empty_in_dvcs_cache_is_named(project: Path) -> None:
    """DVC takes a read-only file of its cache for right, whatever is in it."""
    folder = project / ".dvc/cache/files/md5/9a"
    folder.mkdir(parents=True)
    (folder / "8ad92c50cae39aa2c5604fd0ab6d8c").write_text("f\n")
    (folder / "0364b9e99bb480dd25e1f0284c8555.dir").write_text("")
    done = doctor()
    assert done.exit_code == 1
    assert "1 of 2 files are damaged" in done.output
    assert "rm -f .dvc/cache/files/md5/9a/0364b9e99bb480dd25e1f0284c8555.dir" in done.output
    assert grades(done.output)["cache"] == "FAIL"


def test_what_a_killed_dvc_was_copying_into_its_cache_is_no_damage(project: Path) -> None:
    folder = project / ".dvc/cache/files/md5/9a"
    folder.mkdir(parents=True)
    (folder / ".QmT4vEbS9jVzcAaPZyKqcg.tmp").write_text("half")
    (folder / "8ad92c50cae39aa2c5604fd0ab6d8c").write_text("f\n")
    done = doctor()
    assert done.exit_code == 0
    assert "1 files, each with the hash that names it" in done.output


@pytest.mark.parametrize(
    "text",
    [
        "",
        "schema: '2.0'\nstages:\n  corpus: {cmd",
        "schema: '2.0'\nstages:\n  corpus:\n    cmd: coral corpus\n    deps:\n    - pa",
    ],
)
def test_a_lock_file_that_a_power_cut_left_torn_is_named(project: Path, text: str) -> None:
    (project / "dvc.lock").write_text("schema: '2.0'\nstages: {}\n")
    assert "dvc.lock" not in grades(doctor().output)
    (project / "dvc.lock").write_text(text)
    done = doctor()
    assert done.exit_code == 1
    assert "rm dvc.lock" in done.output


def test_a_lock_of_dvc_that_a_kill_left_empty_is_named(project: Path) -> None:
    lock = project / ".dvc/tmp/rwlock"
    lock.parent.mkdir(parents=True)
    lock.write_text("{}")
    assert "rwlock" not in grades(doctor().output)
    lock.write_text("")
    done = doctor()
    assert done.exit_code == 1
    assert "rm .dvc/tmp/rwlock" in done.output


@pytest.mark.parametrize(
    ("layer", "grade", "code"), [("seccomp", "FAIL", 1), ("landlock", "note", 0)]
)
def test_a_missing_layer_fails_where_it_is_required(
    project: Path, monkeypatch: pytest.MonkeyPatch, layer: str, grade: str, code: int
) -> None:
    real = layers.isolation(())
    kept = tuple(name for name in real.layers if name != layer)
    lacking = layers.Isolation(kept, {layer: "not here"}, real.command, real.readable, real.filters)
    monkeypatch.setattr(layers, "isolation", lambda require: lacking)
    done = doctor()
    assert done.exit_code == code
    assert grades(done.output)["isolation"] == grade
    assert f"{layer} missing: not here" in done.output
