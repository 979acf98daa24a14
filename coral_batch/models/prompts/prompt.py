"""The repair prompt, and the conversion of a user's text to a prompt.

The text is exactly CORAL-X's standard QuixBugs prompt, which ends with an opening ```python fence.
A chat model gets everything before the fence as the user's message, and the fence as the start of
its own turn, so that it continues inside the fence.

A model whose tokenizer has no chat template is a completion model. It gets the plain text, with the
tokenizer's usual start token, and also continues inside the fence. It has no turn to end, so every
prompt opens a fence, and the answer ends where that is closed.

The engine tokenizes, and raises for prompts that are too long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coral_batch.errors import Unfit, shorten
from coral_batch.records.problem import Problem

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

FENCE = "```python\n"

INSTRUCTION = (
    "Fix the buggy Python function in {name}.py\n\nThe function has a bug that needs to be "
    "corrected. Analyze the code and provide the fixed version."
)

REPAIR = """{instruction}

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
    """Return the buggy program as in the prompt, without a final newline.

    Args:
        problem: the problem.
        docstring: append the problem's docstring as a module-level string, as in QuixBugs' files.

    Raises:
        ValueError: the problem has no bug.
    """
    code = buggy_program(problem)
    if not docstring or not problem.docstring.strip():
        return code
    escaped = problem.docstring.strip("\n").replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return f'{code}\n\n"""\n{escaped}\n"""'


def repair_prompt(problem: Problem, docstring: bool) -> str:
    """Return CORAL-X's standard QuixBugs prompt, with the opening fence; see `REPAIR`."""
    instruction = INSTRUCTION.format(name=problem.function.rpartition(".")[2])
    return REPAIR.format(instruction=instruction, code=program_text(problem, docstring))


def chat_prompt(tokenizer: PreTrainedTokenizerBase, user_text: str) -> str:
    r"""Return the prompt with special tokens and the opening fence.

    It always ends in ``FENCE``; an answer is the code, a newline and the closing fence. Encode it
    with ``add_special_tokens=False``.

    Args:
        tokenizer: its chat template, if any, is applied with the default system prompt.
        user_text: the user's message. An opening fence at its end moves into the model's turn.

    Raises:
        Unfit: the message contains a special token.
    """
    _check_plain(tokenizer, user_text)
    user_text = user_text.removesuffix(FENCE).rstrip()
    if tokenizer.chat_template is None:
        # After the tokenizer's start token, if it has one.
        begins = tokenizer("x")["input_ids"][:1] == [tokenizer.bos_token_id]
        return f"{tokenizer.bos_token if begins else ''}{user_text}\n{FENCE}"
    return _turn(tokenizer, user_text) + FENCE


def free_prompt(tokenizer: PreTrainedTokenizerBase, user_text: str) -> str:
    """Return a chat model's prompt without a fence; otherwise like `chat_prompt`.

    A completion model would never stop without a fence, so it gets the one of `chat_prompt`.

    Args:
        tokenizer: as in `chat_prompt`.
        user_text: the user's message; a chat model gets it unchanged.

    Raises:
        Unfit: as in `chat_prompt`.
    """
    if tokenizer.chat_template is None:
        return chat_prompt(tokenizer, user_text)
    _check_plain(tokenizer, user_text)
    return _turn(tokenizer, user_text)


def _check_plain(tokenizer: PreTrainedTokenizerBase, text: str) -> None:
    for token in tokenizer.added_tokens_decoder.values():
        if token.special and token.content in text:
            raise Unfit(
                "a program contains a special token of the base model, which cannot be shown to it",
                found=f"{token.content} in {shorten(text)}",
                action="write the token in two parts, leave the program out, or take another base"
                " model",
            )


# Some templates insert the date, as Llama 3.2's does. A fixed date keeps answers reproducible.
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
