r"""Code out of what a model wrote: CORAL-X's three steps, to the letter.

1. the first closed ```python block; 2. else the first closed block without a language; 3. else the
lines from the first ``def`` up to the first line that is neither indented nor another ``def``; and
when there is none, the whole text. An unclosed block (the token limit was hit) therefore goes to
step 3, which keeps functions and loses module-level imports: that is CORAL-X's rule.

What comes out is not checked: it may not parse, or be empty.
"""

from __future__ import annotations

import re

# (?>...) never gives back the newlines it took. The match is the same as without it, but text made
# of thousands of newlines behind an unclosed fence no longer takes quadratic time.
_PYTHON_BLOCK = re.compile(r"```python(?>\s*\n)(.*?)```", re.DOTALL)
_ANY_BLOCK = re.compile(r"```(?>\s*\n)(.*?)```", re.DOTALL)


def extract_code(text: str) -> str:
    """Return the code in `text`, stripped; never raises."""
    block = _PYTHON_BLOCK.search(text) or _ANY_BLOCK.search(text)
    if block:
        return block.group(1).strip()
    return _function_definitions(text) or text.strip()


def _function_definitions(text: str) -> str:
    lines: list[str] = []
    in_function = False
    for line in text.split("\n"):
        if line.strip().startswith("def "):
            in_function = True
            lines.append(line)
        elif in_function:
            if line.strip() and not line.startswith((" ", "\t")):
                break
            lines.append(line)
    return "\n".join(lines).strip()
