"""Tokenize a text that continues a prompt."""

from __future__ import annotations

from typing import Any


def continuation(tokenizer: Any, prompt: str, text: str) -> list[int]:
    """Return the tokens of `text` as the continuation of a prompt, without the prompt's.

    On its own, a SentencePiece tokenizer would put a space before `text`.
    """
    before, alone, whole = (
        tokenizer(one, add_special_tokens=False)["input_ids"]
        for one in (prompt, text, prompt + text)
    )
    # If a token spans both, keep the prompt's own tokens, since samples continue from those.
    return list(whole[len(before) :] if whole[: len(before)] == before else alone)
