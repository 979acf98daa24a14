"""Devices are chosen, filled and dealt to by rules that hold without any; CUDA gives the same."""

import json
import threading
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
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
    deal,
    decoding_rows,
    devices,
)
from tests.fresh import output_of

CPU = torch.device("cpu")
CUDA = torch.device("cuda", 0)


@pytest.mark.parametrize(
    ("names", "chosen"),
    [([], (CPU,)), (["large", "small", "large"], (CUDA, torch.device("cuda", 2)))],
)
def test_devices_like_the_first_are_chosen_and_without_any_the_processor(
    monkeypatch, names, chosen
):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: len(names))
    monkeypatch.setattr(torch.cuda, "get_device_name", names.__getitem__)
    assert devices() == chosen


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """Stand for a CUDA device: what torch says of 24 GB, for a model that takes 15 in bf16."""
    card = SimpleNamespace(free=24 * 10**9, held=0)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda _: (card.free - card.held, 1 << 40))
    monkeypatch.setattr(torch.cuda, "memory_reserved", lambda _: card.held)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda _: (9, 0))
    _room.cache_clear()
    yield card
    _room.cache_clear()


@pytest.fixture
def rows(base: Path) -> Callable[..., int]:
    """Return what decodes with a number of parameters, and with rows of so many tokens."""
    return partial(decoding_rows, CUDA, AutoConfig.from_pretrained(base))


@pytest.mark.parametrize("tokens", [10, 10_000, 100_000, 1_000_000])
def test_rows_are_the_power_of_two_that_fits_half_of_the_free_memory(card, rows, tokens):
    found = rows(7_600_000_000, tokens)
    config = rows.args[1]
    row = (2 * 2 * 2 * 16 * tokens * 2) + config.vocab_size * 6
    assert found.bit_count() == 1 and FEWEST_ROWS <= found <= MOST_ROWS
    assert found * row <= 8.8e9 / 2
    assert found == MOST_ROWS or 2 * found * row > 8.8e9 / 2


def test_rows_stay_what_they_were_whatever_is_loaded_meanwhile(card, rows):
    before = rows(7_600_000_000, 100_000)
    _room.cache_clear()
    card.held = 18 * 10**9  # the weights of this process, which take no rows from it
    assert rows(7_600_000_000, 100_000) == before
    card.free -= 8 * 10**9  # of another process, or kernels, which torch does not count
    assert rows(7_600_000_000, 100_000) == before
    _room.cache_clear()
    assert rows(7_600_000_000, 100_000) < before
    with pytest.raises(CoralError, match="too little free memory"):
        rows(14_000_000_000, 10_000)
    assert decoding_rows(CPU, rows.args[1], 10**12, 4096) == CPU_ROWS


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
    with pytest.MonkeyPatch.context() as patch:
        for name in LIMITS:
            patch.delenv(name, raising=False)
        dtype, found = json.loads(output_of(REPORTS, CUDA_VISIBLE_DEVICES="", **variables))
    return dtype, found


@pytest.mark.parametrize("isa", ["AVX2", "avx512_core", "AVX512_CORE_VNNI"])
@pytest.mark.slow
def test_what_onednn_may_not_use_is_not_chosen_and_has_another_key(isa):
    free = reported()[1]
    dtype, limited = reported(ONEDNN_MAX_CPU_ISA=isa)
    assert dtype == "torch.float32"
    assert limited["limits"] == {"ONEDNN_MAX_CPU_ISA": isa.upper()}
    assert "limits" not in free
    assert limited | {"limits": None, "dtype": None} == free | {"limits": None, "dtype": None}
