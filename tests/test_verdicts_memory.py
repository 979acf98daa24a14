"""Programs that run side by side never take more memory than there is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from coral_batch.errors import CoralError
from coral_batch.verdicts.pool import judge, workers_that_fit
from coral_batch.work.machine import available_memory
from coral_batch.work.parallel import slots
from tests.programs import SETTINGS, program

MIB = 2**20
TWICE = program("twice", "def twice(n):\n    return 2 * n\n", [((2,), 4)])


def test_more_workers_than_memory_are_refused() -> None:
    much = available_memory() // MIB // 2
    with pytest.raises(CoralError, match=f"4 x {much} MiB") as refused:
        judge([TWICE], replace(SETTINGS, memory_mb=much), workers=4)
    assert "compute.workers" in str(refused.value)
    with pytest.raises(CoralError, match="more memory than is available"):
        judge([TWICE], replace(SETTINGS, memory_mb=4 * much))


def test_without_a_number_there_are_as_many_as_fit() -> None:
    assert workers_that_fit(None, 16) == slots()
    assert workers_that_fit(None, int(available_memory() // MIB * 0.6)) == 1


def test_the_judge_of_a_cluster_counts_no_workers_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DASK_SCHEDULER_ADDRESS", "tcp://nowhere:1")
    assert workers_that_fit(1000, 1 << 20) is None
