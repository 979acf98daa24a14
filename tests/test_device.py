"""Devices are chosen, filled and dealt to by rules that hold without any; CUDA gives the same."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoConfig

from coral_batch.errors import CoralError
from coral_batch.models.base.device import (
    CPU_ROWS,
    FEWEST_ROWS,
    LIMITS,
    MOST_ROWS,
    _room,
    arithmetic,
    choose,
    compute_dtype,
    deal,
    decoding_rows,
    devices,
    rows_in,
)
from tests.tiny import make_tiny_base

CPU = torch.device("cpu")
CUDA = torch.device("cuda", 0)


def test_the_processor_computes_where_there_is_no_other_device():
    assert choose([]) == ("cpu",)


def test_devices_unlike_the_first_are_left_out():
    assert choose(["large", "small", "large"]) == ("cuda:0", "cuda:2")


@given(st.integers(0, 2**40), st.integers(1, 2**32))
def test_rows_are_a_power_of_two_that_fits_half_of_the_free_memory(free, row):
    rows = rows_in(free, row)
    if rows is None:
        assert free // 2 < FEWEST_ROWS * row
        return
    assert rows.bit_count() == 1 and FEWEST_ROWS <= rows <= MOST_ROWS
    assert rows * row <= free // 2
    assert rows == MOST_ROWS or 2 * rows * row > free // 2


def test_rows_on_a_processor_do_not_depend_on_its_memory(tmp_path):
    config = AutoConfig.from_pretrained(make_tiny_base(tmp_path))
    assert decoding_rows(CPU, config, 10**12, 4096) == CPU_ROWS


class Card:
    """Stand for a CUDA device that has not this memory: the answers of torch's three queries."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, free: int) -> None:
        self.free, self.held = free, 0
        monkeypatch.setattr(torch.cuda, "mem_get_info", lambda _: (self.free - self.held, 1 << 40))
        monkeypatch.setattr(torch.cuda, "memory_reserved", lambda _: self.held)
        monkeypatch.setattr(torch.cuda, "get_device_capability", lambda _: (9, 0))
        _room.cache_clear()


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch) -> Iterator[Card]:
    """24 GB, for a model that takes 15 in bf16."""
    yield Card(monkeypatch, 24 * 10**9)
    _room.cache_clear()


def test_the_weights_that_this_process_holds_take_no_rows_from_it(card, tmp_path):
    config = AutoConfig.from_pretrained(make_tiny_base(tmp_path))
    before = decoding_rows(CUDA, config, 7_600_000_000, 10_000)
    _room.cache_clear()
    card.held = 18 * 10**9
    assert decoding_rows(CUDA, config, 7_600_000_000, 10_000) == before


def test_rows_stay_what_they_were_whatever_is_loaded_meanwhile(card, tmp_path):
    config = AutoConfig.from_pretrained(make_tiny_base(tmp_path))
    before = decoding_rows(CUDA, config, 7_600_000_000, 10_000)
    card.free -= 8 * 10**9  # of another process, or kernels, which torch does not count
    assert decoding_rows(CUDA, config, 7_600_000_000, 10_000) == before
    _room.cache_clear()
    assert decoding_rows(CUDA, config, 7_600_000_000, 10_000) < before


def test_a_device_without_room_for_the_model_is_told(card, tmp_path):
    config = AutoConfig.from_pretrained(make_tiny_base(tmp_path))
    with pytest.raises(CoralError, match="too little free memory"):
        decoding_rows(CUDA, config, 14_000_000_000, 10_000)


@given(st.integers(0, 20), st.integers(1, 4))
def test_every_item_is_dealt_once_and_each_device_gets_every_nth(items, count):
    def work(device, share):
        yield from ((device, item) for item in share)

    on = [torch.device("cuda", index) for index in range(count)]
    results = list(deal(on, range(items), work))
    assert sorted(item for _, item in results) == list(range(items))
    assert all(device.index == item % count for device, item in results)


def test_devices_work_at_the_same_time():
    barrier = threading.Barrier(2, timeout=300)

    def work(device, share):
        for item in share:
            barrier.wait()
            yield item

    assert sorted(deal([CPU, CPU], range(4), work)) == [0, 1, 2, 3]


def test_what_a_share_raises_reaches_the_caller_and_stops_the_others():
    begun = threading.Barrier(2, timeout=300)
    done = []

    def work(device, share):
        begun.wait()
        if share[0] == 0:
            raise ValueError("broken")
        for item in share:
            done.append(item)
            yield item

    with pytest.raises(ValueError, match="broken"):
        list(deal([CPU, CPU], range(200_000), work))
    assert len(done) < 100_000


def test_a_caller_that_leaves_early_stops_every_share():
    before = threading.active_count()
    results = deal([CPU, CPU], range(8), lambda device, share: iter(share))
    next(results)
    results.close()
    assert threading.active_count() == before


REPORTS = """
import json, torch
from coral_batch.models.base.device import arithmetic, compute_dtype
print(json.dumps([str(compute_dtype(torch.device("cpu"))), arithmetic()]))
"""


@cache
def reported(**variables: str) -> tuple[str, dict[str, Any]]:
    """Return type and arithmetic of a process with these variables, on the processor."""
    unset = {name: value for name, value in os.environ.items() if name not in LIMITS}
    unset["CUDA_VISIBLE_DEVICES"] = ""
    done = subprocess.run(
        [sys.executable, "-c", REPORTS],
        env=unset | variables,
        capture_output=True,
        text=True,
        check=True,
    )
    dtype, found = json.loads(done.stdout)
    return dtype, found


@pytest.mark.parametrize("isa", ["AVX2", "avx512_core", "AVX512_CORE_VNNI"])
def test_what_onednn_may_not_use_is_not_chosen_and_has_another_key(isa):
    free = reported()[1]
    dtype, limited = reported(ONEDNN_MAX_CPU_ISA=isa)
    assert dtype == "torch.float32"
    assert limited["limits"] == {"ONEDNN_MAX_CPU_ISA": isa.upper()}
    assert "limits" not in free
    assert limited | {"limits": None, "dtype": None} == free | {"limits": None, "dtype": None}


def test_the_key_names_the_device_and_its_type():
    found = arithmetic()
    assert found["device"] == devices()[0].type
    assert found["dtype"] == str(compute_dtype(devices()[0])).removeprefix("torch.")
