"""The loss of a batch by PEFT, transformers and autograd as they are, with no code of ours inside.

It is slower than `packed` and takes more memory, and it needs of torch, transformers and PEFT no
more than what everybody uses of them: a way to train on where `packed` does not work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from coral_batch.models.training.encoding import Encoded
from coral_batch.seeding import derive_seed

IGNORED = -100
"""The label of a token that carries no loss, in transformers' losses."""


def parts_of(sequences: Sequence[Encoded], _: torch.device) -> list[list[Encoded]]:
    """Cut a step's batch into its sequences.

    So nothing is padded, and the activations and logits of one sequence exist at a time: autograd
    keeps several times as many of them as our kernels do.
    """
    return [[sequence] for sequence in sequences]


@contextmanager
def losses(model: Any, seed: int) -> Iterator[Callable[[Sequence[Encoded]], torch.Tensor]]:
    """Make a PEFT model ready to train inside the block.

    Args:
        model: the PEFT model, fresh.
        seed: the run's seed, of which dropout has a stream.

    Yields:
        What computes the mean cross entropy, in nats, of the answer tokens of one sequence, given
        as a part of a batch.
    """
    device = model.device

    def loss(part: Sequence[Encoded]) -> torch.Tensor:
        (sequence,) = part
        ids = torch.tensor([sequence.ids], device=device)
        labels = ids.clone()
        labels[:, : -sequence.answer] = IGNORED
        result: torch.Tensor = model(input_ids=ids, labels=labels, use_cache=False).loss
        return result

    # Dropout draws from torch's global generator of the device.
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(derive_seed(seed, "dropout"))
        model.train()
        try:
            yield loss
        finally:
            model.eval()
