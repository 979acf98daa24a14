"""Sample the next token of each row: repetition penalty, temperature, top-k, top-p.

Order and meaning are those of transformers' processors. The top k are selected before sorting, so a
step never sorts the vocabulary. The rest is sampled by inverse CDF from the row's own uniform
number, so a row's token depends only on its logits, knobs and seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from coral_batch.errors import CoralError
from coral_batch.records.configuration import Knobs

_CHUNK = 128
_MARGIN = 16


def next_tokens(
    logits: Tensor,
    knobs: Sequence[Knobs],
    seen: Sequence[Sequence[int]],
    uniforms: Sequence[float],
) -> tuple[list[int], list[float]]:
    """Sample one token per row.

    Args:
        logits: (rows, vocabulary) logits, any floating dtype.
        knobs: each row's knobs.
        seen: each row's tokens so far, prompt and completion; used only if the repetition penalty
            is not 1.
        uniforms: each row's random number in [0, 1); unused at temperature 0.

    Returns:
        One token id per row, and its log-probability under the model itself: at temperature 1, over
        all tokens, without a penalty.

    Raises:
        CoralError: the logits are not finite.
    """
    logs, ids = kept(logits, knobs, seen)
    weights = np.exp(logs)
    cumulative = np.cumsum(weights, axis=1)
    target = np.asarray(uniforms) * cumulative[:, -1]
    drawn = (cumulative <= target[:, None]).sum(axis=1)
    last = np.count_nonzero(weights, axis=1) - 1
    rows = np.arange(len(weights))
    tokens = ids[rows, np.minimum(drawn, last)]
    return tokens.tolist(), _log_probabilities(logits, tokens)


def _log_probabilities(logits: Tensor, tokens: NDArray[np.int64]) -> list[float]:
    wide = logits.float()
    ids = torch.from_numpy(tokens)[:, None].to(logits.device)
    if wide.device.type == "cuda":
        # On a GPU, `logsumexp` rounds differently for other numbers of rows; softmax does not.
        return wide.log_softmax(1).gather(1, ids)[:, 0].tolist()
    # A single row's sum would be split between threads and round differently.
    totals = wide.repeat(2, 1).logsumexp(1)[:1] if len(wide) == 1 else wide.logsumexp(1)
    return (wide.gather(1, ids)[:, 0] - totals).tolist()


def kept(
    logits: Tensor, knobs: Sequence[Knobs], seen: Sequence[Sequence[int]]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the distribution of each row's token; arguments as in `next_tokens`.

    Returns:
        (rows, width) log-probabilities in descending order, minus the row's greatest, -inf for
        tokens that the knobs exclude; and their tokens. At temperature 0 only the likeliest token
        is kept.
    """
    k = np.array([1 if knob.temperature == 0 else knob.top_k for knob in knobs])
    values, ids = _candidates(penalised(logits, knobs, seen), k)
    temperature = np.array([knob.temperature or 1.0 for knob in knobs])
    top_p = np.array([knob.top_p for knob in knobs])
    scaled = values.astype(np.float64) / temperature[:, None]
    logs: NDArray[np.float64] = scaled - scaled[:, :1]
    kth = values[np.arange(len(k)), np.minimum(k, values.shape[1]) - 1]
    logs[values < kth[:, None]] = -np.inf
    weights = np.exp(logs)
    above = np.cumsum(weights, axis=1) - weights
    # A token stays if those above it have less than top_p of the mass, so the first always stays.
    # With top_p 1, tokens too small to change the sum stay too.
    beyond = above >= top_p[:, None] * weights.sum(axis=1, keepdims=True)
    logs[beyond & (top_p < 1)[:, None]] = -np.inf
    logs[[knob.temperature == 0 for knob in knobs], 1:] = -np.inf
    return logs, ids


def penalised(logits: Tensor, knobs: Sequence[Knobs], seen: Sequence[Sequence[int]]) -> Tensor:
    """Return (rows, vocabulary) logits after the repetition penalty, in fp32 if there is one.

    Keskar et al. 2019, section 4.1, as in transformers: positive logits are divided by the penalty,
    negative ones multiplied.
    """
    rows = [row for row, knob in enumerate(knobs) if knob.repetition_penalty != 1]
    if not rows:
        return logits
    lengths = [len(seen[row]) for row in rows]
    penalties = np.array([knobs[row].repetition_penalty for row in rows], dtype=np.float32)
    penalty = torch.from_numpy(np.repeat(penalties, lengths)).to(logits.device)
    tokens = np.concatenate([np.array(seen[row], dtype=np.int64) for row in rows])
    places = torch.from_numpy(np.stack([np.repeat(rows, lengths), tokens])).to(logits.device)
    found = logits.to(torch.float32, copy=True)
    values = found[places[0], places[1]]
    found[places[0], places[1]] = torch.where(values < 0, values * penalty, values / penalty)
    return found


def _candidates(
    logits: Tensor, k: NDArray[np.int_]
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return each row's k greatest logits, including ties with the k-th.

    Returns:
        (rows, width) logits in descending order, ties by token id, and their ids.
    """
    vocabulary = logits.shape[1]
    width = int(k.max()) + _MARGIN
    while True:
        values, ids = _top(logits, min(width, vocabulary))
        found, tokens = values.cpu().numpy(), ids.cpu().numpy()
        check_finite(found[:, 0])
        kth = found[np.arange(len(k)), np.minimum(k, found.shape[1]) - 1]
        if width >= vocabulary or (found[:, -1] < kth).all():
            order_by_id = np.lexsort((tokens, -found), axis=-1)
            return (
                np.take_along_axis(found, order_by_id, 1),
                np.take_along_axis(tokens, order_by_id, 1),
            )
        width *= 4


def check_finite(outputs: NDArray[np.floating[Any]], prompt: str | None = None) -> None:
    """Check that a model's outputs are finite.

    Raises:
        CoralError: one is not; names the prompt.
    """
    if not np.isfinite(outputs).all():
        raise CoralError(
            "a model's outputs are not finite",
            field=prompt,
            action="its training diverged: lower training.learning_rate",
        )


def _top(logits: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """`torch.topk` along the vocabulary: the top values are in the chunks with the top maxima."""
    rows, vocabulary = logits.shape
    whole = vocabulary // _CHUNK * _CHUNK
    if width * 8 * _CHUNK > vocabulary:
        values, ids = logits.float().topk(width, dim=1)
        return values, ids
    chunks = logits[:, :whole].view(rows, -1, _CHUNK)
    best = chunks.amax(dim=2).topk(width, dim=1).indices
    values = chunks.gather(1, best[:, :, None].expand(-1, -1, _CHUNK)).view(rows, -1)
    values = torch.cat([values, logits[:, whole:]], dim=1).float()
    offsets = torch.arange(_CHUNK, device=logits.device)
    rest = torch.arange(whole, vocabulary, device=logits.device).expand(rows, -1)
    ids = torch.cat([(best[:, :, None] * _CHUNK + offsets).view(rows, -1), rest], dim=1)
    values, order = values.topk(width, dim=1)
    return values, ids.gather(1, order)
