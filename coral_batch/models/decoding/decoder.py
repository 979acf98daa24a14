"""A base model made ready for decoding: prefill of one prompt, one step of all rows.

It knows rows and adapter slots, nothing of genomes, samples or stopping: see `engine`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers import DynamicCache, PreTrainedModel

from coral_batch.models.base.layers import lower_states, separable, upper_alone
from coral_batch.models.decoding.adapter_weights import read_adapter
from coral_batch.models.decoding.cache import ATTENTION, RowCache
from coral_batch.models.decoding.linear import AdaptedLinear, Routing, adapt_linears


class Decoder:
    """Runs the model on `rows` rows at a time, however many of them are alive.

    The live rows are the first ones. Every step has the same shape, so that what a row computes
    does not depend on its company.

    Attributes:
        rows: rows of a step.
        adapters: number of adapter slots, and the number of the slot that holds none.
        context: tokens the model attends to, prompt and answer together.
        shared: prompts' tokens so far that were read through the layers above alone.
    """

    def __init__(self, model: PreTrainedModel, *, rows: int, adapters: int, rank: int) -> None:
        self.model = model
        self.rows, self.adapters, self.rank = rows, adapters, rank
        self._routing = Routing(adapters, rank, model.dtype, model.device)
        self._linears = adapt_linears(model, rows, self._routing)
        layers: Any = model.base_model.layers if separable(model.config) else []
        self._layers = [
            [part for part in layer.modules() if isinstance(part, AdaptedLinear)]
            for layer in layers
        ]
        model.set_attn_implementation(ATTENTION)
        config = model.config.get_text_config()
        window = getattr(config, "sliding_window", None) or config.max_position_embeddings
        self.context = min(config.max_position_embeddings, window)
        rope = getattr(config, "rope_parameters", None) or {}
        if rope.get("rope_type") == "longrope":
            # Longer rows would have all rows of their step rotated by other factors.
            self.context = min(self.context, rope["original_max_position_embeddings"])
        self._slots: list[int] | None = None
        # By the number of lower layers and the tokens: what they make of them, with any adapter.
        self._lower: dict[tuple[int, tuple[int, ...]], tuple[Tensor, list[Any]]] = {}
        self._split = 0
        self.shared = 0

    def put_adapter(self, slot: int, folder: Path) -> None:
        """Apply the adapter in `folder` to the rows that name `slot`."""
        for name, part in read_adapter(folder, self._linears, self.rank).items():
            linear = self._linears[name]
            linear.together.put(slot, linear.layer, part)

    def clear_adapter(self, slot: int) -> None:
        """Empty `slot`."""
        for linear in self._linears.values():
            linear.together.clear(slot)

    def forget(self) -> None:
        """Give the memory of prompts back."""
        self._lower.clear()
        self._split = 0

    def prefill(
        self, ids: Sequence[int], slot: int, keep: int = 1, *, again: bool = False
    ) -> tuple[DynamicCache, Tensor]:
        """Read one prompt.

        Args:
            ids: the prompt's tokens.
            slot: the adapter's slot; number `adapters` for none.
            keep: behind how many of its last tokens logits are wanted, >= 1.
            again: it will be read again, maybe with another adapter. What the layers below all
                adapters make of it is kept then, of at most as many prompts as there are rows.

        Returns:
            Its keys and values, and the (keep, vocabulary) logits behind its last tokens.
        """
        device = self.model.device
        self._routing.route(torch.tensor([slot], device=device))
        self._slots = None
        cache = DynamicCache(config=self.model.config)
        wanted = {"past_key_values": cache, "use_cache": True, "logits_to_keep": keep}
        below = self._below()
        if not below:
            row = torch.tensor([ids], device=device)
            return cache, self.model(input_ids=row, **wanted).logits[0]
        place = below, tuple(ids)
        lower = self._lower.pop(place, None)
        if lower is None:
            lower_cache = DynamicCache(config=self.model.config)
            lower = lower_states(self.model, ids, below, lower_cache), lower_cache.layers[:below]
        else:
            self.shared += len(ids)
        if again and len(self._lower) < self.rows:
            self._lower[place] = lower
        states, layers = lower
        with upper_alone(self.model, below):
            output = self.model(inputs_embeds=states[None], **wanted)
        cache.layers[:below] = layers
        return cache, output.logits[0]

    def _below(self) -> int:
        """Return how many layers lie below all that an adapter is applied to.

        Where none is, as many as last time, of which prompts may be kept; at first none.
        """
        adapted = [any(part.together.used for part in parts) for parts in self._layers]
        if any(adapted):
            self._split = adapted.index(True)
        return self._split

    def step(
        self,
        cache: RowCache,
        tokens: Sequence[int],
        positions: Sequence[int],
        slots: Sequence[int],
        lines: int,
    ) -> Tensor:
        """Read a token in every busy row, which attends to all before it in the row's line.

        The first rows read the next token of one line each. Rows behind them read ahead: row i
        reads the token behind the one that row ``i - lines`` reads.

        Args:
            cache: the rows' keys and values.
            tokens: each busy row's token; at most `rows` of them.
            positions: the place of each token in its line.
            slots: each busy row's adapter slot; number `adapters` for none.
            lines: lines in use, the first ones; row i belongs to line ``i % lines``.

        Returns:
            (busy, vocabulary) logits behind each token.
        """
        device, idle = self.model.device, self.rows - len(tokens)
        routed = [*slots, *[self.adapters] * idle]
        if routed != self._slots:
            self._routing.route(torch.tensor(routed, device=device))
            self._slots = routed
        places = torch.tensor([*positions, *[0] * idle], device=device)
        mask = cache.expect(places[: len(tokens)], lines, max(positions))
        output = self.model(
            input_ids=torch.tensor([*tokens, *[0] * idle], device=device)[:, None],
            attention_mask=mask,
            position_ids=places[:, None],
            past_key_values=cache,
            use_cache=True,
        )
        return output.logits[: len(tokens), -1]
