"""Detect the closing fence token by token, without decoding text.

The answer continues inside an opened fence. Extraction cuts at its first three backticks, so
nothing after them matters.
"""

from __future__ import annotations

from transformers import PreTrainedTokenizerBase


class FenceTokens:
    """How each token of a vocabulary changes a run of backticks.

    Backticks are searched in the raw tokens: byte-level and SentencePiece vocabularies both spell
    this ASCII character as itself.
    """

    CLOSED = 3

    def __init__(self, tokenizer: PreTrainedTokenizerBase) -> None:
        self._tokens = {
            number: token for token, number in tokenizer.get_vocab().items() if "`" in token
        }

    def run(self, before: int, token: int) -> int:
        """Return how many backticks the text ends with after `token`; CLOSED after three.

        Args:
            before: how many it ended with before `token`, in [0, 3).
            token: the next token's id.
        """
        text = self._tokens.get(token)
        if text is None:
            return 0
        text = "`" * before + text
        if "```" in text:
            return self.CLOSED
        return len(text) - len(text.rstrip("`"))
