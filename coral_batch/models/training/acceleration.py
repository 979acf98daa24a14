"""Run a transformers model's own layers through our `kernels` while it trains.

The model keeps its structure and its parameters; for the time of a `with` block, its norms, gated
feed-forward layers, attention and PEFT layers compute by our kernels. What is not recognised runs
as transformers has it, so any causal language model with PEFT's linear layers trains. It changes
no result beyond the rounding of the compute type, but for dropout (docs/kernels.md).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from peft.tuners.lora import Linear as PeftLinear
from torch import nn
from torch.nn import functional
from transformers import AttentionInterface
from transformers.activations import SiLUActivation

from coral_batch.errors import CoralError
from coral_batch.models.training import kernels, low_rank
from coral_batch.models.training.dropout import Masks
from coral_batch.models.training.threads import spread

ATTENTION = "coral_packed"
ADAPTER = "default"
# Model types whose rotary embedding pairs feature i with i + features / 2.
HALVES = {"llama", "mistral", "qwen2", "qwen3"}
# Of a gated block, in the order of `low_rank.GatedBlock`.
_LINEARS = ("gate_proj", "up_proj", "down_proj")


@contextmanager
def accelerated(model: Any, masks: Masks) -> Iterator[None]:
    """Compute `model`, a PEFT model, by our kernels inside the block.

    Call the model's body with one row of tokens, their `position_ids` and
    ``packing=kernels.make_packing(...)``.

    Args:
        model: the PEFT model.
        masks: draws the dropout masks, layer by layer in the order of the forward pass.
    """
    implementation = model.config._attn_implementation
    transformer = model.base_model.model
    # transformers calls the rotation by its name in the model's own source file.
    source: Any = sys.modules[type(transformer).__module__]
    rotate = transformer.config.model_type in HALVES
    rotation = source.apply_rotary_pos_emb if rotate else None
    buffers = low_rank.Buffers()
    replaced = []
    inner: set[nn.Module] = set()  # linear layers for which their gated block computes
    for module in model.modules():
        forward = None if module in inner else _forward(module, masks, buffers)
        if forward is not None:
            module.forward = forward
            replaced.append(module)
        if _is_gated(module):
            inner |= {getattr(module, name) for name in _LINEARS}
    transformer.set_attn_implementation(ATTENTION)
    if rotate:
        source.apply_rotary_pos_emb = _rotary
    try:
        yield
    finally:
        if rotate:
            source.apply_rotary_pos_emb = rotation
        transformer.set_attn_implementation(implementation)
        for module in replaced:
            del module.forward


def exact_magnitudes(model: Any) -> None:
    """Set DoRA's magnitudes to the exact row norms of the frozen weights, in fp32.

    PEFT rounds them to the type of the weights, which would start every row up to 0.4 % off.
    """
    for module in model.modules():
        if isinstance(module, PeftLinear) and ADAPTER in module.lora_magnitude_vector:
            norms = torch.linalg.vector_norm(module.weight, dim=1, dtype=torch.float32)
            module.lora_magnitude_vector[ADAPTER].weight.data = norms


def _forward(
    module: nn.Module, masks: Masks, buffers: low_rank.Buffers
) -> Callable[..., Any] | None:
    if isinstance(module, PeftLinear):
        return _linear(module, masks)
    if hasattr(module, "variance_epsilon") and type(module).__name__.endswith("RMSNorm"):
        return _rms_norm(module)
    if _is_gated(module):
        return _gated(module, masks, buffers)
    return None


def _is_gated(module: nn.Module) -> bool:
    return all(hasattr(module, name) for name in (*_LINEARS, "act_fn")) and isinstance(
        module.act_fn, (nn.SiLU, SiLUActivation)
    )


def _linear(module: Any, masks: Masks) -> Callable[[torch.Tensor], torch.Tensor]:
    layer = _layer(module, masks)

    def forward(x: torch.Tensor) -> torch.Tensor:
        rows = x.reshape(-1, x.shape[-1])
        y: torch.Tensor = low_rank.LowRankLinear.apply(rows, *layer(len(rows)))
        return y.view(*x.shape[:-1], -1)

    return forward


def _gated(
    module: Any, masks: Masks, buffers: low_rank.Buffers
) -> Callable[[torch.Tensor], torch.Tensor]:
    layers = [_layer(getattr(module, name), masks) for name in _LINEARS]

    def forward(x: torch.Tensor) -> torch.Tensor:
        rows = x.reshape(-1, x.shape[-1])
        fields = [field for layer in layers for field in layer(len(rows))]
        y: torch.Tensor = low_rank.GatedBlock.apply(rows, buffers, *fields)
        return y.view(x.shape)

    return forward


def _layer(linear: nn.Module, masks: Masks) -> Callable[[int], low_rank.Layer]:
    """Return what makes the layer of a linear module for so many tokens, with fresh dropout."""
    module: Any = linear
    if not isinstance(linear, PeftLinear):
        frozen = low_rank.Layer(module.weight, module.bias)
        return lambda tokens: frozen
    base = module.get_base_layer()
    lora_a, lora_b = module.lora_A[ADAPTER].weight, module.lora_B[ADAPTER].weight
    dropout = getattr(module.lora_dropout[ADAPTER], "p", 0.0)
    scaling = module.scaling[ADAPTER]
    magnitude = None
    if ADAPTER in module.lora_magnitude_vector:
        magnitude = module.lora_magnitude_vector[ADAPTER].weight
        norms = torch.linalg.vector_norm(base.weight, dim=1, dtype=torch.float32).square()

    def layer(tokens: int) -> low_rank.Layer:
        keep = None
        if dropout:
            keep = masks((tokens, base.in_features), dropout)
        factor = None
        if magnitude is not None:
            now = _updated_norm(base.weight, norms, lora_a, lora_b, scaling)
            # A row of zeros has no direction to scale.
            factor = magnitude / torch.where(now > 0, now, 1.0)
        return low_rank.Layer(
            base.weight, base.bias, lora_a, lora_b, scaling / (1 - dropout), keep, factor
        )

    return layer


@torch.no_grad()
def _updated_norm(
    weight: torch.Tensor,
    squares: torch.Tensor,
    lora_a: torch.Tensor,
    lora_b: torch.Tensor,
    scaling: float,
) -> torch.Tensor:
    """Row norms of ``weight + scaling * lora_b lora_a``, without making that matrix.

    ``||w + s b A||^2 = ||w||^2 + 2 s b . (A w) + s^2 b (A A^T) b^T`` for each row w and b.
    """
    b = lora_b * scaling
    with spread():
        projected = (weight @ lora_a.to(weight.dtype).t()).float()
    gram = lora_a @ lora_a.t()
    return (squares + ((2 * projected + b @ gram) * b).sum(1)).sqrt()


def _rms_norm(module: Any) -> Callable[[torch.Tensor], torch.Tensor]:
    def forward(x: torch.Tensor) -> torch.Tensor:
        if x.device.type == "cuda":
            weight = module.weight
            return functional.rms_norm(x, weight.shape, weight, module.variance_epsilon)
        rows = x.reshape(-1, x.shape[-1])
        y = kernels.RMSNorm.apply(rows, module.weight, module.variance_epsilon)
        return y.view(x.shape)

    return forward


def _rotary(
    query: torch.Tensor, key: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Rotate (1, heads, tokens, features) by (1, tokens, features), whose halves are equal."""
    half = cosine.shape[-1] // 2
    cosine, sine = cosine[:, None, :, :half], sine[:, None, :, :half]
    return kernels.Rotary.apply(query, cosine, sine), kernels.Rotary.apply(key, cosine, sine)


def _attention(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: None,
    *,
    scaling: float,
    packing: kernels.Packing,
    **options: Any,
) -> tuple[torch.Tensor, None]:
    """Attention in transformers' calling convention; (1, heads, tokens, features) tensors."""
    window = options.get("sliding_window")
    longest = max(packing.keys(block) for block in packing.blocks)
    others = options.get("softcap") or options.get("s_aux") is not None
    if (window is not None and window < longest) or others:
        raise CoralError(
            "The base model's attention is not supported in training with the fast kernels",
            file="params.yaml",
            field="compute.kernels",
            found=type(module).__name__,
            expected="plain causal attention over whole sequences",
            action="set compute.kernels to plain",
        )
    if packing.mask is not None:
        y = kernels.masked_attention(query[0], key[0], value[0], packing.mask, scaling)
    else:
        y = kernels.CausalAttention.apply(query[0], key[0], value[0], packing, scaling)
    return y[None], None


AttentionInterface.register(ATTENTION, _attention)
