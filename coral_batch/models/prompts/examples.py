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
from coral_batch.records.settings import Examples
from coral_batch.seeding import generator

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
            field="examples.bugs",
            found=f"{injected}, and no training program that has a bug of its own",
            expected="a training program with a bug of its own, or injected bugs",
            action="raise examples.bugs (and injection.each if it is 0)",
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


def in_portions(
    examples: Sequence[Example], settings: Examples, generations: int, seed: int
) -> list[Example]:
    """Return the examples in the order in which generations learn from them.

    Args:
        examples: bugs and lint errors, one kind behind the other.
        settings: the size of a portion; without one, every generation learns from all.
        generations: how many portions there must be.
        seed: the run's; the order has a stream of its own.

    Raises:
        CoralError: there are fewer examples than the portions need.
    """
    if settings.portion is None:
        return list(examples)
    if settings.portion * generations > len(examples):
        raise CoralError(
            "there are fewer portions of examples than generations",
            file="params.yaml",
            field="examples.portion",
            found=f"{settings.portion}, of {len(examples)} examples",
            expected=f"at most {len(examples) // generations}, for {generations} generations",
            action="lower examples.portion, set it to null so that all generations learn from all"
            " examples, raise examples.bugs, or add training programs",
        )
    order = generator(seed, "portions").permutation(len(examples))
    return [examples[index] for index in order.tolist()]


def portion(examples: Sequence[Example], settings: Examples, generation: int) -> Sequence[Example]:
    """Return what the newborn of a generation, counted from 0, learn from.

    Raises:
        CoralError: the examples end before the generation's portion does.
    """
    if settings.portion is None:
        return examples
    end = settings.portion * (generation + 1)
    if end > len(examples):
        raise CoralError(
            "the examples end before the portion of a generation",
            file="params.yaml",
            field="examples.portion",
            found=f"{len(examples)} examples, generation {generation:03d}",
            expected=f"at least {end}",
            action="run `dvc repro examples`",
        )
    return examples[end - settings.portion : end]


def examples_sha256(examples: Sequence[Example]) -> str:
    """Hash the examples: what an adapter trained on them is known by."""
    text = json.dumps([asdict(row) for row in examples], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
