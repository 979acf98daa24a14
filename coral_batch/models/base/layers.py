"""Split a model into upper layers with adapters and frozen lower layers.

Nothing below the lowest adapted layer depends on the adapter: that layer's input is the same for
every adapter and pass, and no gradient goes further down. `coral_batch.models.training.training`
keeps these inputs for its examples, and `coral_batch.models.decoding.decoder` for the prompts of
one call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn
from transformers import DynamicCache

from coral_batch.errors import CoralError

# Model types that only look up embeddings before the first layer.
BARE = {"llama", "mistral", "qwen2", "qwen3"}


def layers_below(config: Any, adapted: int | None) -> int:
    """Return the number of layers below those with adapters.

    Args:
        config: the base model's configuration, of transformers.
        adapted: how many of the upper layers get adapters, >= 1; None for all.

    Raises:
        CoralError: the model has fewer layers.
    """
    depth: int = config.get_text_config().num_hidden_layers
    if adapted is None:
        return 0
    if adapted > depth:
        raise CoralError(
            "the base model has fewer layers",
            file="params.yaml",
            field="training.layers",
            found=adapted,
            expected=f"at most {depth}, or null for all",
        )
    return depth - adapted


def separable(config: Any) -> bool:
    """Whether a model's upper layers can run without those below them.

    The body numbers its layers from the first one it runs, so all must have the same attention.
    """
    kinds = getattr(config, "layer_types", None) or ()
    return config.model_type in BARE and len(set(kinds)) < 2


@contextmanager
def upper_alone(model: Any, below: int) -> Iterator[None]:
    """Make a causal language model run only its upper layers inside the block.

    Its body then takes the result of `lower_states` as ``inputs_embeds``.

    Args:
        model: a `separable` model.
        below: the number of layers to skip.
    """
    body = model.base_model
    with _running(body, slice(below, None), body.norm):
        yield


def leave_out(model: Any, below: int) -> None:
    """Free the weights of the lower layers, if only the upper ones will run.

    Args:
        model: a `separable` model.
        below: the number of layers to free.
    """
    for layer in model.base_model.layers[:below]:
        layer.to("meta")


@torch.no_grad()
def lower_states(
    model: Any, ids: Sequence[int], below: int, cache: DynamicCache | None = None
) -> torch.Tensor:
    """Return the upper layers' input, (tokens, features), in the model's type.

    Args:
        model: a `separable` causal language model.
        ids: the tokens.
        below: the number of lower layers, >= 1.
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
    """Make a model's body run some of its layers, followed by another norm."""
    own = body.layers, body.norm
    body.layers, body.norm = body.layers[layers], norm
    try:
        yield
    finally:
        body.layers, body.norm = own
