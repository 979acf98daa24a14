"""A base model prepared for decoding: prefill of one prompt, one step of all rows.

It knows rows and adapter slots; `engine` handles genomes, samples and stopping.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from transformers import DynamicCache, PreTrainedModel

from coral_batch.models.base.layers import lower_states, separable, upper_alone
from coral_batch.models.decoding.adapter_weights import read_adapter
from coral_batch.models.decoding.cache import ATTENTION, RowCache, unfit_attention
from coral_batch.models.decoding.linear import AdaptedLinear, Routing, adapt_linears

_FP32_BLOCK = 16
"""Rows of one matrix product on a processor in fp32. More are hardly faster per row there, so idle
rows are not computed. In bf16 reading the weights takes most of the time, whatever the rows."""
_ACTIVATIONS = ("act_fn", "act", "activation_fn")
"""What transformers calls the activation function of a layer."""
_SERIAL = 32768
"""Elements that torch maps on one thread (its GRAIN_SIZE)."""


class SerialActivation(nn.Module):
    """An activation function that maps equal rows to equal rows, whatever their place.

    Threads cut a large tensor at any element, and elements at a cut can round differently.
    """

    def __init__(self, own: nn.Module) -> None:
        super().__init__()
        self.own = own

    def forward(self, x: Tensor) -> Tensor:
        """Map (rows, tokens, features) elementwise."""
        together = max(1, _SERIAL // x[0].numel())
        return torch.cat([self.own(rows) for rows in x.split(together)])


class Decoder:
    """Runs the model on up to `rows` rows at a time, in blocks of a fixed number of rows.

    The live rows come first. Every matrix product of a step has the same shape, so a row's result
    does not depend on the other rows.

    Attributes:
        rows: maximum rows of a step.
        block: rows of one matrix product; idle blocks are skipped.
        adapters: number of adapter slots, and the number of the slot without an adapter.
        context: the context length, prompt and completion together.
    """

    def __init__(self, model: PreTrainedModel, *, rows: int, adapters: int, rank: int) -> None:
        self.model = model
        self.rows, self.adapters, self.rank = rows, adapters, rank
        self._routing = Routing(adapters, rank, model.dtype, model.device)
        small = model.device.type == "cpu" and model.dtype == torch.float32
        self.block = min(rows, _FP32_BLOCK) if small else rows
        self._linears = adapt_linears(model, self.block, self._routing)
        if model.device.type == "cpu":
            for part in [*model.modules()]:
                for name in _ACTIVATIONS:
                    if isinstance(own := getattr(part, name, None), nn.Module):
                        setattr(part, name, SerialActivation(own))
        layers: Any = model.base_model.layers if separable(model.config) else []
        self._layers = [
            [part for part in layer.modules() if isinstance(part, AdaptedLinear)]
            for layer in layers
        ]
        model.set_attn_implementation(ATTENTION)
        config = model.config.get_text_config()
        if config._attn_implementation != ATTENTION:
            raise unfit_attention(model, "attention that transformers can replace")
        window = getattr(config, "sliding_window", None) or config.max_position_embeddings
        self.context = min(config.max_position_embeddings, window)
        rope = getattr(config, "rope_parameters", None) or {}
        if rope.get("rope_type") == "longrope":
            # Longer rows would change the rotary factors of all rows in their step.
            self.context = min(self.context, rope["original_max_position_embeddings"])
        self._slots: list[int] | None = None
        # (number of lower layers, tokens) -> the lower layers' output, the same for all adapters.
        self._lower: dict[tuple[int, tuple[int, ...]], tuple[Tensor, list[Any]]] = {}
        self._split = 0

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
        """Free the memory of prompts."""
        self._lower.clear()
        self._split = 0

    def prefill(
        self, ids: Sequence[int], slot: int, keep: int = 1, *, again: bool = False
    ) -> tuple[DynamicCache, Tensor]:
        """Prefill one prompt.

        Args:
            ids: the prompt's tokens.
            slot: the adapter's slot; number `adapters` for none.
            keep: for how many of its last tokens to return logits, >= 1.
            again: it will be prefilled again, maybe with another adapter. Then the lower layers'
                output is kept, for at most as many prompts as there are rows.

        Returns:
            Its KV cache, and the (keep, vocabulary) logits after its last tokens.
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
        if again and len(self._lower) < self.rows:
            self._lower[place] = lower
        states, layers = lower
        with upper_alone(self.model, below):
            output = self.model(inputs_embeds=states[None], **wanted)
        cache.layers[:below] = layers
        return cache, output.logits[0]

    def _below(self) -> int:
        """Return the number of layers below all adapted ones.

        Without adapters, the same as last time, since prompts may be kept for it; initially 0.
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
        """Process one token in every busy row; it attends to all before it in the row's line.

        The first rows process the next token of one line each. Later rows read ahead: row i
        processes the token after that of row ``i - lines``.

        Args:
            cache: the rows' KV cache.
            tokens: each busy row's token; at most `rows` of them.
            positions: the position of each token in its line.
            slots: each busy row's adapter slot; number `adapters` for none.
            lines: number of lines in use, the first ones; row i belongs to line ``i % lines``.

        Returns:
            (busy, vocabulary) logits after each token.
        """
        device, idle = self.model.device, -len(tokens) % self.block
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
