"""Where training and decoding compute: the choice of devices, type and batch size, in one place.

With CUDA devices all of those that are alike compute, in bf16; without one the processor does.
Decoding deals genomes to the devices, an engine a device (`deal`); training deals adapters,
several processes a device (`coral_batch.models.training.obtain`). Code that computes names no
device itself: it asks the model it was given (``model.device``), which
`models.base.checkpoint.load_base` put there.

One NVIDIA H200 has made the whole default run (docs/notebook.md, "on a GPU"); several devices
in one machine have not been tried. Tests that need a device say so and wait.
No device is ever chosen for its load, and a model is never split over several.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from functools import cache
from typing import Any, TypeVar, cast

import torch
from transformers import PreTrainedConfig

from coral_batch.errors import CoralError

CPU_ROWS = 64
"""Rows of a decoding step on a processor, where more rows cost as much as they bring."""
MOST_ROWS = 512
FEWEST_ROWS = 8

# With these, in any case, the libraries that torch multiplies with leave instructions unused.
ISA = ("ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA")
LIMITS = (*ISA, "ATEN_CPU_CAPABILITY", "MKL_ENABLE_INSTRUCTIONS", "MKL_CBWR")
# oneDNN's names of what has AVX-512 and no bf16; for those below it says itself that it has none.
_WITHOUT_BF16 = {"AVX512_CORE", "AVX512_CORE_VNNI"}

Item = TypeVar("Item")
Result = TypeVar("Result")


def devices() -> tuple[torch.device, ...]:
    """Return what to compute on: the CUDA devices like the first one, else the processor.

    Another model than the first's rounds differently, so that what it computes would need another
    key in the store: it is left out.
    """
    names = [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
    alike = [torch.device("cuda", at) for at, name in enumerate(names) if name == names[0]]
    return tuple(alike) or (torch.device("cpu"),)


def compute_dtype(device: torch.device) -> torch.dtype:
    """Bf16 where the device multiplies bf16 matrices natively, else fp32.

    Emulated bf16 is several times slower than fp32. What a processor has and oneDNN is told not to
    use (``ONEDNN_MAX_CPU_ISA=AVX2``) would be emulated as well.
    """
    if device.type == "cuda":
        native = torch.cuda.get_device_capability(device) >= (8, 0)
    else:
        capabilities = torch.cpu.get_capabilities()
        native = any(capabilities.get(name) for name in ("amx_bf16", "avx512_bf16", "bf16"))
        asked = {os.environ.get(name, "").upper() for name in ISA}
        hidden = asked & _WITHOUT_BF16 or not torch.ops.mkldnn._is_mkldnn_bf16_supported()
        native = native and not hidden
    return torch.bfloat16 if native else torch.float32


def arithmetic() -> dict[str, Any]:
    """Return what decides how this process rounds, as JSON values; it belongs in every key."""
    device = devices()[0]
    found: dict[str, Any] = {
        "device": device.type,
        "dtype": str(compute_dtype(device)).removeprefix("torch."),
    }
    if device.type == "cuda":
        return found | {"model": torch.cuda.get_device_name(device), "cuda": torch.version.cuda}
    found |= {
        "threads": torch.get_num_threads(),
        "processor": dict(torch.cpu.get_capabilities()),
    }
    limits = {name: os.environ[name].upper() for name in LIMITS if os.environ.get(name)}
    return found | {"limits": limits} if limits else found


def decoding_rows(
    device: torch.device, config: PreTrainedConfig, parameters: int, tokens: int
) -> int:
    """Return how many samples to decode together on `device`: the same in all of a process.

    On a CUDA device half of the memory that the model leaves free holds them. They are a power of
    two, since rows decide rounding: what else the device holds should seldom change them.

    Args:
        device: where.
        config: the base model's.
        parameters: how many the base model has.
        tokens: most that a row holds, prompt and answer.

    Raises:
        CoralError: the device has not the memory for `FEWEST_ROWS`.
    """
    if device.type == "cpu":
        return CPU_ROWS
    free = _room(device)
    size = compute_dtype(device).itemsize
    text = config.get_text_config()
    heads = getattr(text, "num_key_value_heads", None) or text.num_attention_heads
    head = getattr(text, "head_dim", None) or text.hidden_size // text.num_attention_heads
    cache = 2 * text.num_hidden_layers * heads * head * tokens * size
    logits = text.vocab_size * (size + 4)
    fitting = (free - parameters * size) // 2 // (cache + logits)
    if fitting < FEWEST_ROWS:
        raise CoralError(
            "The device has too little free memory to decode",
            field=str(device),
            found=f"{free / 1e9:.1f} GB free",
            expected=f"the base model ({parameters * size / 1e9:.1f} GB), and behind it twice "
            f"{FEWEST_ROWS} rows of {(cache + logits) / 1e9:.2f} GB",
            action="end what else runs there, or hide the device (CUDA_VISIBLE_DEVICES=)",
        )
    return min(MOST_ROWS, 1 << (fitting.bit_length() - 1))


@cache
def _room(device: torch.device) -> int:
    """Return the bytes of a CUDA device that this process may fill, with what it holds there.

    Found out once: rows decide keys and rounding, and what is loaded meanwhile must not change
    them. What this process holds makes room for the next model, or is that model.
    """
    free: int = torch.cuda.mem_get_info(device)[0]
    return free + int(torch.cuda.memory_reserved(device))


def deal(
    on: Sequence[torch.device],
    items: Sequence[Item],
    work: Callable[[torch.device, Sequence[Item]], Iterable[Result]],
) -> Iterator[Result]:
    """Give every device its share of the items, and yield what the shares yield as it comes.

    Item i goes to device i modulo their number. One device works in the caller's thread; several
    work at the same time, each on its next result while the caller has the one before.

    Args:
        on: the devices.
        items: what to deal.
        work: computes one share, lazily; not called for an empty one.

    Raises:
        BaseException: whatever a share raises, once the other shares have stopped at their next
            result.
    """
    shares = [
        iter(work(device, items[at :: len(on)])) for at, device in enumerate(on[: len(items)])
    ]
    if len(shares) < 2:
        for share in shares:
            yield from share
        return
    end = object()
    with ThreadPoolExecutor(len(shares)) as pool:
        running = {pool.submit(next, share, end): share for share in shares}
        while running:
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                share, result = running.pop(future), future.result()
                if result is not end:
                    running[pool.submit(next, share, end)] = share
                    yield cast(Result, result)
