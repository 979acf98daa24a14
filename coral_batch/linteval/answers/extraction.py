r"""The code in an answer, by the rules of CodeLinterEval's published scorer.

Repairs have other rules (`coral_batch.models.repairs.extraction`). A block opens with a
line of three backticks and a language, and closes with three backticks at the beginning of a line:

1. If there are closed blocks, the code is an empty line and all blocks in the language
   ``python``, joined by newlines.
2. Else a block that does not close runs to the end of the text, under the same rule.
3. Without any block the code is the whole text. A fence without a language opens nothing.

If there is a stop text (the published task stops at the first empty line), the answer is cut there
first.

So the code of an answer in another language is one empty line, which flake8 rejects. The code of an
empty answer is empty, which flake8 accepts. The code is not checked: it may not be Python.
"""

from __future__ import annotations

import re

LANGUAGE = "python"

_OPENING = r"^```([\w-]+)\n"
_CLOSED = re.compile(_OPENING + r"(.*?\n)```", re.DOTALL | re.MULTILINE)
_UNCLOSED = re.compile(_OPENING + r"(.*)", re.DOTALL | re.MULTILINE)


def until(stop: str | None, text: str) -> str:
    """Return `text` up to `stop`; all of it for None."""
    return text if stop is None else text.split(stop, 1)[0]


def code_of(text: str, stop: str | None = None) -> str:
    """Return the code in `text`, as it is linted; never raises.

    Args:
        text: what the model wrote.
        stop: text at which an answer is cut, not empty; None for none.
    """
    text = until(stop, text)
    blocks = _CLOSED.findall(text) or _UNCLOSED.findall(text)
    if not blocks:
        return text
    return "\n" + "\n".join(code for language, code in blocks if language == LANGUAGE)
