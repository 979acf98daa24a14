"""Random generators, all derived from the run's seed.

A generator depends on the run's seed, a purpose and ids. So adding a genome, a problem or a
generation does not change the random numbers of another. Python's `hash()` (salted in every
process) and global generators are never used.
"""

from __future__ import annotations

import hashlib
import json

import numpy as np


def derive_seed(seed: int, purpose: str, *ids: str | int) -> int:
    """Derive a seed for one purpose.

    Args:
        seed: the run's seed.
        purpose: what the numbers are for, e.g. ``"population"``.
        ids: what they are drawn for, e.g. a generation and a genome id.

    Returns:
        An integer in [0, 2**63): the first 63 bits of the SHA-256 of the JSON array
        ``[seed, purpose, *ids]``.
    """
    name = json.dumps([seed, purpose, *ids], separators=(",", ":"), ensure_ascii=True)
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") >> 1


def generator(seed: int, purpose: str, *ids: str | int) -> np.random.Generator:
    """Return a PCG64 generator with the seed of `derive_seed`."""
    return np.random.Generator(np.random.PCG64(derive_seed(seed, purpose, *ids)))
