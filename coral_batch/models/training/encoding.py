"""Examples in tokens, as every way to train reads them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from coral_batch.models.prompts.tokens import continuation
from coral_batch.records.example import Example


@dataclass(frozen=True)
class Encoded:
    """An example in tokens: prompt, then answer."""

    ids: tuple[int, ...]
    answer: int


def encode(example: Example, tokenizer: Any) -> Encoded:
    """Tokenize an example: the prompt as a sample's prompt is, the answer as the text goes on."""
    prompt = tokenizer(example.prompt, add_special_tokens=False)["input_ids"]
    answer = continuation(tokenizer, example.prompt, example.answer)
    return Encoded((*prompt, *answer), len(answer))
