"""The pieces of a training step that dominate its time, as autograd functions.

Each computes what transformers computes, up to the rounding of the compute type, with fewer passes
over memory: no fp32 copies of whole activations, no softmax over positions that carry no loss. The
layers with an adapter are in `coral_batch.models.training.low_rank`. Nothing here knows models.

On a processor work is cut into pieces that its caches hold (`at_a_time`). On a GPU a step of this
size takes as long as starting its kernels does, so that there everything is one piece, and all
sequences attend at once, under a mask (`masked_attention`).

All activations are (tokens, features) or (heads, tokens, features) tensors in the compute type
(bf16 or fp32).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from coral_batch.models.training.threads import spread

# Rows handled at a time: what they need stays in the second-level cache.
ROWS = 64
SOFTMAX_ROWS = 4
# Rows whose logits exist together: the more, the less often the output head is read.
HEAD_ROWS = {"cpu": 128, "cuda": 512}
# Queries of a sequence that attend together.
QUERIES = 128


def at_a_time(x: torch.Tensor, rows: int) -> int:
    """Return how many rows of x to handle at a time: so many on a processor, all on a GPU."""
    return rows if x.device.type == "cpu" else max(len(x), 1)


class RMSNorm(torch.autograd.Function):
    """``weight * x / sqrt(mean(x^2) + epsilon)`` (Zhang and Sennrich 2019) with a frozen weight."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, weight: torch.Tensor, epsilon: float) -> torch.Tensor:
        """Normalise the rows of x, (tokens, features), in fp32."""
        y = torch.empty_like(x)
        inverse = torch.empty(x.shape[0], 1, device=x.device)
        scale = weight.float()
        parts = (tensor.split(at_a_time(x, ROWS)) for tensor in (x, y, inverse))
        for rows, out, inv in zip(*parts, strict=True):
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
        parts = (tensor.split(at_a_time(x, ROWS)) for tensor in (grads[0], x, inverse, result))
        for grad, rows, inv, out in zip(*parts, strict=True):
            normed = _wide(rows).mul_(inv)
            wide = _wide(grad).mul_(scale)
            mean = (wide * normed).mean(1, keepdim=True)
            out.copy_(wide.addcmul_(normed, mean, value=-1).mul_(inv))
        return result, None, None


def _wide(x: torch.Tensor) -> torch.Tensor:
    """An fp32 copy, also of what is fp32 already, to work on in place."""
    return x.to(torch.float32, copy=True)


class Rotary(torch.autograd.Function):
    """Rotary position embedding (Su et al. 2021) of halves, as Llama and Qwen lay them out."""

    @staticmethod
    def forward(
        ctx: Any, x: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor
    ) -> torch.Tensor:
        """Rotate x, (..., features), by angles whose cosine and sine are (..., features / 2)."""
        ctx.save_for_backward(cosine, sine)
        return _rotate(x, cosine, sine, direction=1)

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        """Return the gradient of x: rotated back."""
        cosine, sine = ctx.saved_tensors
        return _rotate(grads[0], cosine, sine, direction=-1), None, None


def _rotate(
    x: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor, direction: int
) -> torch.Tensor:
    y = torch.empty_like(x)
    (left, right), (y_left, y_right) = x.chunk(2, -1), y.chunk(2, -1)
    torch.mul(left, cosine, out=y_left).addcmul_(right, sine, value=-direction)
    torch.mul(right, cosine, out=y_right).addcmul_(left, sine, value=direction)
    return y


@dataclass(frozen=True)
class Block:
    """Some queries of a row of tokens and what they see.

    Attributes:
        begin: first query.
        end: behind the last query.
        own: first token of their sequence; they see the shared prefix and, causally, [own, end).
    """

    begin: int
    end: int
    own: int


