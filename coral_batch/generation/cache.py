"""The keys and values of a fixed number of rows, and attention over those that are alive.

Every row's tokens start at position 0 of its own line, without padding on the left, so that what a
row computes does not depend on how long its neighbours are.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from transformers import AttentionInterface, DynamicCache
from transformers.cache_utils import Cache, DynamicLayer
from transformers.integrations.sdpa_attention import sdpa_attention_forward

ATTENTION = "live_rows"


def live_rows_attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    **kwargs: Any,
) -> tuple[Tensor, None]:
    """Attend for the first ``len(key)`` rows of `query`; the rest, which are idle, get zeros."""
    live = key.shape[0]
    output, _ = sdpa_attention_forward(module, query[:live], key, value, attention_mask, **kwargs)
    idle = query.shape[0] - live
    return nn.functional.pad(output, (0, 0) * 3 + (0, idle)) if idle else output, None


AttentionInterface.register(ATTENTION, live_rows_attention)


class _Layer(DynamicLayer):
    """One layer's keys and values: (rows, heads, capacity, head size) each, once initialised."""

    def __init__(self, rows: int, capacity: int) -> None:
        super().__init__()
        self.rows, self.capacity = rows, capacity

    def allocate(self, keys: Tensor, values: Tensor) -> None:
        """Reserve the memory, shaped after another cache's keys and values."""
        self.keys = keys.new_zeros(self.rows, keys.shape[1], self.capacity, keys.shape[3])
        self.values = values.new_zeros(self.rows, values.shape[1], self.capacity, values.shape[3])
        self.is_initialized = True

    def step(self, index: Tensor, positions: Tensor, attended: int) -> None:
        """Say where the next token of each live row goes."""
        self.index, self.positions, self.attended = index, positions, attended

    def update(
        self, key_states: Tensor, value_states: Tensor, *_: Any, **__: Any
    ) -> tuple[Tensor, Tensor]:
        """Write the live rows' new token and return all of their tokens."""
        live = len(self.index)
        self.keys[self.index, :, self.positions] = key_states[:live, :, 0]
        self.values[self.index, :, self.positions] = value_states[:live, :, 0]
        return self.keys[:live, :, : self.attended], self.values[:live, :, : self.attended]


class RowCache(Cache):
    """A transformers cache of `rows` rows with room for `capacity` tokens each."""

    def __init__(self, layers: int, rows: int, capacity: int) -> None:
        super().__init__(layers=[_Layer(rows, capacity) for _ in range(layers)])

    def fill(self, row: int, prompt: DynamicCache) -> None:
        """Copy a prefilled prompt's keys and values into `row`."""
        for layer, source in zip(self.layers, prompt.layers, strict=True):
            if not layer.is_initialized:
                layer.allocate(source.keys, source.values)
            length = source.keys.shape[2]
            layer.keys[row, :, :length] = source.keys[0]
            layer.values[row, :, :length] = source.values[0]

    def move(self, source: int, target: int, length: int) -> None:
        """Copy the first `length` tokens of row `source` over row `target`."""
        for layer in self.layers:
            layer.keys[target, :, :length] = layer.keys[source, :, :length]
            layer.values[target, :, :length] = layer.values[source, :, :length]

    def step(self, lengths: Tensor) -> Tensor:
        """Prepare one decoding step.

        Args:
            lengths: (live,) tokens each live row holds so far; its next token goes behind them.

        Returns:
            (live, 1, 1, attended) mask, true where a row may attend.
        """
        attended = int(lengths.max()) + 1
        index = torch.arange(len(lengths), device=lengths.device)
        for layer in self.layers:
            layer.step(index, lengths, attended)
        return (torch.arange(attended, device=lengths.device) <= lengths[:, None])[:, None, None]
