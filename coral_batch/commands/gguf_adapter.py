"""A LoRA adapter as a GGUF file for llama.cpp (`--lora`).

Container and tensor names come from llama.cpp's package `gguf`. A file has both factors of every
adapted matrix, and alpha. llama.cpp adds alpha / r times their product, as PEFT does. It does not
support DoRA.
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
"""`model_type` in config.json -> architecture, if llama.cpp was tested to give PEFT's logits."""

_OTHERWISE = "export with --merged, which llama.cpp's convert_hf_to_gguf.py reads"

_WEIGHT = re.compile(r"base_model\.model\.(?P<module>.+)\.lora_(?P<factor>[AB])\.weight")


def write_gguf_adapter(adapter: Path, base: Path, name: str, file: Path) -> None:
    """Write an adapter as a GGUF file, in float32.

    Args:
        adapter: PEFT's folder of a LoRA.
        base: the folder of its base model.
        name: the model name in the file.
        file: to write.

    Raises:
        CoralError: the adapter is a DoRA, or the base's architecture is not supported.
    """
    lora = json.loads((adapter / "adapter_config.json").read_text(encoding="utf-8"))
    config = json.loads((base / "config.json").read_text(encoding="utf-8"))
    if lora["use_dora"]:
        raise CoralError(
            "llama.cpp does not support DoRA",
            found="a DoRA adapter",
            expected="a LoRA adapter",
            action=f"choose a LoRA genome, or {_OTHERWISE}",
        )
    if config["model_type"] not in _ARCHITECTURES:
        raise CoralError(
            "GGUF export does not support this architecture",
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
        assert named and tensor  # every linear layer of these architectures has a name
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
    """Return B with the rows of each head in llama.cpp's order, if it is of a query or key.

    Rotary embedding rotates pairs of rows. They are half a head apart in transformers and adjacent
    in llama.cpp.
    """
    heads = config["num_attention_heads"]
    if module.endswith("k_proj"):
        heads = config.get("num_key_value_heads") or heads
    elif not module.endswith("q_proj"):
        return factor
    rows, rank = factor.shape
    halves = factor.reshape(heads, 2, rows // heads // 2, rank)
    return np.ascontiguousarray(halves.swapaxes(1, 2)).reshape(rows, rank)
