"""A stage that is killed: what was finished is kept, and the bytes are the same."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from tests.faults.kills import start, wait_for_orphans, whole_entries
from tests.pipeline import hashes, run


def test_a_killed_stage_keeps_what_it_finished_and_writes_no_table(copy: Path) -> None:
    before = hashes(copy)
    trained: set[str] = set()

    def an_adapter_is_trained() -> bool:
        trained.update(name for name in whole_entries(copy) if name.startswith("adapters/"))
        return bool(trained)

    adapters = killed_training(copy, an_adapter_is_trained)
    assert hashes(copy).items() <= before.items()
    run(copy, "coral", "adapters", "001")
    assert hashes(copy) == before
    durations = adapters.with_name("adapter_durations.jsonl").read_text().splitlines()
    reused = [row["unit"] for row in map(json.loads, durations) if row["reused"]]
    assert {f"adapters/{key}" for key in reused} >= trained


def killed_training(project: Path, when: Callable[[], bool]) -> Path:
    """Kill the training of generation 001 with an empty store; return the table that is missing."""
    adapters = project / "lake/generations/001/adapters.jsonl"
    shutil.rmtree(project / ".coral")
    shutil.rmtree(adapters.with_suffix(""))
    adapters.unlink()
    running = start(project, "coral", "adapters", "001", stderr=subprocess.DEVNULL)
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
