"""Frozen linear layers with a LoRA or DoRA update, alone and three to a gated feed-forward block.

As autograd functions, like `coral_batch.models.training.kernels`, and for the same reason. A layer
without an update passes its input's gradient on and has none of its own. The block keeps gate and
up alone of its wide activations, since what else its gradients need is cheap to compute again, and
all that is wide in `Buffers`, since a new page of memory costs more than computing what is written
to it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch.nn import functional

from coral_batch.models.training.kernels import at_a_time
from coral_batch.models.training.threads import spread

# Rows handled at a time: what they need stays in the second-level cache.
ROWS = 64
MASKED_ROWS = 256


class Layer(NamedTuple):
    """A frozen linear layer and its update.

    LoRA (Hu et al. 2021, section 4.1): ``x W^T + scaling * x A^T B^T + bias``. DoRA (Liu et al.
    2024, equation 5) scales the rows of the sum by ``factor = magnitude / ||W + scaling * B A||``,
    whose denominator carries no gradient (section 4.3).

    Attributes:
        weight: (out, in), frozen, in the compute type.
        bias: (out,), frozen, or None.
        lora_a: (r, in) fp32; None for a layer without an update, and then so is all below.
        lora_b: (out, r) fp32.
        scaling: factor of the low-rank term; with dropout, divided by the kept share.
        keep: (tokens, in) uint8, 1 where the low-rank term sees the input and 0 where dropout
            hides it; None for no dropout. (bool would multiply several times slower.)
        factor: (out,) fp32 for DoRA, None for LoRA.
    """

    weight: torch.Tensor
    bias: torch.Tensor | None
    lora_a: torch.Tensor | None = None
    lora_b: torch.Tensor | None = None
    scaling: float = 0.0
    keep: torch.Tensor | None = None
    factor: torch.Tensor | None = None


_FIELDS = len(Layer._fields)
_SCALING = Layer._fields.index("scaling")  # the one field that is no tensor


class Buffers:
    """Memory for (tokens, features) activations that is used again instead of given back.

    Parts of a step differ in length, so what an allocator keeps of one seldom fits the next: it
    grows by hundreds of megabytes, or asks the system for new pages. These have the length of the
    longest part so far.
    """

    def __init__(self) -> None:
        self._rows = 0
        self._free: dict[tuple[int, torch.dtype, torch.device], list[torch.Tensor]] = {}

    def take(self, like: torch.Tensor, features: int) -> torch.Tensor:
        """Return uninitialised (tokens, features) memory, of the type and tokens of `like`."""
        if len(like) > self._rows:
            self._rows = len(like)
            self._free = {}
        free = self._free.get((features, like.dtype, like.device))
        buffer = free.pop() if free else like.new_empty(self._rows, features)
        return buffer[: len(like)]

    def give(self, *taken: torch.Tensor) -> None:
        """Take back what `take` returned."""
        for tensor in taken:
            buffer = tensor._base
            assert buffer is not None
            if len(buffer) == self._rows:
                key = buffer.shape[1], buffer.dtype, buffer.device
                self._free.setdefault(key, []).append(buffer)


class LowRankLinear(torch.autograd.Function):
    """One `Layer`: ``LowRankLinear.apply(x, *layer)`` with x (tokens, in)."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, *fields: Any) -> torch.Tensor:
        """Apply the layer."""
        layer = Layer(*fields)
        y, low = _apply(x, layer)
        # The output is kept by whatever comes next as well; without DoRA it is not needed here.
        _save(ctx, [layer], x, low, y if layer.factor is not None else None)
        return y

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        """Return the gradients of x, lora_a, lora_b and factor; the rest is frozen."""
        (layer,), (x, low, y) = _saved(ctx)
        step = _Step(layer, grads[0], low, y)
        grad_a = None if layer.lora_a is None else step.grad_a(_masked(x, layer.keep))
        grad_x = step.grad_input() if ctx.needs_input_grad[0] else None
        return grad_x, *step.grads(grad_a)


