"""Examples in tokens, as every way to train reads them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from coral_batch.models.base.layers import lower_states
from coral_batch.models.prompts.tokens import continuation
from coral_batch.records.example import Example

_FILL = 32


@dataclass(frozen=True)
class Encoded:
    """An example in tokens: prompt, then answer.

    Attributes:
        ids: the tokens.
        answer: how many of the last of them are the answer's.
        states: (tokens, features) what enters the lowest layer with an adapter; None where the
            layers below are to be run.
    """

    ids: tuple[int, ...]
    answer: int
    states: torch.Tensor | None = None


def encode(example: Example, tokenizer: Any) -> Encoded:
    """Tokenize an example: the prompt as a sample's prompt is, the answer as the text goes on."""
    prompt = tokenizer(example.prompt, add_special_tokens=False)["input_ids"]
    answer = continuation(tokenizer, example.prompt, example.answer)
    return Encoded((*prompt, *answer), len(answer))


def entering(model: Any, example: Encoded, below: int) -> torch.Tensor:
    """Return what enters the upper layers, (tokens, features), in the model's type.

    Args:
        model: see `lower_states`.
        example: the example.
        below: how many layers there are below the upper ones, >= 1.
    """
    ids = [*example.ids, *[0] * filling(len(example.ids))]
    return lower_states(model, ids, below)[: len(example.ids)].cpu()


def filling(tokens: int) -> int:
    """Return how many tokens a row of so many is filled up by, before the model runs on it.

    For every new number of rows oneDNN makes kernels, which it keeps, and glibc has to find memory
    of another size: with rows of any length an adapter took up to an eighth longer in bf16, and
    half a gigabyte more (docs/notebook.md). What stands behind the last token changes nothing
    before it.
    """
    return -tokens % _FILL
