"""A stage that is killed: what was finished is kept, and the bytes are the same."""

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from coral_batch.lake.store import Store
from tests.faults.kills import start, wait_for_orphans
from tests.pipeline import hashes, run


def test_a_killed_stage_keeps_what_it_finished_and_writes_no_table(copy: Path) -> None:
    before = hashes(copy)
    adapters = copy / "lake/generations/001/adapters.jsonl"
    shutil.rmtree(copy / ".coral")
    shutil.rmtree(adapters.with_suffix(""))
    adapters.unlink()
    running = start(copy, "coral", "adapters", "001", stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 300
    while not (trained := trained_adapters(copy)):
        assert running.poll() is None, "the stage ended before it was to be killed"
        assert time.monotonic() < deadline
        time.sleep(0.001)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    wait_for_orphans(copy)
    assert not adapters.exists()
    assert hashes(copy).items() <= before.items()
    run(copy, "coral", "adapters", "001")
    assert hashes(copy) == before
    durations = adapters.with_name("adapter_durations.jsonl").read_text().splitlines()
    reused = {row["unit"] for row in map(json.loads, durations) if row["reused"]}
    assert reused >= trained


def trained_adapters(project: Path) -> set[str]:
    """Return the key of each adapter of the store that is what was stored."""
    entries = Store(project / ".coral/store").entries()
    return {one.key for one in entries if one.kind == "adapters" and one.damage() is None}
