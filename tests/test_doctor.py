"""`coral doctor`: findings for each subject, and failure only if no run is possible."""

import os
import re
import shutil
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from coral_batch import lake
from coral_batch.commands import doctor
from coral_batch.commands.doctor import TESTED, Finding, Grade
from coral_batch.commands.duration import minutes
from coral_batch.errors import CoralError
from coral_batch.lake import params
from coral_batch.models.base import device
from coral_batch.models.base.catalogue import CATALOGUE
from coral_batch.models.base.checkpoint import Card
from coral_batch.verdicts import layers
from tests import REPOSITORY
from tests.command import coral
from tests.settings import set_params


@pytest.fixture(autouse=True)
def project(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project with a base model, on a machine without a network."""
    shutil.copy(REPOSITORY / "constraints.txt", workspace)
    about = ("catalogue", None, None, None, 1, "bfloat16", "", {})
    lake.write_document("card", Card(params.load().base.model, *about))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)


def found(check: str) -> Finding:
    """Return the last finding of a check."""
    *_, last = getattr(doctor, check)(params.load())
    assert isinstance(last, Finding)
    return last


def test_each_subject_has_a_finding_and_a_missing_base_model_fails() -> None:
    done = coral("doctor")
    assert done.returncode == 0, done.stderr
    rows = (line.split() for line in done.stdout.splitlines() if line[:4].strip() and "  " in line)
    subjects = list(dict.fromkeys(row[1] for row in rows))
    assert subjects == [
        *("system", "processor", "device", "load", "time", "memory", "disk", "versions"),
        *("isolation", "jails", "workers", "base", "mirrors", "store", "cache"),
    ]
    assert done.stdout.count("->") >= len(subjects)
    assert "seccomp" in done.stdout
    assert "a run takes about" in done.stdout
    assert "a run works here" in done.stdout
    lake.path("card").unlink()
    done = coral("doctor")
    assert done.returncode == 1
    assert "no mirror answers" in done.stdout
    # A downloaded file is enough.
    file = lake.DOWNLOADS / CATALOGUE[params.load().base.model].file
    file.parent.mkdir(parents=True)
    file.touch()
    assert coral("doctor").returncode == 1
    os.truncate(file, CATALOGUE[params.load().base.model].size)
    assert coral("doctor").returncode == 0


def test_a_base_model_that_is_neither_here_nor_on_a_mirror_fails() -> None:
    set_params({"base.model": "qwen2.5-coder-1.5b-instruct"})
    assert found("mirrors").grade == "FAIL"


def test_another_system_than_linux_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    with pytest.raises(CoralError, match=r"needs Linux[\s\S]*Darwin"):
        doctor.doctor()


def test_the_tested_versions_of_python_are_the_same_everywhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tested = f"{', '.join(TESTED[:-1])} and {TESTED[-1]}"
    text = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
    names = [name.rpartition(" ")[2] for name in text["project"]["classifiers"]]
    assert [name for name in names if name.startswith("3.")] == list(TESTED)
    assert tested in (REPOSITORY / "README.md").read_text()
    assert f"tested with Python {tested}" in found("system").means
    monkeypatch.setattr("platform.python_version_tuple", lambda: ("3", "99", "0"))
    assert found("system").grade is Grade.NOTE


def test_the_estimated_time_depends_on_settings_cores_and_product_rate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = params.load()
    usual = minutes(settings, 1e12, torch.float32)
    whole = replace(settings, training=replace(settings.training, layers=None))
    twice = replace(whole, training=replace(whole.training, passes=2))
    all_layers = minutes(whole, 1e12, torch.float32)["training"]
    assert minutes(twice, 1e12, torch.float32)["training"] == pytest.approx(2 * all_layers)
    assert 0.7 * all_layers < usual["training"] < 0.85 * all_layers
    more = replace(settings, evaluation=replace(settings.evaluation, bugs=500))
    assert minutes(more, 1e12, torch.float32)["answers"] > usual["answers"]
    half = minutes(settings, 0.5e12, torch.float32)
    assert half["answers"] == pytest.approx(2 * usual["answers"])
    assert half["the rest"] == usual["the rest"]
    monkeypatch.setattr(torch, "get_num_threads", lambda: 16)
    few = minutes(settings, 16e12, torch.float32)["training"]
    monkeypatch.setattr(torch, "get_num_threads", lambda: 8)
    # An adapter trains on one core, and there are only four at once.
    assert minutes(settings, 8e12, torch.float32)["training"] == pytest.approx(few)
    set_params({"compute.threads": 1, "linteval.source": "folder"})
    time = found("duration")
    assert time.grade is Grade.NOTE
    assert "ignores the changed linteval.source, compute.threads" in time.means


def test_disabled_bf16_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"device": "cpu", "dtype": "float32", "threads": 2}
    facts = {"processor": {"avx512_bf16": True}, **known}
    monkeypatch.setattr(device, "arithmetic", lambda: facts)
    processor, _ = doctor.arithmetic(params.load())
    assert processor.grade is Grade.NOTE
    assert "oneDNN is set not to use bf16: models compute in float32" in processor.means


def test_a_version_that_differs_from_the_pin_is_reported() -> None:
    pins = Path("constraints.txt")
    pins.write_text(pins.read_text().replace("flake8==", "flake8==0."))
    versions = found("versions")
    assert versions.grade is Grade.NOTE
    assert "flake8" in versions.found
    assert "(pinned 0." in versions.found


def test_an_empty_file_in_dvcs_cache_is_reported() -> None:
    """DVC trusts a read-only file of its cache, whatever its content."""
    folder = Path(".dvc/cache/files/md5/9a")
    folder.mkdir(parents=True)
    (folder / "8ad92c50cae39aa2c5604fd0ab6d8c").write_text("f\n")
    # A partial copy of a killed DVC is not damage.
    (folder / ".QmT4vEbS9jVzcAaPZyKqcg.tmp").write_text("half")
    assert found("cache").found == "1 files with correct hashes"
    (folder / "0364b9e99bb480dd25e1f0284c8555.dir").write_text("")
    cache = found("cache")
    assert cache.grade is Grade.FAIL
    assert cache.found.startswith("1 of 2 files are damaged")
    assert "rm -f .dvc/cache/files/md5/9a/0364b9e99bb480dd25e1f0284c8555.dir" in cache.means


@pytest.mark.parametrize(
    ("name", "whole", "torn"),
    [
        ("dvc.lock", "schema: '2.0'\nstages: {}\n", ""),
        ("dvc.lock", "schema: '2.0'\nstages: {}\n", "schema: '2.0'\nstages:\n  corpus: {cmd"),
        (".dvc/tmp/rwlock", "{}", ""),
    ],
)
def test_a_truncated_file_of_dvc_is_reported(name: str, whole: str, torn: str) -> None:
    file = Path(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(whole)
    assert doctor.torn(Path()) == []
    file.write_text(torn)
    first, *_ = doctor.cache(params.load())
    assert first.grade is Grade.FAIL
    assert f"rm {name}" in first.means


@pytest.mark.parametrize(("layer", "grade"), [("seccomp", Grade.FAIL), ("landlock", Grade.NOTE)])
def test_a_missing_layer_fails_if_it_is_required(
    monkeypatch: pytest.MonkeyPatch, layer: str, grade: Grade
) -> None:
    real = layers.isolation(())
    kept = tuple(name for name in real.layers if name != layer)
    lacking = replace(real, layers=kept, missing={layer: "not here"})
    monkeypatch.setattr(layers, "isolation", lambda require: lacking)
    isolation = found("isolation")
    assert (isolation.grade, isolation.found) == (grade, f"{layer} missing: not here")


def test_with_a_cluster_only_its_workers_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DASK_SCHEDULER_ADDRESS", "tcp://127.0.0.1:1")
    settings = params.load()
    assert [*doctor.isolation(settings), *doctor.jails(settings)] == []
    assert [one.means for one in doctor.duration(settings)] == ["not estimated on a cluster"]


def test_the_option_time_prints_one_line() -> None:
    done = coral("doctor", "--time")
    assert done.returncode == 0
    assert re.fullmatch(
        r"a run takes about \d+ minutes( under the present load)?: .*\n", done.stdout
    )
