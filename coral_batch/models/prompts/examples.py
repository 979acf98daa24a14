"""Training examples: the bugs of the training programs, in four instructions that take turns.

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
from itertools import cycle
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
    setting: str = "examples.bugs",
) -> list[Example]:
    """Make the examples of training problems, ordered by problem and variant.

    In CORAL-X's protocol (`injected` 0) a program's own bug is shown four times, once behind each
    instruction. Else each bug is shown once: the program's own, if it has one, then injected ones.
    The instructions take turns from example to example.

    Args:
        problems: training problems only; one that has no bug at all gives no example.
        bugs: injected bugs of any problems, each problem's in order.
        injected: how many of them a program shows, as far as it has so many.
        tokenizer: the base model's; its chat template, if it has one, and the token that ends a
            turn or a text are used.
        docstring: show the problem's docstring behind the code.
        setting: what `injected` is called in params.yaml.

    Raises:
        CoralError: none of the problems has a bug to show.
    """
    by_program: dict[str, list[Bug]] = defaultdict(list)
    for one in bugs:
        by_program[one.problem].append(one)
    shown = [
        (problem, variant, bug)
        for problem in sorted(problems, key=lambda problem: problem.name)
        for variant, bug in enumerate(_shown(problem, by_program[problem.name], injected))
    ]
    if not shown:
        raise CoralError(
            "there is nothing to train on",
            file="params.yaml",
            field=setting,
            found=f"{injected}, and no training program that has a bug of its own",
            expected="a training program with a bug of its own, or injected bugs",
            action=f"raise {setting} (and injection.each if it is 0)",
        )
    examples = []
    for (problem, variant, bug), instruction in zip(shown, cycle(INSTRUCTIONS), strict=False):
        asked = instruction.format(name=problem.function)
        program = program_text(replace(problem, buggy=bug.buggy) if bug else problem, docstring)
        output = (bug or problem).reference.strip("\n")
        user_text = USER_TEXT.format(instruction=asked, input=program, fence=FENCE)
        examples.append(
            Example(
                id=f"{problem.name}/{variant}",
                problem=problem.name,
                variant=variant,
                bug=bug.id if bug else None,
                instruction=asked,
                input=program,
                output=output,
                prompt=chat_prompt(tokenizer, user_text),
                answer=f"{output}\n```{tokenizer.eos_token}",
            )
        )
    return examples


def _shown(problem: Problem, bugs: Sequence[Bug], injected: int) -> list[Bug | None]:
    """Return the bug of each variant; None for the problem's own."""
    own = 0 if problem.buggy is None else 1 if injected else len(INSTRUCTIONS)
    return [*[None] * own, *bugs[:injected]]


def examples_sha256(examples: Sequence[Example]) -> str:
    """Hash the examples: what an adapter trained on them is known by."""
    text = json.dumps([asdict(row) for row in examples], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
