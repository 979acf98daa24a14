"""Read a PEFT adapter folder into the matrices of each linear layer.

Supported is what this project trains: LoRA and DoRA on linear layers. Anything else in such a
folder (biases, whole modules, embeddings, other methods, changed base weights) is an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from peft import LoraConfig, PeftConfig
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from coral_batch.errors import CoralError
from coral_batch.models.decoding.linear import AdaptedLinear, LowRank

_PREFIX = "base_model.model."
_PARTS = {
    "lora_A.weight": "a",
    "lora_B.weight": "b",
    "lora_magnitude_vector": "magnitude",
    "lora_magnitude_vector.weight": "magnitude",
}
# Configuration keys that are read here or do not affect decoding.
_READ = {
    *("r", "lora_alpha", "use_rslora", "use_dora", "lora_dropout", "inference_mode"),
    *("target_modules", "exclude_modules", "layers_to_transform", "layers_pattern"),
    *("peft_type", "peft_version", "task_type", "auto_mapping", "base_model_name_or_path"),
    *("revision", "eva_config", "qalora_group_size", "megatron_core"),
}
# Initialisations that leave the base model's weights unchanged; PiSSA, for one, changes them.
_STARTS = (True, False, "gaussian", "eva", "orthogonal")


def read_adapter(
    folder: Path, linears: Mapping[str, AdaptedLinear], rank: int
) -> dict[str, LowRank]:
    """Return the adapter's matrices by the name of the linear layer they belong to.

    Args:
        folder: a PEFT folder: adapter_config.json and adapter_model.safetensors.
        linears: the base model's linear layers by name.
        rank: maximum rank to accept.

    Raises:
        CoralError: a file is missing or damaged, a weight is missing, infinite or NaN, or the
            adapter is not a LoRA or DoRA adapter of at most that rank, on the base model's own
            weights, for layers of these sizes.
    """
    weights = folder / "adapter_model.safetensors"
    try:
        read, tensors = PeftConfig.from_pretrained(str(folder)), load_file(weights)
    except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
        raise CoralError(
            "the adapter cannot be read",
            file=folder,
            found=f"{type(error).__name__}: {error}",
            expected="a PEFT folder with adapter_config.json and adapter_model.safetensors",
        ) from error
    config = _checked(read, rank, folder / "adapter_config.json")
    places: dict[str, tuple[str, str, tuple[int, ...]]] = {}
    for layer, linear in linears.items():
        outputs = linear.out_features
        shapes = {"a": (config.r, linear.in_features), "b": (outputs, config.r)}
        for key, part in _PARTS.items():
            places[f"{_PREFIX}{layer}.{key}"] = layer, part, shapes.get(part, (outputs,))
    parts: dict[str, dict[str, Tensor]] = {}
    for key, tensor in tensors.items():
        if key not in places:
            raise CoralError(
                "the adapter changes something else than the base model's linear layers",
                file=weights,
                field=key,
                expected=f"{_PREFIX}LAYER.PART, PART being one of {', '.join(_PARTS)}",
            )
        layer, part, shape = places[key]
        if tensor.shape != shape:
            raise CoralError(
                "the adapter does not fit the base model",
                file=weights,
                field=key,
                found=[*tensor.shape],
                expected=f"{[*shape]}: an adapter of this base",
            )
        if not torch.isfinite(tensor).all():
            # It would also make other rows of the batch NaN.
            raise CoralError("the adapter has weights that are no numbers", file=weights, field=key)
        parts.setdefault(layer, {})[part] = tensor
    needed = {"a", "b"} | ({"magnitude"} if config.use_dora else set())
    for layer, found in (parts or {"any layer": {}}).items():
        if found.keys() != needed:
            raise CoralError(
                "the adapter's weights do not fit its configuration",
                file=weights,
                field=layer,
                found=sorted(found),
                expected=f"{sorted(needed)}, for {'DoRA' if config.use_dora else 'LoRA'}",
            )
    scaling = config.lora_alpha / (config.r**0.5 if config.use_rslora else config.r)
    return {
        layer: LowRank(part["a"], part["b"], scaling, part.get("magnitude"))
        for layer, part in parts.items()
    }


def _checked(config: PeftConfig, rank: int, file: Path) -> LoraConfig:
    """Return an adapter's configuration if it can be decoded."""
    if not isinstance(config, LoraConfig) or config.r > rank:
        raise CoralError(
            "the adapter is not of a kind that can be decoded",
            file=file,
            field="peft_type, r",
            found=(str(config.peft_type), getattr(config, "r", None)),
            expected=f"LORA of rank {rank} or less",
        )
    if not isinstance(config.lora_alpha, (int, float)):
        raise CoralError(
            "the adapter has no scaling",
            file=file,
            field="lora_alpha",
            found=config.lora_alpha,
            expected="a number",
        )
    plain = LoraConfig().to_dict()
    for field, value in config.to_dict().items():
        known = value in _STARTS if field == "init_lora_weights" else value in (plain[field], {})
        if field not in _READ and not known:
            raise CoralError(
                "the adapter is not of a kind that can be decoded",
                file=file,
                field=field,
                found=value,
                expected="LoRA or DoRA of one rank and one alpha on the base model's own weights",
            )
    return config