@dataclass(frozen=True)
class Packing:
    """How the sequences of a batch lie in one row: their common prefix once, then their rests.

    Attributes:
        prefix: tokens of the common prefix, at the start of the row; may be 0.
        blocks: all queries of the row, in order.
        biases: (keys seen, queries) of a block -> (repeats * queries, keys seen) of zeros, -inf
            where a query would see a later key.
        mask: what `mask_of` makes of it; None where blocks attend one by one.
    """

    prefix: int
    blocks: tuple[Block, ...]
    biases: dict[tuple[int, int], torch.Tensor]
    mask: torch.Tensor | None = None

    def keys(self, block: Block) -> int:
        """How many keys the last query of a block sees."""
        return (self.prefix if block.own else 0) + block.end - block.own


def make_packing(prefix: int, lengths: Sequence[int], repeats: int, dtype: torch.dtype) -> Packing:
    """Lay out a row.

    Args:
        prefix: tokens of the common prefix; may be 0.
        lengths: tokens of each sequence behind the prefix, at least 1 each.
        repeats: query heads for each key head.
        dtype: compute type.
    """
    blocks = []
    own = 0
    for length in (prefix, *lengths):
        # Short blocks of queries skip most of the scores that the mask would take away.
        edges = [*range(own, own + length, QUERIES), own + length]
        blocks += [Block(begin, end, own) for begin, end in itertools.pairwise(edges)]
        own += length
    packing = Packing(prefix, tuple(blocks), {})
    for block in blocks:
        keys, queries = packing.keys(block), block.end - block.begin
        bias = torch.full((queries, keys), float("-inf"), dtype=dtype).triu_(keys - queries + 1)
        packing.biases[keys, queries] = bias.repeat(repeats, 1)
    return packing


class CausalAttention(torch.autograd.Function):
    """Causal grouped-query attention within each sequence of a packed row.

    Written out in matrix products: the processor's fused attention kernel is several times slower
    backwards at the few hundred tokens of a training example.
    """

    @staticmethod
    def forward(
        ctx: Any,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        packing: Packing,
        scaling: float,
    ) -> torch.Tensor:
        """Attend.

        Args:
            ctx: autograd's.
            query: (heads, tokens, features).
            key: (groups, tokens, features); heads is a multiple of groups.
            value: like key.
            packing: the row's layout.
            scaling: factor of the scores.

        Returns:
            (tokens, heads, features).
        """
        heads, tokens, features = query.shape
        y = query.new_empty(tokens, heads, features)
        for block in packing.blocks:
            v = _seen(value, packing, block)
            _, _, weights = _weights(query, key, packing, block, scaling)
            y[block.begin : block.end] = (weights @ v).view(heads, -1, features).transpose(0, 1)
        # The weights are made again on the way back: they would be a seventh of all that is kept.
        ctx.save_for_backward(query, key, value)
        ctx.packing, ctx.scaling = packing, scaling
        return y

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        """Return the gradients of query, key and value."""
        query, key, value = ctx.saved_tensors
        packing = ctx.packing
        groups, tokens, features = key.shape
        grad_query = torch.empty_like(query)
        # Many blocks add to the same keys: in fp32, or each sum would be rounded.
        grad_key = torch.zeros(groups, tokens, features, device=key.device)
        grad_value = torch.zeros_like(grad_key)
        for block in packing.blocks:
            here = slice(block.begin, block.end)
            v = _seen(value, packing, block)
            q, k, weights = _weights(query, key, packing, block, ctx.scaling)
            grad = grads[0][here].transpose(0, 1).reshape(groups, -1, features)
            _add_seen(grad_value, packing, block, weights.transpose(1, 2) @ grad)
            grad_weights = grad @ v.transpose(1, 2)
            grad_scores = torch._softmax_backward_data(grad_weights, weights, -1, weights.dtype)
            grad_q = (grad_scores @ k).view(len(query), -1, features)
            torch.mul(grad_q, ctx.scaling, out=grad_query[:, here])
            _add_seen(grad_key, packing, block, grad_scores.transpose(1, 2) @ q)
        return grad_query, grad_key.to(key.dtype), grad_value.to(key.dtype), None, None


