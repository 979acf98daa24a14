"""Examples in tokens, as every way to train reads them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from coral_batch.records.example import Example


@dataclass(frozen=True)
class Encoded:
    """An example in tokens: prompt, then answer."""

    ids: tuple[int, ...]
    answer: int


def encode(example: Example, tokenizer: Any) -> Encoded:
    """Tokenize an example: the prompt as a sample's prompt is, the answer as the text goes on.

    A SentencePiece tokenizer puts a space before every text, which an answer by itself would get.
    """
    prompt, answer, whole = (
        tokenizer(text, add_special_tokens=False)["input_ids"]
        for text in (example.prompt, example.answer, example.prompt + example.answer)
    )
    # Where a token crosses the border, the prompt's tokens decide, which are what samples follow.
    if whole[: len(prompt)] == prompt:
        answer = whole[len(prompt) :]
    return Encoded((*prompt, *answer), len(answer))
