"""The loss of a batch by our kernels: packed, not padded.

Sequences lie one behind the other in one row, and attention stays within each. `plain` computes
the same without any of this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from coral_batch.errors import CoralError
from coral_batch.models.training import kernels
from coral_batch.models.training.acceleration import accelerated, exact_magnitudes
from coral_batch.models.training.dropout import masks
from coral_batch.models.training.encoding import Encoded, filling
from coral_batch.models.training.threads import reserved

# A step's gradient is summed over parts of its batch, which bounds the memory of the activations.
# Shorter parts are slower: the common prefix is read again, and the output head with it. A GPU has
# more memory, and takes most batches whole.
PART_TOKENS = {"cpu": 700, "cuda": 2048}

# By how much the logits of our kernels may differ from the model's own, as a share of their size.
# The default base's differ by 0.02 to 0.03 in bfloat16.
_ROUNDING = {torch.float32: 1e-3, torch.bfloat16: 0.1}


@dataclass(frozen=True)
class Batch:
    """A packed batch: the common prefix of its sequences once, then their rests, then filling.

    Filling is like further tokens of the last sequence that predict nothing: causal attention keeps
    it from what stands before it, and no loss is asked of it.

    Attributes:
        ids: (1, tokens) token ids.
        states: (1, tokens, features) what enters the lowest layer with an adapter, the layers
            below being left out; None where they are to be run.
        positions: (1, tokens) positions within each sequence.
        predicting: (answers,) positions in the row whose next token is an answer token.
        targets: (answers,) those next tokens.
        packing: where the sequences lie.
    """

    ids: torch.Tensor
    states: torch.Tensor | None
    positions: torch.Tensor
    predicting: torch.Tensor
    targets: torch.Tensor
    packing: kernels.Packing


@contextmanager
def losses(model: Any, seed: int) -> Iterator[Callable[[Sequence[Encoded]], torch.Tensor]]:
    """Make a PEFT model ready to train inside the block.

    Args:
        model: the PEFT model, fresh; where sequences come with `Encoded.states`, with its upper
            layers alone.
        seed: the run's seed, of which dropout has a stream.

    Yields:
        What computes the mean cross entropy, in nats, of the answer tokens of a part of a batch.

    Raises:
        CoralError: our kernels do not compute what this model does.
    """
    exact_magnitudes(model)
    _check(model, seed)
    inner = model.base_model.model

    def loss(part: Sequence[Encoded]) -> torch.Tensor:
        hidden, targets = _predicting(inner, part)
        result: torch.Tensor = kernels.AnswerLoss.apply(hidden, inner.lm_head.weight, targets)
        return result

    with reserved(), accelerated(model, masks(seed, inner.device)):
        yield loss


def _predicting(inner: Any, part: Sequence[Encoded]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the last hidden states in front of the answer tokens of a part, and those tokens."""
    repeats = inner.config.num_attention_heads // inner.config.num_key_value_heads
    batch = _on(inner.device, pack(part, repeats, inner.dtype), inner.dtype)
    hidden = inner.base_model(
        input_ids=batch.ids if batch.states is None else None,
        inputs_embeds=batch.states,
        position_ids=batch.positions,
        packing=batch.packing,
        use_cache=False,
    ).last_hidden_state[0, batch.predicting]
    return hidden, batch.targets


@torch.no_grad()
def _check(model: Any, seed: int) -> None:
    """Find out on two short sequences whether our kernels give the logits of the model itself.

    Some scale or cap their logits, attend in another way, or mix tokens by other layers. The
    adapter, which is fresh, changes nothing yet.

    Raises:
        CoralError: they do not, or cannot compute this model.
    """
    inner = model.base_model.model
    tokens = [token % inner.config.get_text_config().vocab_size for token in range(7, 700, 7)]
    part = [Encoded(tuple(tokens[:40]), 24), Encoded((*tokens[:15], *tokens[40:70]), 29)]
    try:
        with accelerated(model, masks(seed, inner.device)):
            found = _predicting(inner, part)[0] @ inner.lm_head.weight.t()
        with model.disable_adapter():
            wanted = torch.cat([_own_logits(model, one) for one in part])
        difference = torch.linalg.vector_norm((found - wanted).float())
        most = _ROUNDING[inner.dtype] * torch.linalg.vector_norm(wanted.float())
        # What a head adds or an adapter changes there is in no product with its own weights.
        same = type(inner.lm_head) is torch.nn.Linear and inner.lm_head.bias is None
        same &= bool(difference <= most)
        found_out = "other logits than the model's own"
    except torch.OutOfMemoryError:  # which says nothing of the model
        raise
    except (AttributeError, TypeError, ValueError, RuntimeError) as error:
        same, found_out = False, f"{type(error).__name__}: {error}"
    if not same:
        raise CoralError(
            "this base model, or an adapter of these modules, cannot be trained with the fast"
            " kernels",
            file="params.yaml",
            field="compute.kernels",
            found=f"{type(inner).__name__}: {found_out}",
            expected="a model whose logits are the product of its last states and its head's"
            " weights, with causal attention",
            action="set compute.kernels to plain",
        )


