"""Whether an adapter that comes from elsewhere fits the base model, found out before it is used."""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from transformers import AutoConfig, AutoModelForCausalLM

from coral_batch.errors import CoralError


def check_fits(weights: Path, base: Path) -> None:
    """Check that the matrices of an adapter have the sizes of the layers that they belong to.

    What else may be wrong with it, such as layers that the base does not have, decoding says.

    Args:
        weights: the adapter's safetensors file.
        base: folder of the base model, of which the configuration alone is read.

    Raises:
        CoralError: the file cannot be read, or a matrix has another size.
    """
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(
            AutoConfig.from_pretrained(base, local_files_only=True)
        )
    sizes = {}
    for name, module in model.named_modules():
        if isinstance(module, torch.nn.Linear):
            layer = f"base_model.model.{name}"
            sizes[f"{layer}.lora_A.weight"] = (1, module.in_features)
            sizes[f"{layer}.lora_B.weight"] = (0, module.out_features)
    try:
        with safe_open(weights, "pt") as file:
            shapes = {key: file.get_slice(key).get_shape() for key in file.keys()}  # noqa: SIM118
    except (OSError, SafetensorError) as error:
        raise CoralError("the adapter cannot be read", file=weights, found=str(error)) from None
    for key, shape in shapes.items():
        axis, size = sizes.get(key, (0, None))
        if size is not None and (len(shape) != 2 or shape[axis] != size):
            raise CoralError(
                "the adapter does not fit the base model of the lake",
                file=weights,
                field=key,
                found=shape,
                expected=f"size {size} in place {axis}: an adapter of this base",
            )
