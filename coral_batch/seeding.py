"""All randomness of the project: generators derived from the run's seed.

A stream is named by the seed, a purpose and the ids it belongs to, so that adding a genome, a
problem or a generation never shifts the random numbers of another. Python's `hash()` (salted in
every process) and global generators are never used.
"""

from __future__ import annotations

import hashlib
import json

import numpy as np


def derive_seed(seed: int, purpose: str, *ids: str | int) -> int:
    """Derive the seed of one stream.

    Args:
        seed: the run's seed.
        purpose: what the stream is for, e.g. ``"population"``.
        ids: what it belongs to, e.g. a generation and a genome id.

    Returns:
        An integer in [0, 2**63): the first 63 bits of the SHA-256 of the JSON array
        ``[seed, purpose, *ids]``.
    """
    name = json.dumps([seed, purpose, *ids], separators=(",", ":"), ensure_ascii=True)
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") >> 1


def generator(seed: int, purpose: str, *ids: str | int) -> np.random.Generator:
    """Return the PCG64 generator of one stream; see `derive_seed`."""
    return np.random.Generator(np.random.PCG64(derive_seed(seed, purpose, *ids)))
