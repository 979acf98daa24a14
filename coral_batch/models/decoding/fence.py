"""Sees the fence close, token by token and without decoding text.

The answer goes on inside an opened fence, and the first three backticks in it are where the
extraction cuts: nothing behind them can matter.
"""

from __future__ import annotations

from transformers import PreTrainedTokenizerBase


class FenceTokens:
    """What each token of a vocabulary does to a run of backticks.

    Backticks are looked up in the tokens' own spelling: byte-level and SentencePiece vocabularies
    alike spell this ASCII character as itself.
    """

    CLOSED = 3

    def __init__(self, tokenizer: PreTrainedTokenizerBase) -> None:
        self._tokens = {
            number: token for token, number in tokenizer.get_vocab().items() if "`" in token
        }

    def run(self, before: int, token: int) -> int:
        """Return how many backticks the text ends with after `token`; CLOSED once there were three.

        Args:
            before: how many it ended with before, in [0, 3).
            token: the next token's id.
        """
        text = self._tokens.get(token)
        if text is None:
            return 0
        text = "`" * before + text
        if "```" in text:
            return self.CLOSED
        return len(text) - len(text.rstrip("`"))
