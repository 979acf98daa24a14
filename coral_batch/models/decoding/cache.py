"""KV cache of a fixed number of rows, and attention over the live ones.

Every row's tokens start at position 0 of its own line, without padding on the left, so a row's
result does not depend on the length of the others.
"""

from __future__ import annotations

import math
import mmap
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AttentionInterface, DynamicCache
from transformers.cache_utils import Cache, DynamicLayer
from transformers.integrations.sdpa_attention import sdpa_attention_forward

from coral_batch.errors import CoralError

ATTENTION = "live_rows"
AHEAD = 7
"""Maximum tokens of a line read ahead in one step."""
# The attention kernel processes blocks of 512 keys. Whole blocks of masked keys do not change a
# bit; a partial block regroups fp32 sums, but not bf16 sums of 64 keys or more.
_BLOCKS = {torch.float32: 512}
_BLOCK = 64


def live_rows_attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    **kwargs: Any,
) -> tuple[Tensor, None]:
    """Compute attention for the rows of a step; rows beyond the mask are idle and get zeros.

    A line is one answer's cache. Row i uses line ``i % len(key)``: if tokens are guessed ahead,
    several rows use one line. A kernel call gets one row of each line, so that reading ahead does
    not change a row's kernel. A GPU gets all rows in one call, always padded to the maximum number
    of rows per line.

    Raises:
        CoralError: the model's attention caps its scores or has sinks.
    """
    if kwargs.get("softcap") or kwargs.get("s_aux") is not None:
        raise unfit_attention(module, "attention that neither caps its scores nor has sinks")
    lines = key.shape[0]
    busy = lines if attention_mask is None else attention_mask.shape[0]
    if attention_mask is not None and query.shape[2] == 1 and query.device.type == "cuda":
        return attention_at_once(module, query, key, value, attention_mask, **kwargs), None
    outputs = []
    for start in range(0, busy, lines):
        rows = slice(start, min(start + lines, busy))
        count = rows.stop - start
        mask = None if attention_mask is None else attention_mask[rows]
        outputs.append(
            sdpa_attention_forward(module, query[rows], key[:count], value[:count], mask, **kwargs)[
                0
            ]
        )
    output = outputs[0] if len(outputs) == 1 else torch.cat(outputs)
    idle = query.shape[0] - busy
    return nn.functional.pad(output, (0, 0) * 3 + (0, idle)) if idle else output, None


def unfit_attention(part: nn.Module, expected: str) -> CoralError:
    """Return the error of a base model whose attention cannot be replaced by ours."""
    return CoralError(
        "coral-batch cannot generate with this base model",
        file="params.yaml",
        field="base.model",
        found=type(part).__name__,
        expected=expected,
        action="take another base model",
    )


def attention_at_once(
    module: nn.Module, query: Tensor, key: Tensor, value: Tensor, mask: Tensor, **kwargs: Any
) -> Tensor:
    """Compute attention with all rows of a line as its queries; see `live_rows_attention`."""
    lines, busy, total = key.shape[0], mask.shape[0], query.shape[0]
    room = lines * (1 + AHEAD)
    query = nn.functional.pad(query[:busy, :, 0], (0, 0) * 2 + (0, room - busy))
    # An idle row attends to everything: attending to nothing would give NaN.
    mask = nn.functional.pad(mask[:, 0, 0], (0, 0, 0, room - busy), value=True)
    output, _ = sdpa_attention_forward(
        module,
        query.unflatten(0, (-1, lines)).permute(1, 2, 0, 3),
        key,
        value,
        mask.unflatten(0, (-1, lines)).transpose(0, 1)[:, None],
        **kwargs,
    )
    output = output.transpose(0, 1).flatten(0, 1)[:busy, None]
    return nn.functional.pad(output, (0, 0) * 3 + (0, total - busy))


AttentionInterface.register(ATTENTION, live_rows_attention)


