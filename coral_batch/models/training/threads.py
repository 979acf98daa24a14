"""What of a training step uses all of torch's threads: its large products, and the output head.

A step has some ten thousand operations, and threads wait for each other at the end of each. Most
are too small to be worth that, so one thread computes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import torch

_all = ContextVar("all threads", default=1)


@contextmanager
def reserved() -> Iterator[None]:
    """Let one thread compute inside the block, but for what is `spread`."""
    threads = torch.get_num_threads()
    token = _all.set(threads)
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        _all.reset(token)


@contextmanager
def spread() -> Iterator[None]:
    """Let all threads compute inside the block, where they are `reserved`."""
    before = torch.get_num_threads()
    torch.set_num_threads(max(before, _all.get()))
    try:
        yield
    finally:
        torch.set_num_threads(before)
