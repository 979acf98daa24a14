r"""Extract code from a completion, exactly by CORAL-X's three steps.

1. the first closed ```python block; 2. else the first closed block without a language; 3. else the
lines from the first ``def`` up to the first line that is neither indented nor another ``def``; and
if there is none, the whole text. So an unclosed block (after the token limit) goes to step 3, which
keeps functions and loses module-level imports: that is CORAL-X's rule.

The result is not checked: it may be empty or not parse.
"""

from __future__ import annotations

import re

# The atomic group (?>...) does not change matches, but avoids quadratic time on thousands of
# newlines after an unclosed fence.
_PYTHON_BLOCK = re.compile(r"```python(?>\s*\n)(.*?)```", re.DOTALL)
_ANY_BLOCK = re.compile(r"```(?>\s*\n)(.*?)```", re.DOTALL)


def extract_code(text: str) -> str:
    """Return the stripped code in `text`; never raises."""
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
