"""Linear layers for decoding, with several LoRA/DoRA adapters applied row by row.

A decoding step is bound by reading the base weights, so rows of different genomes share one pass
over them. Adapters stay low-rank on top and are not merged: merging into bf16 weights would round
away most of a small update. On a CPU, matrices are kept in oneDNN's blocked layout. In bf16 that
saves reordering them at every step. In fp32 torch's default product is slower for a step's few rows
(measured on an AMD EPYC, AVX2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import torch
from torch import Tensor, nn

TOGETHER = (("q_proj", "k_proj", "v_proj"), ("gate_proj", "up_proj"))
"""Layers with the same input in Llama's family. If a model gives them different inputs, results are
still right, but some outputs are computed for nothing."""
BLOCK = 16
"""An adapter's rank is padded to a multiple of this. Matrix units add 16 or 32 products at a time,
and a row's result must not depend on its adapter's slot."""


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
    """The adapter slot of each row in the current forward pass; shared by all layers.

    Attributes:
        slots: (rows,) slot of each row; the last slot, number `count`, has no adapter.
        columns: (rows, count * width) mask of the columns of each row's adapter.
    """

    def __init__(self, count: int, rank: int, dtype: torch.dtype, device: torch.device) -> None:
        self.count = count
        self.width = width = -(-rank // BLOCK) * BLOCK
        self._blocks = torch.zeros(count + 1, count * width, dtype=dtype, device=device)
        for slot in range(count):
            self._blocks[slot, slot * width : (slot + 1) * width] = 1
        self.route(torch.full((1,), count, device=device))

    def route(self, slots: Tensor) -> None:
        """Set the slot of each row; a single slot applies to all rows."""
        self.slots = slots
        self.columns = self._blocks[slots]


class AdaptedLinears:
    """``y = x W^T + bias`` plus, for every row, the update of its slot's adapter.

    Layers with the same input are computed as one matrix product.

    LoRA (Hu et al. 2021) adds ``s x A^T B^T``. DoRA (Liu et al. 2024, equation 5) scales each
    output of ``x (W + s B A)^T`` by ``magnitude / ||W + s B A||``, with the norm of each row of the
    weight. The norm does not depend on x and is computed once, when the adapter is loaded.

    Args:
        linears: layers with the same number of inputs.
        block: rows of one matrix product of a decoding step.
        routing: the adapter of each row.
    """

    def __init__(self, linears: Sequence[nn.Linear], block: int, routing: Routing) -> None:
        weights = [linear.weight.detach() for linear in linears]
        weight = weights[0] if len(weights) == 1 else torch.cat(weights)
        ends = list(accumulate(linear.out_features for linear in linears))
        self.parts = [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]
        self.inputs, self.outputs = linears[0].in_features, ends[-1]
        self.dtype, self.device = weight.dtype, weight.device
        self.bias = self._joined_bias(linears)
        self.block, self.routing = block, routing
        self.packed = (
            self.device.type == "cpu"
            and torch.backends.mkldnn.is_available()
            and (
                self.dtype == torch.float32
                or (self.dtype == torch.bfloat16 and torch.ops.mkldnn._is_mkldnn_bf16_supported())
            )
        )
        self.squared_norms = torch.linalg.vector_norm(weight, dim=1, dtype=torch.float32) ** 2
        self.weight = self._laid_out(weight)
        # Slots in which these layers have an adapter, and whether it is a DoRA one.
        self.used: dict[int, bool] = {}
        self.columns = len(linears) * routing.count * routing.width
        self.a: Tensor | None = None
        self.b: Tensor | None = None
        self.scales: Tensor | None = None
        self._low: tuple[Tensor, Tensor] | None = None
        self._by_row: tuple[Tensor, Tensor, Tensor] | None = None
        self._last: tuple[Tensor, Tensor] | None = None

    def put(self, slot: int, layer: int, part: LowRank) -> None:
        """Put an adapter's matrices for layer number `layer` into `slot`."""
        if self.a is None or self.b is None or self.scales is None:
            self.a = self._zeros(self.columns, self.inputs)
            self.b = self._zeros(self.columns, self.outputs)
            self.scales = self._zeros(self.routing.count + 1, self.outputs)
        outputs = self.parts[layer]
        a, b = part.a.to(self.device).float(), part.b.to(self.device).float()
        scale = torch.ones(len(b), device=self.device)
        if part.magnitude is not None:
            norms = self._norms(a, b, part.scaling, outputs)
            scale = part.magnitude.to(self.device).float() / norms
            # A zero row has no direction, so its magnitude is meaningless.
            scale = torch.where(norms > 0, scale, 1.0)
        start = self._columns(slot, layer).start
        self.a[start : start + len(a)] = a.to(self.dtype)
        self.b[start : start + len(a), outputs] = (part.scaling * scale * b.T).to(self.dtype)
        self.scales[slot, outputs] = (scale - 1).to(self.dtype)
        self.used[slot] = self.used.get(slot, False) or part.magnitude is not None
        self._low = self._by_row = None

    def clear(self, slot: int) -> None:
        """Empty `slot`."""
        if self.used.pop(slot, None) is None:
            return
        assert self.a is not None and self.b is not None and self.scales is not None
        for layer in range(len(self.parts)):
            self.a[self._columns(slot, layer)] = 0
            self.b[self._columns(slot, layer)] = 0
        self.scales[slot] = 0
        self._low = self._by_row = None

    def output(self, x: Tensor, layer: int) -> Tensor:
        """Map (rows, tokens, inputs) to (rows, tokens, outputs) of layer number `layer`.

        All layers are computed at the first request and cached until the last.
        """
        if self._last is None or self._last[0] is not x:
            self._last = (x, self._compute(x))
        y = self._last[1]
        if layer == len(self.parts) - 1:
            self._last = None
        return y if len(self.parts) == 1 else y[..., self.parts[layer]]

    def _compute(self, x: Tensor) -> Tensor:
        if len(x) <= self.block:
            return self._product(x, slice(None))
        starts = range(0, len(x), self.block)
        blocks = [slice(start, start + self.block) for start in starts]
        return torch.cat([self._product(x[rows], rows) for rows in blocks])

    def _product(self, x: Tensor, rows: slice) -> Tensor:
        y = self._base(x)
        if not self.used:
            return y
        columns, scales = (of_row[rows] for of_row in self._routed())
        if any(self.used.values()):
            y = torch.addcmul(y, scales, y if self.bias is None else y - self.bias)
        a, b = self._low_rank()
        if self.packed:
            low = torch.ops.mkldnn._linear_pointwise(x, a, None, "none", [], "") * columns
            return torch.ops.mkldnn._linear_pointwise.binary(low, y, b, None, "add")
        low = nn.functional.linear(x, a) * columns
        low = low.view(-1, self.columns)
        return torch.addmm(y.view(-1, self.outputs), low, b.T).view(y.shape)

    def _base(self, x: Tensor) -> Tensor:
        return self._times(x, self.bias)

    def _times(self, x: Tensor, bias: Tensor | None) -> Tensor:
        if self.packed:
            return torch.ops.mkldnn._linear_pointwise(x, self.weight, bias, "none", [], "")
        return nn.functional.linear(x, self.weight, bias)

    def _laid_out(self, weight: Tensor) -> Tensor:
        if not self.packed:
            return weight
        return torch.ops.mkldnn._reorder_linear_weight(weight.contiguous(), self.block)

    def _joined_bias(self, linears: Sequence[nn.Linear]) -> Tensor | None:
        if all(linear.bias is None for linear in linears):
            return None
        return torch.cat(
            [
                torch.zeros_like(linear.weight[:, 0]) if linear.bias is None else linear.bias
                for linear in linears
            ]
        ).detach()

    def _zeros(self, *shape: int) -> Tensor:
        return torch.zeros(*shape, dtype=self.dtype, device=self.device)

    def _columns(self, slot: int, layer: int) -> slice:
        start = (layer * self.routing.count + slot) * self.routing.width
        return slice(start, start + self.routing.width)

    def _norms(self, a: Tensor, b: Tensor, scaling: float, outputs: slice) -> Tensor:
        # ||w + s b A||^2 = ||w||^2 + 2 s b.(A w) + s^2 b.(A A^T) b, for each row w of the weight.
        cross = self._times(a.to(self.dtype), None).float()
        squares = self.squared_norms[outputs] + 2 * scaling * (cross[:, outputs].T * b).sum(1)
        return (squares + scaling**2 * ((b @ (a @ a.T)) * b).sum(1)).sqrt()

    def _low_rank(self) -> tuple[Tensor, Tensor]:
        """Return A, (columns, inputs), and B, (outputs, columns), of all slots."""
        if self._low is None:
            assert self.a is not None and self.b is not None
            self._low = (self._laid_out(self.a), self._laid_out(self.b.T))
        return self._low

    def _routed(self) -> tuple[Tensor, Tensor]:
        """Return which columns of A each row uses, and how its outputs are scaled."""
        if self._by_row is None or self._by_row[0] is not self.routing.slots:
            assert self.scales is not None
            columns = self.routing.columns.repeat(1, len(self.parts))
            scales = self.scales[self.routing.slots]
            self._by_row = (self.routing.slots, columns[:, None], scales[:, None])
        return self._by_row[1:]