def mask_of(packing: Packing, device: torch.device, dtype: torch.dtype) -> torch.Tensor:
    """Return a row's (tokens, tokens) bias: 0 where a query sees a key, else -inf."""
    owns = [block.own for block in packing.blocks for _ in range(block.begin, block.end)]
    own = torch.tensor(owns, device=device)[:, None]
    key = torch.arange(len(owns), device=device)
    seen = (key <= key[:, None]) & ((key >= own) | (key < packing.prefix))
    return torch.zeros(seen.shape, dtype=dtype, device=device).masked_fill_(~seen, float("-inf"))


def masked_attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, bias: torch.Tensor, scaling: float
) -> torch.Tensor:
    """Attend as `CausalAttention` does, all blocks at once, under the bias of `mask_of`.

    Torch's own attention adds up its gradients in any order where it has a mask, so that no two
    trainings would come to the same bytes.
    """
    repeats = len(query) // len(key)
    key, value = (tensor.repeat_interleave(repeats, 0) for tensor in (key, value))
    weights = torch.softmax(torch.baddbmm(bias, query * scaling, key.transpose(1, 2)), -1)
    return (weights @ value).transpose(0, 1)


def _weights(
    query: torch.Tensor, key: torch.Tensor, packing: Packing, block: Block, scaling: float
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return a block's scaled queries, the keys that it sees, and how it weighs them.

    The queries are (groups, repeats * queries, features), the weights (groups, repeats * queries,
    keys seen).
    """
    q = (query[:, block.begin : block.end] * scaling).reshape(len(key), -1, key.shape[2])
    k = _seen(key, packing, block)
    bias = packing.biases[packing.keys(block), block.end - block.begin]
    return q, k, torch.softmax(torch.baddbmm(bias, q, k.transpose(1, 2)), -1)


def _seen(x: torch.Tensor, packing: Packing, block: Block) -> torch.Tensor:
    """The keys or values that a block sees, (groups, keys seen, features)."""
    own = x[:, block.own : block.end]
    if block.own and packing.prefix:
        return torch.cat([x[:, : packing.prefix], own], 1)
    return own.contiguous()


def _add_seen(total: torch.Tensor, packing: Packing, block: Block, part: torch.Tensor) -> None:
    """Add a gradient of what `_seen` returned to where it came from."""
    shared = part.shape[1] - (block.end - block.own)
    total[:, : packing.prefix][:, :shared] += part[:, :shared]
    total[:, block.own : block.end] += part[:, shared:]


class AnswerLoss(torch.autograd.Function):
    """Mean cross entropy of a frozen output head, without a gradient in fp32.

    The gradient is computed on the way forward, and probabilities a few rows at a time: fp32
    logits of a batch (some hundred megabytes) never exist.
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
        most = HEAD_ROWS[hidden.device.type]
        space = head.new_empty(min(most, len(hidden)), len(head))
        size = at_a_time(space, SOFTMAX_ROWS)
        wide = torch.empty(size, len(head), device=head.device)
        parts = (tensor.split(most) for tensor in (hidden, targets, grad))
        for rows, ids, out in zip(*parts, strict=True):
            with spread():
                logits = torch.mm(rows, head.t(), out=space[: len(rows)])
                for some, some_ids in zip(logits.split(size), ids.split(size), strict=True):
                    top, at = some.max(-1, keepdim=True)
                    away = top.float() - some.gather(1, some_ids[:, None]).float()
                    # Converting on the way, as softmax can, takes ten times the time.
                    probabilities = wide[: len(some)].copy_(some)
                    torch.softmax(probabilities, -1, out=probabilities)
                    picked = probabilities.gather(1, some_ids[:, None])
                    # By the likeliest, whose probability is never too small for a number.
                    total += (away - probabilities.gather(1, at).log()).sum()
                    probabilities.scatter_(1, some_ids[:, None], picked - 1)
                    some.copy_(probabilities)
                torch.mm(logits, head, out=out)
        ctx.save_for_backward(grad.div_(len(targets)))
        return total / len(targets)

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        """Return the gradient of hidden."""
        (grad,) = ctx.saved_tensors
        return grad * grads[0].to(grad.dtype), None, None
