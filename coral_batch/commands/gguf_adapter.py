"""A LoRA adapter as the GGUF file that llama.cpp puts on its model (`--lora`).

The container and the names of tensors are those of the package `gguf`, llama.cpp's own. A file
holds both factors of every adapted matrix and alpha; llama.cpp adds alpha / r times their product,
as PEFT does. It knows no DoRA.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file

from coral_batch.errors import CoralError

_ARCHITECTURES = {"qwen2": gguf.MODEL_ARCH.QWEN2, "llama": gguf.MODEL_ARCH.LLAMA}
"""Of `model_type` in a config.json: those that were seen to give PEFT's logits in llama.cpp."""

_OTHERWISE = "export with --merged, which llama.cpp's convert_hf_to_gguf.py reads"

_WEIGHT = re.compile(r"base_model\.model\.(?P<module>.+)\.lora_(?P<factor>[AB])\.weight")


def write_gguf_adapter(adapter: Path, base: Path, name: str, file: Path) -> None:
    """Write an adapter as a GGUF file, in float32.

    Args:
        adapter: PEFT's folder of a LoRA.
        base: the folder of its base model.
        name: what the file says that it is called.
        file: to write.

    Raises:
        CoralError: llama.cpp has no DoRA, or nothing is known here of such a base.
    """
    lora = json.loads((adapter / "adapter_config.json").read_text(encoding="utf-8"))
    config = json.loads((base / "config.json").read_text(encoding="utf-8"))
    if lora["use_dora"]:
        raise CoralError(
            "llama.cpp has no DoRA",
            found="a DoRA adapter",
            expected="a LoRA adapter",
            action=f"name a genome that is a LoRA, or {_OTHERWISE}",
        )
    if config["model_type"] not in _ARCHITECTURES:
        raise CoralError(
            "adapters of such a model are not written as GGUF",
            file=base / "config.json",
            field="model_type",
            found=config["model_type"],
            expected=f"one of {', '.join(_ARCHITECTURES)}",
            action=_OTHERWISE,
        )
    architecture = _ARCHITECTURES[config["model_type"]]
    names = gguf.get_tensor_name_map(architecture, config["num_hidden_layers"])
    writer = gguf.GGUFWriter(file, gguf.MODEL_ARCH_NAMES[architecture])
    writer.add_type(gguf.GGUFType.ADAPTER)
    writer.add_name(name)
    writer.add_string(gguf.Keys.Adapter.TYPE, "lora")
    writer.add_float32(gguf.Keys.Adapter.LORA_ALPHA, lora["lora_alpha"])
    for key, weight in sorted(load_file(adapter / "adapter_model.safetensors").items()):
        named = _WEIGHT.fullmatch(key)
        tensor = named and names.get_name(named["module"])
        if named is None or tensor is None:
            raise CoralError(
                "no tensor of a GGUF file is known for this one",
                file=adapter / "adapter_model.safetensors",
                found=key,
                expected="lora_A or lora_B of a linear module of the model's layers",
            )
        values = weight.astype(np.float32)
        if named["factor"] == "B" and architecture == gguf.MODEL_ARCH.LLAMA:
            values = _reordered(values, named["module"], config)
        writer.add_tensor(f"{tensor}.weight.lora_{named['factor'].lower()}", values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _reordered(
    factor: NDArray[np.float32], module: str, config: Mapping[str, Any]
) -> NDArray[np.float32]:
    """Return B of a Llama's query or key in llama.cpp's order of a head's rows; others as they are.

    The two numbers that rotary embedding turns together lie half a head apart in transformers and
    side by side in llama.cpp.
    """
    heads = config["num_attention_heads"]
    if module.endswith("k_proj"):
        heads = config.get("num_key_value_heads") or heads
    elif not module.endswith("q_proj"):
        return factor
    rows, rank = factor.shape
    halves = factor.reshape(heads, 2, rows // heads // 2, rank)
    return np.ascontiguousarray(halves.swapaxes(1, 2)).reshape(rows, rank)
