"""The random masks of dropout, drawn where they are used."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import torch

from coral_batch.seeding import derive_seed, generator

Masks = Callable[[tuple[int, int], float], torch.Tensor]
"""Takes a shape and the dropout, in [0, 1). Returns the next mask of the stream, a uint8 tensor: 1
with probability 1 - dropout (to within 2^-16), else 0."""


def masks(seed: int, device: torch.device) -> Masks:
    """Begin the stream of a training's masks.

    A processor takes them from numpy's generator, several times faster than from torch's. A GPU
    draws its own, which are others.

    Args:
        seed: the run's seed.
        device: where the masks are needed.
    """
    if device.type == "cpu":
        return partial(_by_processor, generator(seed, "dropout"))
    own = torch.Generator(device)
    own.manual_seed(derive_seed(seed, "dropout"))
    return partial(_by_device, own)


def _by_processor(
    noise: np.random.Generator, shape: tuple[int, int], dropout: float
) -> torch.Tensor:
    size = shape[0] * shape[1]
    words = noise.bit_generator.random_raw((size + 3) // 4).view(np.uint16)[:size]
    return torch.from_numpy((words >= round(dropout * 65536)).view(np.uint8)).view(shape)


def _by_device(noise: torch.Generator, shape: tuple[int, int], dropout: float) -> torch.Tensor:
    keep = torch.empty(shape, dtype=torch.uint8, device=noise.device)
    return keep.bernoulli_(1 - dropout, generator=noise)
