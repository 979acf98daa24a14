"""Linear layers laid out for decoding, with several LoRA/DoRA adapters applied row by row.

A decoding step is bound by reading the base weights, so rows of different genomes share one pass
over them and the adapters stay low-rank on top; nothing is merged (merging into bf16 weights
rounds most of a small update away). On a CPU with bf16 the base weight is kept in the blocked
layout that oneDNN's matrix product wants, which saves reordering it at every step.

This module does not train, and it does not read adapter folders: see `adapter_weights`.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

BLOCK = 16
"""Columns an adapter's rank is rounded up to: a row's result must not depend on which block its
adapter lies in, and matrix units add up 16 or 32 products at a time."""


@dataclass(frozen=True)
class LowRank:
    """One adapter's part of one linear layer.

    Attributes:
        a: (r, inputs) matrix.
        b: (outputs, r) matrix.
        scaling: factor of the update, lora_alpha / r.
        magnitude: (outputs,) DoRA magnitudes; None for plain LoRA.
    """

    a: Tensor
    b: Tensor
    scaling: float
    magnitude: Tensor | None


class Routing:
    """Which adapter slot each row of the current forward pass uses; shared by all layers.

    Attributes:
        slots: (rows,) slot of each row; the last slot, number `count`, holds no adapter.
        columns: (rows, count * width) mask that keeps a row's own adapter's columns.
        version: changes whenever `slots` does.
    """

    def __init__(self, count: int, rank: int, dtype: torch.dtype, device: torch.device) -> None:
        self.count = count
        self.width = width = -(-rank // BLOCK) * BLOCK
        self._blocks = torch.zeros(count + 1, count * width, dtype=dtype, device=device)
        for slot in range(count):
            self._blocks[slot, slot * width : (slot + 1) * width] = 1
        self.route(torch.full((1,), count, device=device))

    def route(self, slots: Tensor) -> None:
        """Set the slot of each row; a single slot holds for every row."""
        self.slots = slots
        self.columns = self._blocks[slots]
        self.version = object()


class AdaptedLinear(nn.Module):
    """``y = x W^T + bias`` plus, for every row, the update of the adapter its slot names.

    LoRA (Hu et al. 2021) adds ``s x A^T B^T``. DoRA (Liu et al. 2024, equation 5) scales each
    output of ``x (W + s B A)^T`` by ``magnitude / ||W + s B A||``, the norm taken over a row of
    the weight; the norm does not depend on x and is computed once, when the adapter is put in.
    """

    def __init__(self, linear: nn.Linear, rows: int, routing: Routing) -> None:
        super().__init__()
        weight = linear.weight.detach()
        self.inputs, self.outputs = linear.in_features, linear.out_features
        self.bias = None if linear.bias is None else linear.bias.detach()
        self.dtype, self.device = weight.dtype, weight.device
        self.packed = (
            self.device.type == "cpu"
            and self.dtype == torch.bfloat16
            and torch.ops.mkldnn._is_mkldnn_bf16_supported()
        )
        self.squared_norms = torch.linalg.vector_norm(weight, dim=1, dtype=torch.float32) ** 2
        self.weight = (
            torch.ops.mkldnn._reorder_linear_weight(weight.contiguous(), rows)
            if self.packed
            else weight
        )
        self.routing = routing
        self.used: dict[int, bool] = {}  # slot -> is it DoRA
        self.a: Tensor | None = None
        self.b: Tensor | None = None
        self.scales: Tensor | None = None
        self._row_scales: tuple[object, Tensor] | None = None

    def base(self, x: Tensor) -> Tensor:
        """Apply the base layer alone."""
        if self.packed:
            return torch.ops.mkldnn._linear_pointwise(x, self.weight, self.bias, "none", [], "")
        return nn.functional.linear(x, self.weight, self.bias)

    def put(self, slot: int, part: LowRank) -> None:
        """Put one adapter's matrices into `slot`."""
        if self.a is None or self.b is None or self.scales is None:
            columns = self.routing.count * self.routing.width
            self.a = torch.zeros(columns, self.inputs, dtype=self.dtype, device=self.device)
            self.b = torch.zeros(columns, self.outputs, dtype=self.dtype, device=self.device)
            self.scales = torch.zeros(
                self.routing.count + 1, self.outputs, dtype=self.dtype, device=self.device
            )
        a, b = part.a.to(self.device).float(), part.b.to(self.device).float()
        scale = torch.ones(self.outputs, device=self.device)
        if part.magnitude is not None:
            scale = part.magnitude.to(self.device).float() / self._norms(a, b, part.scaling)
        start = slot * self.routing.width
        self.a[start : start + len(a)] = a.to(self.dtype)
        self.b[start : start + len(a)] = (part.scaling * scale * b.T).to(self.dtype)
        self.scales[slot] = (scale - 1).to(self.dtype)
        self.used[slot] = part.magnitude is not None
        self._row_scales = None

    def clear(self, slot: int) -> None:
        """Empty `slot`."""
        if self.used.pop(slot, None) is None or self.a is None or self.b is None:
            return
        start = slot * self.routing.width
        self.a[start : start + self.routing.width] = 0
        self.b[start : start + self.routing.width] = 0
        if self.scales is not None:
            self.scales[slot] = 0

    def _norms(self, a: Tensor, b: Tensor, scaling: float) -> Tensor:
        # ||w + s b A||^2 = ||w||^2 + 2 s b.(A w) + s^2 b.(A A^T) b, for each row w of the weight.
        cross = self.base(a.to(self.dtype)).float()
        if self.bias is not None:
            cross = cross - self.bias.float()
        squares = self.squared_norms + 2 * scaling * (cross.T * b).sum(1)
        return (squares + scaling**2 * ((b @ (a @ a.T)) * b).sum(1)).sqrt()

    def forward(self, x: Tensor) -> Tensor:
        """Map (rows, tokens, inputs) to (rows, tokens, outputs)."""
        y = self.base(x)
        if not self.used or self.a is None or self.b is None:
            return y
        if any(self.used.values()):
            y = torch.addcmul(y, self._scales_by_row(), y if self.bias is None else y - self.bias)
        low = nn.functional.linear(x, self.a) * self.routing.columns[:, None]
        return torch.addmm(y.view(-1, self.outputs), low.view(-1, low.shape[-1]), self.b).view(
            y.shape
        )

    def _scales_by_row(self) -> Tensor:
        if self._row_scales is None or self._row_scales[0] is not self.routing.version:
            assert self.scales is not None
            self._row_scales = (self.routing.version, self.scales[self.routing.slots][:, None])
        return self._row_scales[1]
