"""Code extraction follows CORAL-X's three steps to the letter and never raises."""

import re

import pytest
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


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("```python\nx = 1\n```", "x = 1", id="python block"),
        pytest.param(
            "Sure:\n```python\n\nx = 1\n\n```\nDone.", "x = 1", id="text around the block"
        ),
        pytest.param("```python\na\n```\n```python\nb\n```", "a", id="the first of two blocks"),
        pytest.param("```\na\n```\n```python\nb\n```", "b", id="python block before any other"),
        pytest.param("```\nx = 1\n```", "x = 1", id="block without a language"),
        pytest.param("```python\nx = '```'\n```", "x = '", id="the first three backticks close"),
        pytest.param("```python\n```", "", id="empty block"),
        pytest.param(
            "```python\nimport re\ndef f():\n    return 1\n\ndef g():\n    return 2\nprint(f())",
            "def f():\n    return 1\n\ndef g():\n    return 2",
            id="unclosed block: functions only",
        ),
        pytest.param(
            "```python\nimport re\nx = 1", "```python\nimport re\nx = 1", id="no function"
        ),
        pytest.param(
            "def f():\n\treturn 1\nThat is it.", "def f():\n\treturn 1", id="bare function"
        ),
        pytest.param("  I cannot.  \n", "I cannot.", id="whole text"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_each_step(text, code):
    assert extract_code(text) == code


PIECES = [
    "```",
    "```python",
    "```python\n",
    "```\n",
    "\n",
    "\n\n ",
    "def f():",
    "    return 1",
    "x",
]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=5)).map("".join))
@example("```python\n\n\n")
@example("``````python\n```")
def test_equals_the_specification_on_any_text(text):
    assert extract_code(text) == coral_x(text)


@given(st.text())
def test_never_raises(text):
    assert extract_code(text) == extract_code(text).strip()


def test_thousands_of_newlines_behind_an_open_fence():
    assert extract_code("```python" + "\n" * 100_000) == "```python"
