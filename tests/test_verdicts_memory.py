"""Programs that run side by side never take more memory than there is."""

from __future__ import annotations

import pytest

from coral_batch.errors import CoralError
from coral_batch.records.problem import Case
from coral_batch.records.settings import Verdicts
from coral_batch.records.verdict import Program
from coral_batch.verdicts.pool import judge, workers_that_fit
from coral_batch.work.machine import available_memory
from coral_batch.work.parallel import slots
from tests.memory_files import MIB

TWICE = Program("x", "twice", "def twice(n):\n    return 2 * n\n", (Case((2,), 4),), None, {})


def settings(memory_mb: int) -> Verdicts:
    return Verdicts(cpu_seconds=1.0, wall_seconds=3.0, memory_mb=memory_mb, require=())


def test_more_workers_than_memory_are_refused() -> None:
    much = available_memory() // MIB // 2
    with pytest.raises(CoralError, match=f"4 x {much} MiB") as refused:
        judge([TWICE], settings(much), workers=4)
    assert "compute.workers" in str(refused.value)
    with pytest.raises(CoralError, match="more memory than is available"):
        judge([TWICE], settings(available_memory() // MIB * 2))


def test_without_a_number_there_are_as_many_as_fit() -> None:
    assert workers_that_fit(None, 16) == slots()
    assert workers_that_fit(None, int(available_memory() // MIB * 0.6)) == 1


def test_the_judge_of_a_cluster_counts_no_workers_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DASK_SCHEDULER_ADDRESS", "tcp://nowhere:1")
    assert workers_that_fit(1000, 1 << 20) == 1000