class GatedBlock(torch.autograd.Function):
    """``down(silu(gate(x)) * up(x))`` (Shazeer 2020, equation 6).

    ``GatedBlock.apply(x, buffers, *gate, *up, *down)`` with x (tokens, in) and three `Layer`. Each
    forward pass needs its backward pass, which gives the buffers back.
    """

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, buffers: Buffers, *fields: Any) -> torch.Tensor:
        """Apply the block."""
        layers = [Layer(*fields[at : at + _FIELDS]) for at in range(0, 3 * _FIELDS, _FIELDS)]
        gate, up, inner = (buffers.take(x, len(layers[0].weight)) for _ in range(3))
        _, gate_low = _apply(x, layers[0], out=gate)
        _, up_low = _apply(x, layers[1], out=up)
        parts = (tensor.split(at_a_time(x, ROWS)) for tensor in (gate, up, inner))
        for g, u, out in zip(*parts, strict=True):
            torch.mul(functional.silu(g), u, out=out)
        y, down_low = _apply(inner, layers[2])
        buffers.give(inner)
        kept = y if layers[2].factor is not None else None
        _save(ctx, layers, x, gate_low, up_low, down_low, kept)
        ctx.buffers, ctx.gate, ctx.up = buffers, gate, up
        return y

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        """Return the gradients of x and of each layer's lora_a, lora_b and factor."""
        layers, (x, gate_low, up_low, down_low, y) = _saved(ctx)
        buffers, gate, up = ctx.buffers, ctx.gate, ctx.up
        grad_gate, grad_up = (buffers.take(x, gate.shape[1]) for _ in range(2))
        down = _Step(layers[2], grads[0], down_low, y)
        down.grad_input(out=grad_up)
        grad_a = None if layers[2].lora_a is None else torch.zeros_like(layers[2].lora_a)
        size = at_a_time(gate, ROWS)
        for at in range(0, len(gate), size):
            rows = slice(at, at + size)
            g, u, grad = gate[rows], up[rows], grad_up[rows]  # so far the gradient of the product
            silu = functional.silu(g)
            if grad_a is not None:
                keep = layers[2].keep
                inner = _masked(silu * u, None if keep is None else keep[rows])
                grad_a += down.grad_a(inner, rows)
            torch.ops.aten.silu_backward.grad_input(grad * u, g, grad_input=grad_gate[rows])
            grad.mul_(silu)
        gradients = down.grads(grad_a)
        total = None
        for layer, grad, low, out in (
            (layers[1], grad_up, up_low, up),
            (layers[0], grad_gate, gate_low, gate),
        ):
            step = _Step(layer, grad, low, out)
            grad_a = None if layer.lora_a is None else step.grad_a(_masked(x, layer.keep))
            gradients = (*step.grads(grad_a), *gradients)
            if ctx.needs_input_grad[0]:
                total = step.grad_input(total)
        buffers.give(gate, up, grad_gate, grad_up)
        return total, None, *gradients


