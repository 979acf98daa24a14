"""The pieces of a training step that dominate its time, as autograd functions.

Each computes what transformers and PEFT compute, up to the rounding of the compute type, with
fewer passes over memory: no fp32 copies of whole activations, no gradient for frozen weights, no
softmax over positions that carry no loss. Only these functions are fast; nothing here knows models.

All activations are (tokens, features) or (heads, tokens, features) tensors in the compute type
(bf16 or fp32); adapter parameters and their gradients are fp32.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.nn import functional

# Rows handled at a time: what they need stays in the second-level cache.
ROWS = 256
LOGIT_ROWS = 64


class LowRankLinear(torch.autograd.Function):
    """A frozen linear layer with a LoRA or DoRA update.

    LoRA (Hu et al. 2021, section 4.1): ``x W^T + scaling * x A^T B^T + bias``. DoRA (Liu et al.
    2024, equation 5) scales the rows of the sum by ``factor = magnitude / ||W + scaling * B A||``,
    whose denominator carries no gradient (section 4.3).
    """

    @staticmethod
    def forward(
        ctx: Any,
        x: torch.Tensor,
        weight: torch.Tensor,
        bias: torch.Tensor | None,
        lora_a: torch.Tensor,
        lora_b: torch.Tensor,
        scaling: float,
        keep: torch.Tensor | None,
        factor: torch.Tensor | None,
    ) -> torch.Tensor:
        """Apply the layer.

        Args:
            ctx: autograd's.
            x: (tokens, in).
            weight: (out, in), frozen.
            bias: (out,), frozen, or None.
            lora_a: (r, in) fp32.
            lora_b: (out, r) fp32.
            scaling: factor of the low-rank term; with dropout, divided by the kept share.
            keep: (tokens, in) bool, which inputs the low-rank term sees; None for all.
            factor: (out,) fp32 for DoRA, None for LoRA.
        """
        a = lora_a.to(x.dtype)
        b = (lora_b * scaling).to(x.dtype)
        seen = x if keep is None else x * keep
        low = seen @ a.t()
        y = functional.linear(x, weight, bias if factor is None else None)
        y.addmm_(low, b.t())
        unscaled = None
        if factor is not None:
            unscaled = y
            y = _rescale(y, factor)
            if bias is not None:
                y += bias
        ctx.save_for_backward(seen, low, a, b, weight, keep, factor, unscaled)
        ctx.scaling = scaling
        return y

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        """Return the gradients of x, lora_a, lora_b and factor; the rest is frozen."""
        (grad,) = grads
        seen, low, a, b, weight, keep, factor, unscaled = ctx.saved_tensors
        grad_factor = None
        if factor is not None:
            grad_factor = (grad * unscaled).sum(0, dtype=torch.float32)
            grad = _rescale(grad, factor)
        low_grad = grad @ b
        grad_b = (low.t() @ grad).t().float() * ctx.scaling
        grad_a = (low_grad.t() @ seen).float()
        grad_x = None
        if ctx.needs_input_grad[0]:
            grad_x = grad @ weight
            if keep is None:
                grad_x.addmm_(low_grad, a)
            else:
                grad_x += (low_grad @ a) * keep
        return grad_x, None, None, grad_a, grad_b, None, None, grad_factor


def _rescale(x: torch.Tensor, factor: torch.Tensor) -> torch.Tensor:
    """``x * factor`` for factors near 1, which bf16 alone could not tell from 1."""
    return torch.addcmul(x, x, (factor - 1).to(x.dtype))


class RMSNorm(torch.autograd.Function):
    """``weight * x / sqrt(mean(x^2) + epsilon)`` (Zhang and Sennrich 2019) with a frozen weight."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, weight: torch.Tensor, epsilon: float) -> torch.Tensor:
        """Normalise the rows of x, (tokens, features), in fp32."""
        y = torch.empty_like(x)
        inverse = torch.empty(x.shape[0], 1, device=x.device)
        scale = weight.float()
        for rows, out, inv in zip(x.split(ROWS), y.split(ROWS), inverse.split(ROWS), strict=True):
            wide = _wide(rows)
            norm = torch.linalg.vector_norm(wide, dim=1, keepdim=True)
            torch.rsqrt(norm.square_().div_(x.shape[1]).add_(epsilon), out=inv)
            out.copy_(wide.mul_(inv).mul_(scale))
        ctx.save_for_backward(x, weight, inverse)
        return y

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        """Return the gradient of x."""
        x, weight, inverse = ctx.saved_tensors
        result = torch.empty_like(x)
        scale = weight.float()
        parts = (tensor.split(ROWS) for tensor in (grads[0], x, inverse, result))
        for grad, rows, inv, out in zip(*parts, strict=True):
            normed = _wide(rows).mul_(inv)
            wide = _wide(grad).mul_(scale)
            mean = (wide * normed).mean(1, keepdim=True)
            out.copy_(wide.addcmul_(normed, mean, value=-1).mul_(inv))
        return result, None, None


def _wide(x: torch.Tensor) -> torch.Tensor:
    """An fp32 copy, also of what is fp32 already, to work on in place."""
    return x.to(torch.float32, copy=True)


