"""Code extraction follows CORAL-X's three steps to the letter and never raises."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from coral_batch.models.repairs.extraction import extract_code


def coral_x(text: str) -> str:
    """CORAL-X's rule as its specification prints it, for comparison."""
    for pattern in (r"```python\s*\n(.*?)```", r"```\s*\n(.*?)```"):
        match = re.search(pattern, text, re.DOTALL)
        if match:
            return match.group(1).strip()
    kept: list[str] = []
    inside = False
    for line in text.split("\n"):
        if line.strip().startswith("def "):
            inside = True
            kept.append(line)
        elif inside:
            if line.strip() and not line.startswith((" ", "\t")):
                break
            kept.append(line)
    return "\n".join(kept).strip() if kept else text.strip()


FENCES = ["```", "```python", "```python\n", "```\n"]
PIECES = [*FENCES, "\n", "\n\n ", "def f():", "    return 1", "x"]


@given(st.text() | st.lists(st.sampled_from(PIECES) | st.text(max_size=5)).map("".join))
@example("```python\n\n\n")
@example("``````python\n```")
def test_equals_the_specification_on_any_text(text):
    assert extract_code(text) == coral_x(text)


def test_thousands_of_newlines_behind_an_open_fence():
    assert extract_code("```python" + "\n" * 100_000) == "```python"