class _Rows(DynamicLayer):
    """One layer's keys and values, each a (rows, heads, capacity, head size) tensor.

    Attributes:
        step: line and position of each row's new token, and how many lines are attended to, up to
            which position.
    """

    step: tuple[Tensor, Tensor, int, int]

    def __init__(self, rows: int, capacity: int, like: Tensor) -> None:
        super().__init__()
        shape = (rows, like.shape[1], _whole_blocks(capacity, like.dtype), like.shape[3])
        self.stored_keys, self.stored_values = _zeros(shape, like), _zeros(shape, like)
        self.dtype, self.device = like.dtype, like.device
        self.is_initialized = True

    def get_seq_length(self) -> int:
        """Return 0: rows differ in length, so callers always pass positions and mask."""
        return 0

    def update(
        self, key_states: Tensor, value_states: Tensor, *_: Any, **__: Any
    ) -> tuple[Tensor, Tensor]:
        """Write the rows' new keys and values and return those of the lines."""
        index, positions, lines, attended = self.step
        busy = len(index)
        self.stored_keys[index, :, positions] = key_states[:busy, :, 0]
        self.stored_values[index, :, positions] = value_states[:busy, :, 0]
        return self.stored_keys[:lines, :, :attended], self.stored_values[:lines, :, :attended]


class RowCache(Cache):
    """A transformers cache of `rows` rows with room for `capacity` tokens each.

    Args:
        rows: number of rows.
        capacity: maximum tokens of a row.
        like: a prefilled prompt, for the shape and type of keys and values.
    """

    def __init__(self, rows: int, capacity: int, like: DynamicCache) -> None:
        self.rows = [_Rows(rows, capacity, keys) for keys, _ in _states(like)]
        super().__init__(layers=list(self.rows))

    def fill(self, row: int, prompt: DynamicCache, length: int) -> None:
        """Copy keys and values of the first `length` tokens of a prefilled prompt into `row`."""
        for layer, (keys, values) in zip(self.rows, _states(prompt), strict=True):
            layer.stored_keys[row, :, :length] = keys[0, :, :length]
            layer.stored_values[row, :, :length] = values[0, :, :length]

    def move(self, source: int, target: int, length: int) -> None:
        """Copy the first `length` tokens of row `source` over row `target`."""
        for layer in self.rows:
            for stored in (layer.stored_keys, layer.stored_values):
                stored[target, :, :length] = stored[source, :, :length]

    def expect(self, positions: Tensor, lines: int, longest: int) -> Tensor:
        """Prepare one decoding step.

        Args:
            positions: (busy,) position of each row's token in its line, ``row % lines``.
            lines: number of lines in use, the first ones.
            longest: the greatest position, passed in to avoid a GPU synchronisation.

        Returns:
            (busy, 1, 1, attended) mask, true where a row may attend: at its own token and before.
        """
        attended = _whole_blocks(longest + 1, self.rows[0].dtype)
        index = torch.arange(len(positions), device=positions.device) % lines
        for layer in self.rows:
            layer.step = index, positions, lines, attended
        places = torch.arange(attended, device=positions.device)
        return (places <= positions[:, None])[:, None, None]


def _zeros(shape: tuple[int, ...], like: Tensor) -> Tensor:
    """Return zeros of a tensor's type and device; a processor only allocates pages once written.

    Most rows hold far fewer tokens than their capacity.
    """
    if like.device.type != "cpu":
        return like.new_zeros(shape)
    size = math.prod(shape) * like.element_size()
    pages = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    return torch.frombuffer(pages, dtype=like.dtype).view(shape)


def _whole_blocks(tokens: int, dtype: torch.dtype) -> int:
    block = _BLOCKS.get(dtype, _BLOCK)
    return -(-tokens // block) * block


def _states(cache: DynamicCache) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield each layer's keys and values, (1, heads, tokens, head size) each."""
    for layer in cache.layers:
        if not isinstance(layer, DynamicLayer) or layer.keys is None or layer.values is None:
            raise CoralError(
                "coral-batch cannot generate with this base model",
                field="base.model",
                found=type(layer).__name__,
                expected="attention with keys and values in every layer",
            )
        yield layer.keys, layer.values
