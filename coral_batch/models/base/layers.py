"""Which layers of a model carry adapters, and the frozen ones below them run by themselves.

Below the lowest layer with an adapter nothing depends on the adapter: what enters that layer is the
same for every adapter, pass and generation, and no gradient goes further down.
`coral_batch.models.training.trunk` keeps it in the store for the examples, and
`coral_batch.models.decoding.decoder` keeps it in memory for the prompts of one call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn
from transformers import DynamicCache

from coral_batch.errors import CoralError

# Model types whose body does nothing before its first layer but look up embeddings.
BARE = {"llama", "mistral", "qwen2", "qwen3"}


def layers_below(config: Any, adapted: int | None) -> int:
    """Return how many layers lie below those with adapters.

    Args:
        config: the base model's, of transformers.
        adapted: how many of the upper layers get adapters, >= 1; None for all.

    Raises:
        CoralError: the model has fewer layers.
    """
    depth: int = config.get_text_config().num_hidden_layers
    if adapted is None:
        return 0
    if adapted > depth:
        raise CoralError(
            "The base model has fewer layers",
            file="params.yaml",
            field="training.layers",
            found=adapted,
            expected=f"at most {depth}, or null for all",
        )
    return depth - adapted


def separable(config: Any) -> bool:
    """Whether the layers of a model can be run apart from those below them.

    A body counts its layers from the first that it runs, so that all must attend alike.
    """
    kinds = getattr(config, "layer_types", None) or ()
    return config.model_type in BARE and len(set(kinds)) < 2


@contextmanager
def upper_alone(model: Any, below: int) -> Iterator[None]:
    """Let a causal language model run its upper layers alone inside the block.

    Its body then takes what `lower_states` returned as ``inputs_embeds``.

    Args:
        model: of a type that is `separable`.
        below: how many layers are left out.
    """
    body = model.base_model
    with _running(body, slice(below, None), body.norm):
        yield


def leave_out(model: Any, below: int) -> None:
    """Forget the weights of the lower layers, for who runs the upper ones alone from now on.

    Args:
        model: of a type that is `separable`.
        below: how many layers are left out.
    """
    for layer in model.base_model.layers[:below]:
        layer.to("meta")


@torch.no_grad()
def lower_states(
    model: Any, ids: Sequence[int], below: int, cache: DynamicCache | None = None
) -> torch.Tensor:
    """Return what enters the upper layers, (tokens, features), in the model's type.

    Args:
        model: a causal language model of a type that is `separable`.
        ids: the tokens.
        below: how many layers there are below the upper ones, >= 1.
        cache: takes the keys and values of the lower layers, if given.
    """
    body = model.base_model
    with _running(body, slice(below), nn.Identity()):
        row = torch.tensor([ids], device=model.device)
        output = body(input_ids=row, past_key_values=cache, use_cache=cache is not None)
    states: torch.Tensor = output.last_hidden_state
    return states[0]


@contextmanager
def _running(body: Any, layers: slice, norm: nn.Module) -> Iterator[None]:
    """Let a model's body run some of its layers, and another norm behind them."""
    own = body.layers, body.norm
    body.layers, body.norm = body.layers[layers], norm
    try:
        yield
    finally:
        body.layers, body.norm = own
