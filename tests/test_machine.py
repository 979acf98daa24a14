"""What this machine is: the memory that this process may take, and whether it is idle."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from coral_batch.work.machine import available_memory, idle
from tests.memory_files import MIB, machine


def version_2(group: str, limit: str, used: int, inactive: int) -> dict[str, str]:
    return {
        f"{group}memory.max": limit,
        f"{group}memory.current": str(used),
        f"{group}memory.stat": f"anon 5\ninactive_file {inactive}\nactive_file 7",
    }


def version_1(group: str, limit: int, used: int, inactive: int) -> dict[str, str]:
    return {
        f"memory/{group}memory.limit_in_bytes": str(limit),
        f"memory/{group}memory.usage_in_bytes": str(used),
        f"memory/{group}memory.stat": f"inactive_file 3\ntotal_inactive_file {inactive}",
    }


def test_without_a_limit_it_is_the_machines(tmp_path: Path) -> None:
    files = version_2("a/", "max", 50 * MIB, 0)
    assert available_memory(machine(tmp_path, "0::/a\n", **files)) == 1024 * MIB


@pytest.mark.parametrize("groups", ["0::/\n", "0::/docker/outside\n"])
def test_a_container_has_what_its_group_leaves(tmp_path: Path, groups: str) -> None:
    files = version_2("", str(600 * MIB), 200 * MIB, 30 * MIB)
    assert available_memory(machine(tmp_path, groups, **files)) == 430 * MIB


def test_groups_of_the_first_version_count(tmp_path: Path) -> None:
    files = {
        **version_1("", 2**63 - 4096, 900 * MIB, 0),
        **version_1("a/", 400 * MIB, 150 * MIB, 20 * MIB),
    }
    groups = "4:cpu:/a\n2:memory:/a\n0::/\n"
    assert available_memory(machine(tmp_path, groups, **files)) == 270 * MIB


def test_a_kernel_without_control_groups_limits_nothing(tmp_path: Path) -> None:
    root = machine(tmp_path, "")
    (root / "proc/self/cgroup").unlink()
    assert available_memory(root) == 1024 * MIB


@pytest.mark.parametrize(("running", "expected"), [("1/312", True), ("2/312", False)])
def test_a_machine_is_idle_when_this_thread_alone_runs(
    tmp_path: Path, running: str, expected: bool
) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/loadavg").write_text(f"0.00 0.41 1.28 {running} 9731\n")
    assert idle(tmp_path) is expected


def test_a_machine_is_not_idle_beside_a_process_that_runs() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", "print(flush=True)\nwhile True: pass"], stdout=-1
    ) as busy:
        assert busy.stdout is not None
        try:
            busy.stdout.readline()
            assert not idle()
        finally:
            busy.kill()
