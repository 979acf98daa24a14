"""Programs that run side by side never take more memory than there is."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from coral_batch.errors import CoralError
from coral_batch.records.problem import Case
from coral_batch.records.settings import Verdicts
from coral_batch.records.verdict import Program
from coral_batch.verdicts.cases import judge_cases
from coral_batch.verdicts.clock import Limits
from coral_batch.verdicts.jail import Jail
from coral_batch.verdicts.layers import isolation
from coral_batch.verdicts.memory import GROUP, entrance, workers_that_fit
from coral_batch.verdicts.pool import judge
from coral_batch.work.machine import available_memory
from coral_batch.work.parallel import slots
from tests.memory_files import MIB, machine

TWICE = Program("x", "twice", "def twice(n):\n    return 2 * n\n", (Case((2,), 4),), None, {})


def settings(memory_mb: int) -> Verdicts:
    return Verdicts(cpu_seconds=1.0, wall_seconds=3.0, memory_mb=memory_mb, require=())


def test_more_workers_than_memory_are_refused() -> None:
    much = available_memory() // MIB // 2
    with pytest.raises(CoralError, match=f"4 x {much} MiB") as refused:
        judge([TWICE], settings(much), workers=4)
    assert "compute.workers" in str(refused.value)
    assert "more memory than is free" in str(refused.value)


def test_a_program_that_may_take_more_than_there_is_is_refused() -> None:
    with pytest.raises(CoralError, match="more memory than is free"):
        judge([TWICE], settings(available_memory() // MIB * 2))


def test_without_a_number_there_are_as_many_as_fit() -> None:
    assert workers_that_fit(None, 16) == slots()
    assert workers_that_fit(None, int(available_memory() // MIB * 0.6)) == 1


def test_the_judge_of_a_cluster_counts_no_workers_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DASK_SCHEDULER_ADDRESS", "tcp://nowhere:1")
    assert workers_that_fit(1000, 1 << 20) == 1000


def delegated(root: Path, controllers: str = "cpu memory") -> Path:
    """Make a machine where this user may make groups beside its own, with 100 MiB in use there."""
    group = machine(root, "0::/user/app\n") / "sys/fs/cgroup/user" / GROUP
    (group.parent / "app").mkdir(parents=True)
    (group.parent / "cgroup.subtree_control").write_text(controllers)
    group.mkdir()
    (group / "memory.current").write_text(f"{100 * MIB}\n")
    return group


def test_all_jails_start_in_one_group_with_one_limit(tmp_path: Path) -> None:
    group = delegated(tmp_path)
    before = entrance(tmp_path)
    assert int((group / "memory.max").read_text()) == int(0.9 * 1024 * MIB) + 100 * MIB
    found = isolation(())
    with Jail(replace(found, command=(*before, *found.command))) as jail:
        verdicts = judge_cases(jail, TWICE, Limits(1.0, 3.0, 512))
        assert verdicts[0].kind == "PASS"
        entered = int((group / "cgroup.procs").read_text())
        assert os.getpgid(entered) == entered  # the jail, which leads a session of its own
    with pytest.raises(ProcessLookupError):
        os.kill(entered, 0)


@pytest.mark.parametrize("controllers", ["", "cpu"])
def test_where_no_group_limits_memory_jails_start_in_none(tmp_path: Path, controllers: str) -> None:
    group = delegated(tmp_path, controllers)
    assert entrance(tmp_path) == ()
    assert not (group / "memory.max").exists()


def test_a_group_that_cannot_be_entered_is_not_used(tmp_path: Path) -> None:
    (delegated(tmp_path) / "cgroup.procs").mkdir()
    assert entrance(tmp_path) == ()


def test_without_control_groups_jails_start_in_none(tmp_path: Path) -> None:
    machine(tmp_path, "")
    assert entrance(tmp_path) == ()
    (tmp_path / "proc/self/cgroup").unlink()
    assert entrance(tmp_path) == ()
