"""Training examples: each training problem in four instruction variants, or more.

The instructions are CORAL-X's. Around them stands the prompt that samples are asked with, so that
an adapter is trained on what it will see: the same frame, the same chat template, if there is one,
and the same opening fence. Tokenizing is left to training; torch is not needed here.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from coral_batch.errors import CoralError
from coral_batch.models.prompts.prompt import FENCE, chat_prompt, program_text
from coral_batch.records.bug import Bug
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
    problems: Iterable[Problem],
    bugs: Sequence[Bug],
    injected: int,
    tokenizer: PreTrainedTokenizerBase,
    docstring: bool,
) -> list[Example]:
    """Make the examples of training problems, ordered by problem and variant.

    Variant 0 shows the problem's own bug; so do the others, in CORAL-X's protocol (`injected` 0).
    Else variants 1 to `injected` show an injected bug each, as far as the program has so many. The
    instructions take turns. A program without a bug of its own shows injected ones alone.

    Args:
        problems: training problems only; one that has no bug at all gives no example.
        bugs: injected bugs of any problems, each problem's in order.
        injected: how many of them a program shows.
        tokenizer: the base model's; its chat template, if it has one, and the token that ends a
            turn or a text are used.
        docstring: show the problem's docstring behind the code.

    Raises:
        CoralError: none of the problems has a bug to show.
    """
    by_program: dict[str, list[Bug]] = defaultdict(list)
    for bug in bugs:
        by_program[bug.problem].append(bug)
    examples = [
        _make_example(problem, variant, bug, tokenizer, docstring)
        for problem in sorted(problems, key=lambda problem: problem.name)
        for variant, bug in enumerate(
            _shown(problem, by_program[problem.name][:injected], injected)
        )
    ]
    if not examples:
        raise CoralError(
            "there is nothing to train on",
            file="params.yaml",
            field="examples.bugs",
            found=f"{injected}, and no training program that has a bug of its own",
            expected="a training program with a bug of its own, or injected bugs",
            action="raise examples.bugs (and injection.each if it is 0)",
        )
    return examples


def _shown(problem: Problem, bugs: Sequence[Bug], injected: int) -> list[Bug | None]:
    """Return the bug of each variant; None for the problem's own."""
    variants = max(len(INSTRUCTIONS), injected + 1)
    if problem.buggy is not None:
        return [None, *bugs, *[None] * (variants - 1 - len(bugs))]
    return [bugs[variant % len(bugs)] for variant in range(variants)] if bugs else []


def examples_sha256(examples: Sequence[Example]) -> str:
    """Hash the examples: what an adapter trained on them is known by."""
    text = json.dumps([asdict(row) for row in examples], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _make_example(
    problem: Problem,
    variant: int,
    bug: Bug | None,
    tokenizer: PreTrainedTokenizerBase,
    docstring: bool,
) -> Example:
    instruction = INSTRUCTIONS[variant % len(INSTRUCTIONS)].format(name=problem.function)
    shown = problem if bug is None else replace(problem, buggy=bug.buggy)
    program = program_text(shown, docstring)
    output = problem.reference.strip("\n")
    user_text = USER_TEXT.format(instruction=instruction, input=program, fence=FENCE)
    return Example(
        id=f"{problem.name}/{variant}",
        problem=problem.name,
        variant=variant,
        bug=None if bug is None else bug.id,
        instruction=instruction,
        input=program,
        output=output,
        prompt=chat_prompt(tokenizer, user_text),
        answer=f"{output}\n```{tokenizer.eos_token}",
    )