class _Step:
    """The gradients of one `Layer`, given that of its output.

    Args:
        layer: the layer.
        grad: (tokens, out) gradient of its output.
        low: (tokens, r) what A made of its input; None without an update.
        y: (tokens, out) its output; needed for DoRA only.
    """

    def __init__(
        self,
        layer: Layer,
        grad: torch.Tensor,
        low: torch.Tensor | None,
        y: torch.Tensor | None,
    ) -> None:
        self._layer = layer
        self._grad_factor = None
        if layer.factor is not None:
            assert y is not None
            # The output before scaling is (y - bias) / factor.
            ones = grad.new_ones(1, len(grad))
            self._grad_factor = (ones @ (grad * y))[0].float()
            if layer.bias is not None:
                self._grad_factor -= (ones @ grad)[0].float() * layer.bias.float()
            # Of a row that the factor makes zero nothing is known, and it stays as it is.
            self._grad_factor /= torch.where(layer.factor == 0, 1.0, layer.factor)
            grad = _rescale(grad, layer.factor, out=torch.empty_like(grad))
        self._grad = grad
        self._low = low
        self._low_grad: torch.Tensor | None = None
        if layer.lora_b is not None:
            self._low_grad = grad @ (layer.lora_b * layer.scaling).to(grad.dtype)

    def grad_a(self, masked: torch.Tensor, rows: slice = slice(None)) -> torch.Tensor:
        """Return what these rows of the input, (rows, in), give lora_a: (r, in) fp32."""
        assert self._low_grad is not None
        return (self._low_grad[rows].t() @ masked).float()

    def grad_input(
        self, total: torch.Tensor | None = None, out: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Return the gradient of the input, (tokens, in).

        Args:
            total: where to add it.
            out: where to write it.
        """
        layer = self._layer
        with spread():
            if total is None:
                total = torch.mm(self._grad, layer.weight, out=out)
            else:
                total.addmm_(self._grad, layer.weight)
        if layer.lora_a is not None and self._low_grad is not None:
            a = layer.lora_a.to(total.dtype)
            if layer.keep is None:
                total.addmm_(self._low_grad, a)
            else:
                size = at_a_time(total, MASKED_ROWS)
                low = self._low_grad.split(size)
                parts = (tensor.split(size) for tensor in (total, layer.keep))
                for some, (result, mask) in zip(low, zip(*parts, strict=True), strict=True):
                    result.addcmul_(some @ a, mask)
        return total

    def grads(self, grad_a: torch.Tensor | None) -> tuple[torch.Tensor | None, ...]:
        """Return the gradients of the layer's fields, in their order."""
        grad_b = None
        if self._low is not None:
            grad_b = (self._low.t() @ self._grad).t().float() * self._layer.scaling
        return None, None, grad_a, grad_b, None, None, self._grad_factor


def _apply(
    x: torch.Tensor, layer: Layer, out: torch.Tensor | None = None
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Return the layer's output, (tokens, out), in `out` if given, and A's product with x."""
    with spread():
        if layer.bias is None or layer.factor is not None:
            y = torch.mm(x, layer.weight.t(), out=out)
        else:
            y = torch.addmm(layer.bias, x, layer.weight.t(), out=out)
    low = None
    if layer.lora_a is not None and layer.lora_b is not None:
        low = _masked(x, layer.keep) @ layer.lora_a.to(x.dtype).t()
        y.addmm_(low, (layer.lora_b * layer.scaling).to(x.dtype).t())
    if layer.factor is not None:
        _rescale(y, layer.factor, out=y)
        if layer.bias is not None:
            y += layer.bias
    return y, low


def _masked(x: torch.Tensor, keep: torch.Tensor | None) -> torch.Tensor:
    return x if keep is None else x * keep


def _rescale(x: torch.Tensor, factor: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """``x * factor`` for factors near 1, which bf16 alone could not tell from 1."""
    return torch.addcmul(x, x, (factor - 1).to(x.dtype), out=out)


def _save(ctx: Any, layers: list[Layer], *activations: torch.Tensor | None) -> None:
    ctx.scalings = [layer.scaling for layer in layers]
    tensors = [(*layer[:_SCALING], *layer[_SCALING + 1 :]) for layer in layers]
    ctx.save_for_backward(*(field for fields in tensors for field in fields), *activations)


def _saved(ctx: Any) -> tuple[list[Layer], list[Any]]:
    tensors = list(ctx.saved_tensors)
    layers = []
    for scaling in ctx.scalings:
        fields, tensors = tensors[: _FIELDS - 1], tensors[_FIELDS - 1 :]
        fields.insert(_SCALING, scaling)
        layers.append(Layer(*fields))
    return layers, tensors
