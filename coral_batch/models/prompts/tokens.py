"""A text in tokens behind the prompt that it follows."""

from __future__ import annotations

from typing import Any


def continuation(tokenizer: Any, prompt: str, text: str) -> list[int]:
    """Return the tokens of `text` as a prompt goes on, those of the prompt left out.

    A SentencePiece tokenizer puts a space before every text, which `text` by itself would get.
    """
    before, alone, whole = (
        tokenizer(one, add_special_tokens=False)["input_ids"]
        for one in (prompt, text, prompt + text)
    )
    # Where a token crosses the border, the prompt's tokens decide, which are what samples follow.
    return list(whole[len(before) :] if whole[: len(before)] == before else alone)
