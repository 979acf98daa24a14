"""Initialise a child's adapter with a mixture of its parents' updates.

An adapted linear layer computes with ``diag(s) (W + B A)``: W are the frozen weights, B A has low
rank, and s scales the rows (1 without DoRA). A mixture of such layers has the same form: with
equal shares c, ``s = sum c s_i`` and ``B A = diag(1/s) sum c diag(s_i) B_i A_i``. Its rank is at
most the sum of the parents'. If the child's rank suffices, a DoRA child starts exactly at the
mixture; a LoRA child too, if no parent is DoRA. Otherwise it starts at the nearest matrix of its
rank (Eckart and Young 1936). A layer that a parent does not adapt counts as unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from peft.tuners.lora import Linear
from safetensors.torch import load_file

from coral_batch.models.training.layers import ADAPTER

_ROW = 3**-0.5
"""Norm of the rows of A in LoRA's initialisation: uniform, with variance 1 / (3 columns)."""
_MORE = 8
"""Oversampling of the randomised singular value decomposition, in columns."""


@dataclass(frozen=True)
class Parent:
    """A parent's adapter.

    Attributes:
        key: its key in the store.
        folder: its PEFT folder, of the same base model.
    """

    key: str
    folder: Path


@dataclass(frozen=True)
class Update:
    """An adapter's update of a layer.

    Attributes:
        b: (out, rank).
        a: (rank, in).
        scale: (out,) factors of the rows; None for 1.
    """

    b: torch.Tensor
    a: torch.Tensor
    scale: torch.Tensor | None


def inherit(model: Any, parents: Sequence[Parent]) -> None:
    """Initialise a fresh PEFT model with the mixture of its parents.

    Args:
        model: with the child's adapter: A is random, B is zero and magnitudes are the norms of the
            frozen rows.
        parents: at least one.
    """
    updates = [_read(parent.folder) for parent in parents]
    for name, layer in model.named_modules():
        if isinstance(layer, Linear):
            weight: Any = layer.get_base_layer().weight
            found = [_update(tensors, config, name, weight) for tensors, config in updates]
            if own := [update for update in found if update]:
                _begin(layer, weight.float(), _mixture(own, 1 / len(parents), weight))


def _read(folder: Path) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    config = json.loads((folder / "adapter_config.json").read_text())
    return load_file(folder / "adapter_model.safetensors"), config


def _update(
    tensors: dict[str, torch.Tensor], config: dict[str, Any], name: str, weight: torch.Tensor
) -> Update | None:
    """Return an adapter's update of a layer; None if it has none."""
    if f"{name}.lora_A.weight" not in tensors:
        return None
    a = tensors[f"{name}.lora_A.weight"].to(weight.device).float()
    b = tensors[f"{name}.lora_B.weight"].to(weight.device).float()
    b = b * (config["lora_alpha"] / config["r"])
    magnitude = tensors.get(f"{name}.lora_magnitude_vector")
    if magnitude is None:
        return Update(b, a, None)
    norms = row_norms(weight.float(), b, a)
    return Update(b, a, torch.where(norms > 0, magnitude.to(norms) / norms, 1.0))


def row_norms(weight: torch.Tensor, b: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
    return torch.linalg.vector_norm(torch.addmm(weight, b, a), dim=1)


def _mixture(updates: Sequence[Update], share: float, weight: torch.Tensor) -> Update:
    a = torch.cat([update.a for update in updates])
    if all(update.scale is None for update in updates):
        return Update(torch.cat([share * update.b for update in updates], 1), a, None)
    ones = weight.new_ones(len(weight), dtype=torch.float32)
    scaled = [share * (ones if update.scale is None else update.scale) for update in updates]
    scale = (1 - share * len(updates)) * ones + sum(scaled)
    parts = [(own / scale)[:, None] * update.b for own, update in zip(scaled, updates, strict=True)]
    b = torch.cat(parts, 1)
    return Update(b, a, scale)


@torch.no_grad()
def _begin(layer: Any, weight: torch.Tensor, update: Update) -> None:
    """Write an update into a layer's adapter."""
    lora_a, lora_b = layer.lora_A[ADAPTER].weight, layer.lora_B[ADAPTER].weight
    rank = len(lora_a)
    dora = ADAPTER in layer.lora_magnitude_vector
    if update.scale is None or dora:
        b, a = _fitted(update.b, update.a, rank)
    else:
        changed = update.scale[:, None] * torch.addmm(weight, update.b, update.a) - weight
        b, singular, a = torch.svd_lowrank(changed, rank + _MORE)
        b, a = b[:, :rank] * singular[:rank] / _ROW, a.t()[:rank] * _ROW
    if dora:
        norms = row_norms(weight, b, a)
        scale = 1.0 if update.scale is None else update.scale
        layer.lora_magnitude_vector[ADAPTER].weight.copy_(scale * norms)
    # Extra ranks of the child keep their random A and zero B, free to learn.
    lora_a[: len(a)] = a
    lora_b[:, : len(a)] = b / layer.scaling[ADAPTER]


def _fitted(b: torch.Tensor, a: torch.Tensor, rank: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the factors of the best approximation of ``b a`` with at most this rank."""
    if len(a) <= rank:
        return b, a
    left, upper = torch.linalg.qr(b)
    right, lower = torch.linalg.qr(a.t())
    u, singular, v = torch.linalg.svd(upper @ lower.t(), full_matrices=False)
    return (left @ u)[:, :rank] * singular[:rank] / _ROW, (v @ right.t())[:rank] * _ROW