class SwiGLU(torch.autograd.Function):
    """``silu(gate) * up`` (Shazeer 2020, equation 5)."""

    @staticmethod
    def forward(ctx: Any, gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
        """Combine (tokens, features) gate and up."""
        y = torch.empty_like(gate)
        for g, u, out in zip(gate.split(ROWS), up.split(ROWS), y.split(ROWS), strict=True):
            torch.mul(functional.silu(g), u, out=out)
        ctx.save_for_backward(gate, up)
        return y

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the gradients of gate and up."""
        gate, up = ctx.saved_tensors
        grad_gate, grad_up = torch.empty_like(gate), torch.empty_like(up)
        parts = (tensor.split(ROWS) for tensor in (grads[0], gate, up, grad_gate, grad_up))
        for grad, g, u, out_gate, out_up in zip(*parts, strict=True):
            torch.mul(functional.silu(g), grad, out=out_up)
            torch.ops.aten.silu_backward.grad_input(grad * u, g, grad_input=out_gate)
        return grad_gate, grad_up


class CausalAttention(torch.autograd.Function):
    """Causal grouped-query attention over sequences that lie one behind the other.

    Written out in matrix products: the processor's fused attention kernel is several times slower
    backwards at the few hundred tokens of a training example.
    """

    @staticmethod
    def forward(
        ctx: Any,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        lengths: Sequence[int],
        biases: dict[int, torch.Tensor],
        scaling: float,
    ) -> torch.Tensor:
        """Attend within each sequence.

        Args:
            ctx: autograd's.
            query: (heads, tokens, features).
            key: (groups, tokens, features); heads is a multiple of groups.
            value: like key.
            lengths: tokens of each sequence, in order; their sum is tokens.
            biases: length -> (heads / groups * length, length) of zeros, -inf above the diagonal
                of each head; see `causal_bias`.
            scaling: factor of the scores.

        Returns:
            (tokens, heads, features).
        """
        heads, tokens, features = query.shape
        groups = key.shape[0]
        y = query.new_empty(tokens, heads, features)
        saved = []
        start = 0
        for length in lengths:
            here = slice(start, start + length)
            start += length
            q = (query[:, here] * scaling).reshape(groups, -1, features)
            k, v = key[:, here].contiguous(), value[:, here].contiguous()
            scores = torch.baddbmm(biases[length], q, k.transpose(1, 2))
            weights = torch.softmax(scores, -1)
            attended = weights @ v
            y[here] = attended.view(heads, length, features).transpose(0, 1)
            saved += [q, k, v, weights]
        ctx.save_for_backward(*saved)
        ctx.scaling = scaling
        ctx.heads = heads
        return y

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        """Return the gradients of query, key and value."""
        saved = ctx.saved_tensors
        heads = ctx.heads
        groups, _, features = saved[1].shape
        tokens = grads[0].shape[0]
        grad_query = saved[0].new_empty(heads, tokens, features)
        grad_key = saved[0].new_empty(groups, tokens, features)
        grad_value = torch.empty_like(grad_key)
        start = 0
        for q, k, v, weights in zip(*(saved[i::4] for i in range(4)), strict=True):
            length = k.shape[1]
            here = slice(start, start + length)
            start += length
            grad = grads[0][here].transpose(0, 1).reshape(groups, -1, features)
            grad_value[:, here] = weights.transpose(1, 2) @ grad
            grad_weights = grad @ v.transpose(1, 2)
            grad_scores = torch._softmax_backward_data(grad_weights, weights, -1, weights.dtype)
            grad_q = (grad_scores @ k).view(heads, length, features)
            torch.mul(grad_q, ctx.scaling, out=grad_query[:, here])
            grad_key[:, here] = grad_scores.transpose(1, 2) @ q
        return grad_query, grad_key, grad_value, None, None, None


def causal_bias(length: int, repeats: int, dtype: torch.dtype) -> torch.Tensor:
    """(repeats * length, length) of zeros, -inf where a query would see a later key."""
    bias = torch.full((length, length), float("-inf"), dtype=dtype).triu_(1)
    return bias.repeat(repeats, 1)


class AnswerLoss(torch.autograd.Function):
    """Mean cross entropy of a frozen output head, without keeping its logits.

    The gradient is computed on the way forward, a few rows at a time: the logits of a batch (half
    a gigabyte in fp32) never exist at once.
    """

    @staticmethod
    def forward(
        ctx: Any, hidden: torch.Tensor, head: torch.Tensor, targets: torch.Tensor
    ) -> torch.Tensor:
        """Return the mean over rows of -log softmax(hidden head^T)[target], an fp32 scalar.

        Args:
            ctx: autograd's.
            hidden: (rows, features).
            head: (vocabulary, features), frozen.
            targets: (rows,) token ids.
        """
        grad = torch.empty_like(hidden)
        total = torch.zeros((), device=hidden.device)
        parts = (tensor.split(LOGIT_ROWS) for tensor in (hidden, targets, grad))
        for rows, ids, out in zip(*parts, strict=True):
            probabilities = torch.softmax(rows @ head.t(), -1, dtype=torch.float32)
            picked = probabilities.gather(1, ids[:, None])
            total -= picked.log().sum()
            probabilities.scatter_(1, ids[:, None], picked - 1)
            torch.mm(probabilities.to(hidden.dtype), head, out=out)
        ctx.save_for_backward(grad.div_(len(targets)))
        return total / len(targets)

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        """Return the gradient of hidden."""
        (grad,) = ctx.saved_tensors
        return grad * grads[0].to(grad.dtype), None, None
