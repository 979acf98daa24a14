"""Fixtures that every test file may use."""

import contextlib
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, settings

from coral_batch.models.base.checkpoint import materialise
from coral_batch.verdicts.jail import Jail
from coral_batch.verdicts.layers import isolation
from tests import REPOSITORY
from tests.adapted_lake import make_adapter, make_run_on_tiny_base
from tests.finished_lake import make_finished_lake
from tests.pipeline import finished_run, make_once
from tests.tiny import make_tiny_base

# The files that take longest, longest first: a worker that got one last would finish alone. The
# first makes the finished run, for which the second, and the fourth until its end, need not wait.
LONG = (
    *("test_pipeline_reruns.py", "test_audit.py", "test_cluster.py", "test_kills.py"),
    *("test_own_programs.py", "test_faults.py"),
)
# What `make check` leaves to `make test`: these, and others that train, draw, make whole runs or
# wait for many jails. A single test can be marked `slow` in its file.
SLOW = (
    *LONG,
    *("test_adapters_obtain.py", "test_adapters_stage.py", "test_adapters_training.py"),
    *("test_classics.py", "test_completion_model.py", "test_export.py", "test_full_benchmark.py"),
    *("test_generation_changes.py", "test_generation_engine.py"),
    *("test_linteval_harness.py", "test_linteval_items.py"),
    *("test_linteval_stages.py", "test_injection_trials.py", "test_linting.py"),
    *("test_pipeline.py", "test_runtime_measured.py", "test_verdicts.py"),
    *("test_base.py", "test_bundled_programs.py", "test_doctor.py"),
    *("test_readers_folder.py", "test_released.py", "test_repair.py", "test_repair_folder.py"),
    *("test_repair_pytest.py", "test_score.py", "test_verdicts_judge.py"),
    *("test_verdicts_hostile.py", "test_verdicts_memory.py", "test_verdicts_pytest.py"),
    "test_verdicts_references.py",
)

# No test measures time: neither how long an example takes nor how long drawing one does.
settings.register_profile("coral", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("coral")


def pytest_configure() -> None:
    """Let torch compute on one thread, and hear Ctrl-C, here and in what tests start.

    A tiny model gains nothing from threads, and those of two workers on two cores spend most of
    the time waiting for one another. A shell ignores Ctrl-C in what it starts in the background.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ["OMP_NUM_THREADS"] = "1"
    torch.set_num_threads(1)


@pytest.hookimpl(tryfirst=True)  # before pytest picks by marker
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is slow; put the files in `LONG` first (`make test` deals files out in order)."""
    for item in items:
        if item.path.name in SLOW:
            item.add_marker("slow")
    last = len(LONG)
    order = {name: place for place, name in enumerate(LONG)}
    items.sort(key=lambda item: order.get(item.path.name, last))


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny base model, which no test changes."""
    return make_tiny_base(tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def materialised(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that a lake has of a tiny base model, one for each file of tests."""
    source = make_tiny_base(tmp_path_factory.mktemp("source"))
    folder = tmp_path_factory.mktemp("lake") / "base"
    materialise(str(source), None, folder, tmp_path_factory.mktemp("downloads"))
    return folder


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project folder with the repository's params.yaml, as the working directory."""
    shutil.copy(REPOSITORY / "params.yaml", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def jail() -> Iterator[Jail]:
    """A jail for programs of at most 256 MiB, one for each file of tests."""
    with Jail(isolation(()), 256) as jail:
        yield jail


@pytest.fixture(scope="session")
def lake_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished lake that no model made (`tests.finished_lake`); tests work on copies."""

    def make(folder: Path) -> None:
        folder.mkdir()
        with contextlib.chdir(folder):
            make_finished_lake(folder)

    return make_once(tmp_path_factory, "finished-lake", make)


@pytest.fixture(scope="session")
def adapted_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small finished run on a tiny base, with an adapter; tests work on a copy, `adapted`."""
    folder = tmp_path_factory.mktemp("adapted")
    shutil.copy(REPOSITORY / "params.yaml", folder)
    with contextlib.chdir(folder):
        make_run_on_tiny_base()
        make_adapter()
    return folder


@pytest.fixture
def adapted(adapted_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the small finished run, whose best genome is a DoRA, as the working directory."""
    shutil.copytree(adapted_run, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project after `dvc repro`; tests that change it work on a `copy`."""
    return finished_run(tmp_path_factory)


@pytest.fixture
def copy(finished: Path, tmp_path: Path) -> Path:
    """A copy of the project after `dvc repro`."""
    return Path(shutil.copytree(finished, tmp_path / "copy"))
