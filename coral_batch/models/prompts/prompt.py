"""The repair prompt, and how any user's text becomes what the model continues.

The words are those of CORAL-X's standard QuixBugs prompt, to the letter. That prompt ends by
opening a ```python fence. A chat model gets everything before the fence as the user's message,
and the fence as the beginning of its own turn, so that it goes on inside the fence.

A model whose tokenizer has no chat template is a completion model. It gets the text as it is,
behind what its tokenizer puts before every text, and goes on inside the fence as well. It has no
turn to end, so a fence is opened for it in every prompt, and the answer ends where it closes it.

This module neither tokenizes nor truncates: a prompt that does not fit is the engine's error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coral_batch.records.problem import Problem

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

FENCE = "```python\n"

REPAIR = """Fix the buggy Python function in {name}.py

The function has a bug that needs to be corrected. Analyze the code and provide the fixed version.

Buggy Code:
```python
{code}
```

Provide the corrected Python code:
```python
"""


def buggy_program(problem: Problem) -> str:
    """Return a problem's buggy program without newlines around it.

    Raises:
        ValueError: the problem has no bug.
    """
    if problem.buggy is None:
        raise ValueError(f"{problem.name} has no bug to show")
    return problem.buggy.strip("\n")


def program_text(problem: Problem, docstring: bool) -> str:
    """Return the buggy program as the model sees it, without a final newline.

    Args:
        problem: the problem to show.
        docstring: put the problem's docstring behind the code, as a module-level triple-quoted
            string, which is where QuixBugs' files have it.

    Raises:
        ValueError: the problem has no bug.
    """
    code = buggy_program(problem)
    if not docstring or not problem.docstring.strip():
        return code
    escaped = problem.docstring.strip("\n").replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return f'{code}\n\n"""\n{escaped}\n"""'


def repair_prompt(problem: Problem, docstring: bool) -> str:
    """Return CORAL-X's standard QuixBugs prompt, which ends in the opening fence; see `REPAIR`."""
    return REPAIR.format(name=problem.function, code=program_text(problem, docstring))


def chat_prompt(tokenizer: PreTrainedTokenizerBase, user_text: str) -> str:
    r"""Return the text that the model continues, special tokens and the opening fence included.

    It always ends in ``FENCE``; an answer is the code, then a newline and the closing fence.
    Encode it with ``add_special_tokens=False``.

    Args:
        tokenizer: its chat template (with the template's own default system prompt) is applied,
            where it has one.
        user_text: the user's message. An opening fence at its end moves into the model's turn.
    """
    user_text = user_text.removesuffix(FENCE).rstrip()
    if tokenizer.chat_template is None:
        # Behind the token that the tokenizer begins every text with, where it has one.
        begins = tokenizer("x")["input_ids"][:1] == [tokenizer.bos_token_id]
        return f"{tokenizer.bos_token if begins else ''}{user_text}\n{FENCE}"
    return _turn(tokenizer, user_text) + FENCE


def free_prompt(tokenizer: PreTrainedTokenizerBase, user_text: str) -> str:
    """Return the text that a chat model continues as it likes: as `chat_prompt`, without a fence.

    A completion model would go on until it is cut off; its prompt is that of `chat_prompt`.

    Args:
        tokenizer: as in `chat_prompt`.
        user_text: the user's message, which a chat model gets as it is.
    """
    if tokenizer.chat_template is None:
        return chat_prompt(tokenizer, user_text)
    return _turn(tokenizer, user_text)


# Some templates tell the date, as Llama 3.2's does. An answer asked for tomorrow is to be today's.
_DATE = "{%- macro strftime_now(format) %}26 Jul 2024{% endmacro %}"


def _turn(tokenizer: PreTrainedTokenizerBase, user_text: str) -> str:
    template = tokenizer.get_chat_template()
    if "strftime_now" in template:
        template = _DATE + template
    return str(
        tokenizer.apply_chat_template(
            [{"role": "user", "content": user_text}],
            chat_template=template,
            tokenize=False,
            add_generation_prompt=True,
        )
    )
