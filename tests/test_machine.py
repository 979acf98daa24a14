"""What this machine is: the memory that this process may take, and whether it is idle."""

from pathlib import Path

import pytest

from coral_batch.work.machine import available_memory, idle

MIB = 2**20


def machine(root: Path, groups: str, **files: str) -> Path:
    """Make a machine of 1 GiB of available memory, with files below `/sys/fs/cgroup`."""
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/meminfo").write_text("MemTotal: 2097152 kB\nMemAvailable: 1048576 kB\n")
    (root / "proc/self/cgroup").write_text(groups)
    for name, text in files.items():
        file = root / "sys/fs/cgroup" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "\n")
    return root


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


CONTAINER = version_2("", str(600 * MIB), 200 * MIB, 30 * MIB)
UNLIMITED = version_1("", 2**63 - 4096, 900 * MIB, 0)
LIMITED = version_1("a/", 400 * MIB, 150 * MIB, 20 * MIB)


@pytest.mark.parametrize(
    ("groups", "files", "available"),
    [
        ("0::/a\n", version_2("a/", "max", 50 * MIB, 0), 1024),  # the machine's
        ("0::/\n", CONTAINER, 430),
        ("0::/docker/outside\n", CONTAINER, 430),
        ("4:cpu:/a\n2:memory:/a\n0::/\n", {**UNLIMITED, **LIMITED}, 270),
    ],
)
def test_groups_of_either_version_leave_what_their_limits_say(
    tmp_path: Path, groups: str, files: dict[str, str], available: int
) -> None:
    assert available_memory(machine(tmp_path, groups, **files)) == available * MIB


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
