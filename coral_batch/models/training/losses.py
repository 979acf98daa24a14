"""The loss of an example, by transformers and autograd.

Each example is a batch of its own, so only one example's activations exist at a time. Logits are
computed only for answer tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.nn import functional

from coral_batch.models.training.encoding import Encoded
from coral_batch.models.training.layers import lean_layers
from coral_batch.seeding import derive_seed


@contextmanager
def losses(model: Any, seed: int) -> Iterator[Callable[[Encoded], torch.Tensor]]:
    """Make a PEFT model ready to train inside the block.

    Args:
        model: the fresh PEFT model; with only its upper layers if sequences have `Encoded.states`.
        seed: the run's seed; dropout has its own derived seed.

    Yields:
        A function for the mean cross entropy of a sequence's answer tokens, in nats.
    """
    device = model.device
    inner = model.base_model.model

    def loss(sequence: Encoded) -> torch.Tensor:
        end = len(sequence.ids)
        predicting = torch.arange(end - sequence.answer - 1, end - 1, device=device)
        if sequence.states is None:
            given = {"input_ids": torch.tensor([sequence.padded], device=device)}
        else:
            given = {"inputs_embeds": sequence.states[None].to(device)}
        logits = inner(**given, logits_to_keep=predicting, use_cache=False).logits
        targets = torch.tensor(sequence.ids[-sequence.answer :], device=device)
        return functional.cross_entropy(logits[0].float(), targets)

    # Dropout draws from torch's global generator of the device.
    with (
        torch.random.fork_rng(devices=[device] if device.type == "cuda" else []),
        lean_layers(model),
    ):
        torch.manual_seed(derive_seed(seed, "dropout"))
        model.train()
        try:
            yield loss
        finally:
            model.eval()
