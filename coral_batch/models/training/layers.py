"""PEFT's LoRA and DoRA layers with fewer passes over memory.

PEFT converts a layer's input and output to the adapter's type, fp32. For DoRA it computes the full
product of the two low-rank matrices at every step, and with dropout multiplies by the frozen
weights twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from peft.tuners.lora import Linear
from torch.nn import functional

ADAPTER = "default"


def adapted_layers(model: Any) -> list[Any]:
    """Return a model's PEFT layers, in order."""
    return [module for module in model.modules() if isinstance(module, Linear)]


def exact_magnitudes(model: Any) -> None:
    """Set the magnitudes of a fresh DoRA adapter to the row norms of the frozen weights in fp32.

    PEFT rounds them to the weights' type, so that rows start up to 0.4 % off.
    """
    for layer in adapted_layers(model):
        if ADAPTER in layer.lora_magnitude_vector:
            norms = torch.linalg.vector_norm(
                layer.get_base_layer().weight, dim=1, dtype=torch.float32
            )
            layer.lora_magnitude_vector[ADAPTER].weight.data = norms


@contextmanager
def lean_layers(model: Any) -> Iterator[None]:
    """Use `_forward` in the adapted layers of a PEFT model inside the block."""
    layers = adapted_layers(model)
    for layer in layers:
        layer.forward = _forward(layer)
    try:
        yield
    finally:
        for layer in layers:
            del layer.forward


def _forward(layer: Any) -> Callable[[torch.Tensor], torch.Tensor]:
    """Return a layer's function on (..., in) activations, in their type.

    LoRA (Hu et al. 2021, section 4.1): ``x W^T + s dropout(x) A^T B^T + bias``. DoRA (Liu et al.
    2024, equation 5) scales the rows of the sum by ``m / ||W + s B A||``, whose denominator carries
    no gradient (section 4.3).
    """
    base, scaling = layer.get_base_layer(), layer.scaling[ADAPTER]
    lora_a, lora_b = layer.lora_A[ADAPTER].weight, layer.lora_B[ADAPTER].weight
    dropout = layer.lora_dropout[ADAPTER]

    def low_rank(x: torch.Tensor) -> torch.Tensor:
        low = functional.linear(dropout(x), lora_a.to(x.dtype))
        return functional.linear(low, (lora_b * scaling).to(x.dtype))

    if ADAPTER not in layer.lora_magnitude_vector:
        return lambda x: functional.linear(x, base.weight, base.bias) + low_rank(x)

    magnitude = layer.lora_magnitude_vector[ADAPTER].weight
    norms = torch.linalg.vector_norm(base.weight, dim=1, dtype=torch.float32)

    def forward(x: torch.Tensor) -> torch.Tensor:
        now = _updated_norm(base.weight, norms, lora_a, lora_b * scaling)
        # A zero row has no direction to scale.
        factor = magnitude / torch.where(now > 0, now, 1.0)
        y = functional.linear(x, base.weight) + low_rank(x)
        # Factors are close to 1; bf16 would round them to 1.
        y = torch.addcmul(y, y, (factor - 1).to(x.dtype))
        return y if base.bias is None else y + base.bias

    return forward


@torch.no_grad()
def _updated_norm(
    weight: torch.Tensor, norms: torch.Tensor, lora_a: torch.Tensor, lora_b: torch.Tensor
) -> torch.Tensor:
    """Return the row norms of ``weight + lora_b lora_a`` without computing that matrix.

    ``||w + b A||^2 = ||w||^2 + 2 b . (A w) + b (A A^T) b^T`` for each row w of norm ||w|| and b.
    """
    projected = (weight @ lora_a.to(weight.dtype).t()).float()
    gram = lora_a @ lora_a.t()
    return (norms.square() + ((2 * projected + lora_b @ gram) * lora_b).sum(1)).sqrt()
