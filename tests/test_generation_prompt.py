"""Prompts: CORAL-X's words, QuixBugs' place for the docstring, the model's own chat template."""

import ast
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers.utils import chat_template_utils

from coral_batch.corpus.sources.rows import make_problem
from coral_batch.models.prompts.prompt import (
    FENCE,
    chat_prompt,
    free_prompt,
    program_text,
    repair_prompt,
)
from coral_batch.records.problem import Problem
from tests.errors import refused
from tests.tiny import make_tiny_completion_tokenizer, make_tiny_tokenizer

TOKENIZER = make_tiny_tokenizer()
LLAMA = make_tiny_completion_tokenizer()


def problem(docstring: str = "Count the bits.\n\nInput:\n    n: an int") -> Problem:
    code = "def bitcount(n):\n    return {n: 1}\n"
    return make_problem("bitcount", "bitcount", code, buggy=code, docstring=docstring)


def test_the_repair_prompt_is_coral_x_s_to_the_letter():
    assert repair_prompt(problem(), docstring=False) == (
        "Fix the buggy Python function in bitcount.py\n"
        "\n"
        "The function has a bug that needs to be corrected. "
        "Analyze the code and provide the fixed version.\n"
        "\n"
        "Buggy Code:\n"
        "```python\n"
        "def bitcount(n):\n"
        "    return {n: 1}\n"
        "```\n"
        "\n"
        "Provide the corrected Python code:\n"
        "```python\n"
    )


@pytest.mark.parametrize(
    ("docstring", "shown"),
    [("Count the bits.", '\n\n"""\nCount the bits.\n"""'), ("", ""), ("\n \n", "")],
)
def test_the_docstring_if_there_is_one_stands_behind_the_code(docstring, shown):
    code = "def bitcount(n):\n    return {n: 1}"
    assert program_text(problem(docstring), docstring=True) == code + shown


@given(st.text(alphabet="ab \\\"'\n", max_size=20))
def test_any_docstring_survives_as_python(docstring):
    tree = ast.parse(program_text(problem(f"x{docstring}x"), docstring=True))
    string = tree.body[-1]
    assert isinstance(string, ast.Expr) and isinstance(string.value, ast.Constant)
    assert string.value.value == f"\nx{docstring}x\n"


def test_the_fence_begins_the_model_s_own_turn():
    prompt = chat_prompt(TOKENIZER, repair_prompt(problem(), docstring=False))
    assert prompt.endswith(
        "Provide the corrected Python code:<|im_end|>\n<|im_start|>assistant\n" + FENCE
    )
    assert chat_prompt(TOKENIZER, "Fix it:") == chat_prompt(TOKENIZER, "Fix it:\n" + FENCE)


def test_a_template_that_tells_the_date_tells_the_same_one_every_day(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Tomorrow(datetime):
        @classmethod
        def now(cls, tz=None):
            return super().now(tz) + timedelta(days=1)

    tokenizer = make_tiny_tokenizer()
    undated = chat_prompt(tokenizer, "Fix it.")
    told = "{%- set today = strftime_now('%d %b %Y') %}Today Date: {{ today }}\n"
    tokenizer.chat_template = told + tokenizer.chat_template
    prompt = chat_prompt(tokenizer, "Fix it.")
    assert prompt.startswith("Today Date: ")
    assert prompt.endswith(undated)
    monkeypatch.setattr(chat_template_utils, "datetime", Tomorrow)
    assert chat_prompt(tokenizer, "Fix it.") == prompt


def test_a_completion_model_gets_the_text_as_it_is_behind_what_its_tokenizer_begins_with():
    tokenizer = make_tiny_tokenizer()
    tokenizer.chat_template = None
    tokenizer.bos_token = "<|endoftext|>"  # it has one, and does not begin texts with it
    text = repair_prompt(problem(), docstring=True)
    assert chat_prompt(tokenizer, text) == text
    assert chat_prompt(LLAMA, text) == "<s>" + text
    ids = LLAMA(chat_prompt(LLAMA, text), add_special_tokens=False)["input_ids"]
    assert ids.count(LLAMA.bos_token_id) == 1


def test_a_free_answer_begins_with_the_model_s_turn_or_without_turns_in_a_fence():
    asked = "Fix it:\n```python\n<code> ```"
    assert free_prompt(TOKENIZER, asked).endswith(f"{asked}<|im_end|>\n<|im_start|>assistant\n")
    assert free_prompt(LLAMA, asked) == f"<s>{asked}\n{FENCE}"


def test_a_program_with_a_special_token_is_refused() -> None:
    tokenizer = make_tiny_tokenizer()
    with refused(tokenizer.eos_token, "special token"):
        chat_prompt(tokenizer, f"end = {tokenizer.eos_token!r}")
