"""Tokenize examples for training."""

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
        answer: number of answer tokens, at the end.
        states: (tokens, features) input of the lowest adapted layer; None to run the layers below.
    """

    ids: tuple[int, ...]
    answer: int
    states: torch.Tensor | None = None


def encode(example: Example, tokenizer: Any) -> Encoded:
    """Tokenize an example: the prompt as in sampling, the answer as its continuation."""
    prompt = tokenizer(example.prompt, add_special_tokens=False)["input_ids"]
    answer = continuation(tokenizer, example.prompt, example.answer)
    return Encoded((*prompt, *answer), len(answer))


def entering(model: Any, example: Encoded, below: int) -> torch.Tensor:
    """Return the upper layers' input, (tokens, features), in the model's type.

    Args:
        model: see `lower_states`.
        example: the example.
        below: the number of lower layers, >= 1.
    """
    ids = [*example.ids, *[0] * filling(len(example.ids))]
    return lower_states(model, ids, below)[: len(example.ids)].cpu()


def filling(tokens: int) -> int:
    """Return the number of padding tokens for a row of `tokens` tokens.

    oneDNN compiles and keeps kernels for every new length, and glibc needs blocks of another size.
    Without padding, an adapter took up to 12 % longer in bf16 and 0.5 GB more (docs/notebook.md).
    Padding at the end does not affect earlier tokens.
    """
    return -tokens % _FILL