def _own_logits(model: Any, sequence: Encoded) -> torch.Tensor:
    """Return the logits, (answer, vocabulary), by which the model itself predicts an answer."""
    ids = torch.tensor([sequence.ids], device=model.device)
    logits: torch.Tensor = model(input_ids=ids, use_cache=False).logits
    return logits[0, -sequence.answer - 1 : -1]


def parts_of(sequences: Sequence[Encoded], device: torch.device) -> list[list[Encoded]]:
    """Cut a step's batch into parts of at most `PART_TOKENS`, or of one sequence, in order."""
    most = PART_TOKENS[device.type]
    parts: list[list[Encoded]] = [[]]
    for sequence in sequences:
        if parts[-1] and sum(len(other.ids) for other in [*parts[-1], sequence]) > most:
            parts.append([])
        parts[-1].append(sequence)
    return parts


def pack(sequences: Sequence[Encoded], repeats: int, dtype: torch.dtype) -> Batch:
    """Put sequences behind one another, what all of them begin with only once.

    Under causal attention the common prefix (system prompt, instruction) has the same activations
    in every sequence; its gradients add up.

    Args:
        sequences: at least one.
        repeats: query heads for each key head.
        dtype: compute type.
    """
    prefix = _common_prefix(sequences)
    rests = [np.array(sequence.ids[prefix:]) for sequence in sequences]
    lengths = [len(rest) for rest in rests]
    ids = np.concatenate([sequences[0].ids[:prefix], *rests]).astype(np.int64)
    fill = filling(len(ids))
    ends = prefix + np.cumsum(lengths)
    predicting = np.concatenate(
        [
            np.arange(end - sequence.answer, end) - 1
            for end, sequence in zip(ends, sequences, strict=True)
        ]
    )
    entering = [one.states for one in sequences if one.states is not None]
    states = None
    if entering:
        zeros = entering[0].new_zeros(fill, entering[0].shape[1])
        states = torch.cat([entering[0][:prefix], *(one[prefix:] for one in entering), zeros])[None]
    positions = [np.arange(prefix), *(prefix + np.arange(length) for length in lengths)]
    filled = [*lengths[:-1], lengths[-1] + fill]
    return Batch(
        ids=torch.from_numpy(np.pad(ids, (0, fill)))[None],
        states=states,
        positions=torch.from_numpy(np.pad(np.concatenate(positions), (0, fill)))[None],
        predicting=torch.from_numpy(predicting),
        targets=torch.from_numpy(ids[predicting + 1]),
        packing=kernels.make_packing(prefix, filled, repeats, dtype),
    )


def _on(device: torch.device, batch: Batch, dtype: torch.dtype) -> Batch:
    """Return the batch on `device`; on a GPU with a mask."""
    if device.type == "cpu":
        return batch
    return Batch(
        ids=batch.ids.to(device),
        states=None if batch.states is None else batch.states.to(device),
        positions=batch.positions.to(device),
        predicting=batch.predicting.to(device),
        targets=batch.targets.to(device),
        packing=replace(batch.packing, mask=kernels.mask_of(batch.packing, device, dtype)),
    )


def _common_prefix(sequences: Sequence[Encoded]) -> int:
    """Length of the longest prefix of all prompts that leaves each a last prompt token."""
    if len(sequences) == 1:
        return 0
    limit = min(len(sequence.ids) - sequence.answer for sequence in sequences) - 1
    columns = zip(*(sequence.ids[:limit] for sequence in sequences), strict=True)
    return next((at for at, column in enumerate(columns) if len(set(column)) > 1), limit)
