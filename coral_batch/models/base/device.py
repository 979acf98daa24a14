"""Choose devices, number type, and how many answers are decoded together.

With CUDA, all devices of the first one's model compute in bf16; otherwise the processor does.
Decoding distributes genomes, with one engine per device (`deal`). Training distributes adapters,
with several processes per device (`coral_batch.models.training.obtain`). All other code uses the
device of its model (``model.device``), as set by `models.base.checkpoint.load_base`.

The whole default run has been tested on one NVIDIA H200 (docs/notebook.md, "on a GPU"); several
devices in one machine are untested. Devices are not chosen by load, and a model is never split.
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
"""Rows of a decoding step on a processor; more rows bring no speed-up."""
MOST_ROWS = 512
FEWEST_ROWS = 8

# Variables that keep torch's math libraries from using some instructions.
ISA = ("ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA")
LIMITS = (*ISA, "ATEN_CPU_CAPABILITY", "MKL_ENABLE_INSTRUCTIONS", "MKL_CBWR")
# oneDNN's names of instruction sets with AVX-512 but no bf16; it reports lower ones itself.
_WITHOUT_BF16 = {"AVX512_CORE", "AVX512_CORE_VNNI"}

Item = TypeVar("Item")
Result = TypeVar("Result")


def devices() -> tuple[torch.device, ...]:
    """Return the CUDA devices of the same model as the first, else the processor.

    Other models are left out: they round differently, so their results would need other keys.
    """
    names = [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
    alike = [torch.device("cuda", at) for at, name in enumerate(names) if name == names[0]]
    return tuple(alike) or (torch.device("cpu"),)


def compute_dtype(device: torch.device) -> torch.dtype:
    """Bf16 where the device multiplies bf16 matrices natively, else fp32.

    Emulated bf16 is several times slower than fp32. Instructions that oneDNN must not use
    (``ONEDNN_MAX_CPU_ISA=AVX2``) would be emulated too.
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
    """Return everything that decides how this process rounds, as JSON values, for keys."""
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
    """Return the number of samples to decode together on `device`, constant in a process.

    On a CUDA device they fill half of the memory that the model leaves free. The number is a power
    of two: it decides rounding, so other users of the device should rarely change it.

    Args:
        device: the device.
        config: the base model's configuration.
        parameters: number of the base model's parameters.
        tokens: maximum tokens of a row, prompt and completion.

    Raises:
        CoralError: the device's memory is too small for `FEWEST_ROWS`.
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
        needed = parameters * size + 2 * FEWEST_ROWS * (cache + logits)
        raise CoralError(
            "the device has too little free memory to decode",
            field=str(device),
            found=f"{free / 1e9:.1f} GB free",
            expected=f"at least {needed / 1e9:.1f} GB",
            action="stop other jobs there, or hide the device (CUDA_VISIBLE_DEVICES=)",
        )
    return min(MOST_ROWS, 1 << (fitting.bit_length() - 1))


@cache
def _room(device: torch.device) -> int:
    """Return the bytes of a CUDA device that this process may use, including those it holds.

    Measured once: rows decide keys and rounding, so models loaded later must not change them.
    Memory that this process holds counts as free: it is the model, or makes room for the next.
    """
    free: int = torch.cuda.mem_get_info(device)[0]
    return free + int(torch.cuda.memory_reserved(device))


def deal(
    on: Sequence[torch.device],
    items: Sequence[Item],
    work: Callable[[torch.device, Sequence[Item]], Iterable[Result]],
) -> Iterator[Result]:
    """Distribute items over devices, and yield results as they arrive.

    Item i goes to device i modulo their number. A single device works in the caller's thread.
    Several work in parallel, each at most one result ahead of the caller.

    Args:
        on: the devices.
        items: the items.
        work: computes one share, lazily; not called for an empty one.

    Raises:
        BaseException: anything a share raises, after the others have stopped at their next result.
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
