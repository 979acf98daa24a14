"""Extraction follows the published scorer of CodeLinterEval."""

from __future__ import annotations

import pytest

from coral_batch.linteval.answers.extraction import code_of


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("```python\nx = 1\n```", "\nx = 1\n"),
        ("Here it is:\n```python\nx = 1\n```\nThat's all.", "\nx = 1\n"),
        ("```python\nx = 1\n```\nand\n```python\ny = 2\n```", "\nx = 1\n\ny = 2\n"),
        ("```bash\nls\n```\n```python\nx = 1\n```", "\nx = 1\n"),
        # An unclosed block counts only where there is no closed one, and runs to the end.
        ("```python\nx = 1", "\nx = 1"),
        ("```python\nx = 1\n```\n```python\ny = 2", "\nx = 1\n"),
        # The closing fence stands at the beginning of a line, or it is code.
        ("```python\nx = 1```", "\nx = 1```"),
        ("```python\nx = 1\n  ```", "\nx = 1\n  ```"),
        ("```python\n```", "\n```"),
        # An opening fence has a language and nothing else on its line.
        ("```\nx = 1\n```", "```\nx = 1\n```"),
        (" ```python\nx = 1\n```", " ```python\nx = 1\n```"),
        ("```python3 -u\nx = 1\n```", "```python3 -u\nx = 1\n```"),
        ("```py\nx = 1\n```", "\n"),
        ("```Python\nx = 1\n```", "\n"),
        # A second opening fence closes the first block.
        ("```python\nx = 1\n```python\ny = 2\n```", "\nx = 1\n"),
        ("x = 1", "x = 1"),
        ("", ""),
    ],
)
def test_the_published_rules(text: str, code: str) -> None:
    assert code_of(text) == code


def test_a_long_text_of_fences_takes_no_quadratic_time() -> None:
    assert code_of("```python\n" * 100_000).startswith("\n")
    assert code_of("```python" * 100_000) == "```python" * 100_000
    assert code_of("```a\n" + "\n``" * 300_000) == "\n"


def test_an_answer_ends_at_the_first_place_where_it_is_told_to() -> None:
    text = "```python\nimport os\n\n\nprint(os)\n```"
    assert code_of(text, "\n\n") == "\nimport os"
    assert code_of("\n\n" + text, "\n\n") == ""
    assert code_of(text, "no such text") == code_of(text)
