"""Runs that are killed or cut from power: what was finished is kept, and the bytes are the same."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import REPOSITORY
from tests.faults.kills import FORMS, killed_run, wait_for_orphans, whole_entries
from tests.faults.power import Disk
from tests.pipeline import ENVIRONMENT, finished_run, hashes, make_project, run


def test_a_run_killed_at_random_moments_ends_with_the_same_bytes(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    project = make_project(tmp_path / "killed")
    outcome = killed_run(project, 2 * len(FORMS), 1)
    assert len(outcome.moments) == 2 * len(FORMS)
    # What was being put into the store when the power went need not be there.
    assert len(outcome.lost) <= 4
    # Asked for only now: another worker may be at it.
    assert hashes(project) == hashes(finished_run(tmp_path_factory))


def test_a_killed_stage_keeps_what_it_finished_and_writes_no_table(copy: Path) -> None:
    before = hashes(copy)
    trained: set[str] = set()

    def an_adapter_is_trained() -> bool:
        trained.update(name for name in whole_entries(copy) if name.startswith("adapters/"))
        return bool(trained)

    adapters = killed_training(copy, an_adapter_is_trained)
    run(copy, "coral", "adapters", "001")
    assert hashes(copy) == before
    durations = adapters.with_name("adapter_durations.jsonl").read_text().splitlines()
    reused = [row["unit"] for row in map(json.loads, durations) if row["reused"]]
    assert {f"adapters/{key}" for key in reused} >= trained


def test_a_run_killed_while_it_writes_the_lower_layers_ends_with_the_same_bytes(
    copy: Path,
) -> None:
    before = hashes(copy)
    trunks = copy / ".coral/store/trunks"
    killed_training(copy, lambda: trunks.is_dir() and any(trunks.iterdir()))
    begun = {name for name in whole_entries(copy) if name.startswith("trunks/")}
    assert len(begun) < len(list(trunks.iterdir())), "nothing was on the way"
    # Forced: DVC would have the table from its cache.
    run(copy, "dvc", "repro", "--force", "--single-item", "adapters@001")
    run(copy, "dvc", "repro")
    assert hashes(copy) == before
    assert "wrong" not in run(copy, "coral", "audit")


def killed_training(project: Path, when: Callable[[], bool]) -> Path:
    """Kill the training of generation 001 with an empty store; return the table that is missing."""
    adapters = project / "lake/generations/001/adapters.jsonl"
    shutil.rmtree(project / ".coral")
    shutil.rmtree(adapters.with_suffix(""))
    adapters.unlink()
    running = subprocess.Popen(
        ["coral", "adapters", "001"],
        cwd=project,
        env={**ENVIRONMENT, "PYTHONPATH": str(project)},
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 300
    while not when():
        assert running.poll() is None, "the stage ended before it was to be killed"
        assert time.monotonic() < deadline
        time.sleep(0.001)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    wait_for_orphans(project)
    assert not adapters.exists()
    return adapters


WRITES = """
import os
from pathlib import Path

def sync(path):
    descriptor = os.open(path, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)

Path("new").write_text("never forced to the disk")
Path("forced").write_text("forced"); sync("forced")
with open("old", "a") as file: file.write(" and more")
Path("gone").unlink()
Path("folder/inner").mkdir(parents=True)
Path("folder/inner/file").write_text("file"); sync("folder/inner/file")
sync(".")
Path("later").write_text("later"); sync("later")
Path("forced").rename("renamed")
"""


@pytest.mark.parametrize(
    ("names_stay", "left"),
    [
        (
            True,
            {
                "old": "old",
                "new": "",
                "renamed": "forced",
                "later": "later",
                "folder/inner/file": "file",
            },
        ),
        (False, {"old": "old", "new": "", "forced": "forced"}),
    ],
)
def test_a_power_cut_leaves_what_was_forced_to_the_disk(
    tmp_path: Path, names_stay: bool, left: dict[str, str]
) -> None:
    (tmp_path / "old").write_text("old")
    (tmp_path / "gone").write_text("gone")
    with Disk(tmp_path) as disk:
        environment = {**os.environ, **disk.environment}
        subprocess.run([sys.executable, "-c", WRITES], cwd=tmp_path, env=environment, check=True)
        disk.cut(names_stay=names_stay)
    files = (file for file in tmp_path.rglob("*") if file.is_file())
    assert {str(file.relative_to(tmp_path)): file.read_text() for file in files} == left


FINISHES = """
import sys
from pathlib import Path
from coral_batch import lake
from coral_batch.lake.params import load
from coral_batch.records.rows import DurationRow
from coral_batch.lake.store import Store
from coral_batch.records.verdict import Program
from coral_batch.verdicts.pool import judge
from coral_batch.records.problem import Case

aside, settings = sys.argv[1:]
lake.write_rows("sample_durations", [DurationRow("a", 1.5, False)], "000")
lake.write_folders("adapter_folders", {"0" * 64: Path(aside)}, "000")
Store(lake.STORE).put("samples", {"seed": 1}, lambda folder: (folder / "a").write_text("a"))
program = Program("a", "double", "def double(n): return 2 * n", (Case((1,), 2),), None, {})
judge([program], load(Path(settings)).verdicts, 1, lake.journal("verdicts", "000"))
"""


def test_what_is_finished_survives_a_power_cut(tmp_path: Path) -> None:
    aside, project = tmp_path / "aside", tmp_path / "project"
    project.mkdir()
    (aside / "deep").mkdir(parents=True)
    (aside / "deep/file").write_text("text")
    with Disk(project) as disk:
        environment = {**os.environ, **disk.environment}
        environment["PYTHONPATH"] += f"{os.pathsep}{REPOSITORY}"
        arguments = [str(aside), str(REPOSITORY / "params.yaml")]
        command = [sys.executable, "-c", FINISHES, *arguments]
        subprocess.run(command, cwd=project, env=environment, check=True)
        lost = disk.cut(names_stay=False)
    # Of what was on the way only empty folders come back.
    assert all(".unfinished-" in place for place in lost), lost
    files = [file for file in project.rglob("*") if file.is_file()]
    assert len(files) == 5
    assert not [file for file in files if ".unfinished-" in str(file)]
