"""Training examples: each training problem in four instruction variants.

The instructions are CORAL-X's. Around them stands the prompt that samples are asked with, so that
an adapter is trained on what it will see: the same frame, the same chat template, if there is one,
and the same opening fence. Tokenizing is left to training; torch is not needed here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from coral_batch.corpus.split.roles import check_training
from coral_batch.models.prompts.prompt import FENCE, chat_prompt, program_text
from coral_batch.records.example import Example
from coral_batch.records.problem import Problem

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

INSTRUCTIONS = (
    "Fix the bug in this Python function from {name}:",
    "Debug and correct the following Python code for {name}:",
    "The following function has a bug. Provide the corrected version:",
    "Analyze and fix the error in this {name} implementation:",
)

# The frame of `coral_batch.models.prompts.prompt.REPAIR` behind its own instruction.
USER_TEXT = """{instruction}

Buggy Code:
```python
{input}
```

Provide the corrected Python code:
{fence}"""


def make_examples(
    problems: Iterable[Problem], tokenizer: PreTrainedTokenizerBase, docstring: bool
) -> list[Example]:
    """Make the examples of training problems, ordered by problem and variant.

    Args:
        problems: training problems only.
        tokenizer: the base model's; its chat template, if it has one, and the token that ends a
            turn or a text are used.
        docstring: show the problem's docstring behind the code.

    Raises:
        CoralError: a problem is not one of the training problems.
    """
    problems = sorted(problems, key=lambda problem: problem.name)
    check_training(problem.name for problem in problems)
    return [
        _make_example(problem, variant, tokenizer, docstring)
        for problem in problems
        for variant in range(len(INSTRUCTIONS))
    ]


def examples_sha256(examples: Sequence[Example]) -> str:
    """Hash the examples: what an adapter trained on them is known by."""
    text = json.dumps([asdict(row) for row in examples], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _make_example(
    problem: Problem, variant: int, tokenizer: PreTrainedTokenizerBase, docstring: bool
) -> Example:
    instruction = INSTRUCTIONS[variant].format(name=problem.name)
    program = program_text(problem, docstring)
    output = problem.reference.strip("\n")
    user_text = USER_TEXT.format(instruction=instruction, input=program, fence=FENCE)
    return Example(
        id=f"{problem.name}/{variant}",
        problem=problem.name,
        variant=variant,
        instruction=instruction,
        input=program,
        output=output,
        prompt=chat_prompt(tokenizer, user_text),
        answer=f"{output}\n```{tokenizer.eos_token}",
    )