class AdaptedLinear(nn.Module):
    """One layer of `AdaptedLinears`, which replaces a model's own."""

    def __init__(self, together: AdaptedLinears, layer: int, own: nn.Linear) -> None:
        super().__init__()
        self.together, self.layer = together, layer
        self.in_features, self.out_features = own.in_features, own.out_features

    def forward(self, x: Tensor) -> Tensor:
        """Map (rows, tokens, inputs) to (rows, tokens, outputs)."""
        return self.together.output(x, self.layer)


def adapt_linears(model: nn.Module, block: int, routing: Routing) -> dict[str, AdaptedLinear]:
    """Replace every linear layer of `model`, and return the new ones by name.

    Args:
        model: its layers in `TOGETHER` are computed together if they are in the same block.
        block: rows of one matrix product of a decoding step.
        routing: the adapter of each row.
    """
    replaced = {}
    # Without the linear layers themselves: each is freed once it is replaced.
    parents = [one for one in model.named_modules() if not isinstance(one[1], nn.Linear)]
    for path, parent in parents:
        own = {
            name: child for name, child in parent.named_children() if isinstance(child, nn.Linear)
        }
        groups: list[tuple[str, ...]] = [names for names in TOGETHER if own.keys() >= set(names)]
        groups += [(name,) for name in own if not any(name in names for names in groups)]
        for names in groups:
            together = AdaptedLinears([own[name] for name in names], block, routing)
            for layer, name in enumerate(names):
                linear = AdaptedLinear(together, layer, own[name])
                setattr(parent, name, linear)
                replaced[f"{path}.{name}" if path else name] = linear
    return replaced
