"""Training examples: the bugs of the training programs, with four alternating instructions.

The instructions are CORAL-X's. The rest equals the sampling prompt, so that training matches
sampling: the same frame, chat template (if any) and opening fence. Training does the tokenizing;
torch is not needed here.
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
from coral_batch.models.prompts.prompt import REPAIR, chat_prompt, program_text
from coral_batch.records.example import Example
from coral_batch.records.problem import Bug, Problem
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


def make_examples(
    problems: Iterable[Problem],
    bugs: Sequence[Bug],
    injected: int,
    tokenizer: PreTrainedTokenizerBase,
    docstring: bool,
) -> list[Example]:
    """Make the examples of training problems, ordered by problem and variant.

    In CORAL-X's protocol (`injected` 0) a program's own bug is shown four times, once with each
    instruction. Otherwise each bug is shown once: the program's own, if any, then injected ones.
    Instructions alternate between examples.

    Args:
        problems: training problems only; those without bugs give no example.
        bugs: injected bugs of any problems, each problem's in order.
        injected: maximum of injected bugs per program.
        tokenizer: the base model's; its chat template, if any, and its end token are used.
        docstring: show the problem's docstring after the code.

    Raises:
        CoralError: no problem has a bug.
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
            found=f"{injected}, and no training program with a bug of its own",
            expected="a training program with a bug of its own, or injected bugs",
            action="add tests that detect bugs; lake/bugs/trials.parquet shows what was tried"
            if injected
            else "raise examples.bugs",
        )
    examples = []
    for (problem, variant, bug), instruction in zip(shown, cycle(INSTRUCTIONS), strict=False):
        asked = instruction.format(name=problem.function.rpartition(".")[2])
        program = program_text(replace(problem, buggy=bug.buggy) if bug else problem, docstring)
        output = (bug or problem).reference.strip("\n")
        examples.append(
            Example(
                id=f"{problem.name}/{variant}",
                problem=problem.name,
                variant=variant,
                bug=bug.id if bug else None,
                instruction=asked,
                input=program,
                output=output,
                prompt=chat_prompt(tokenizer, REPAIR.format(instruction=asked, code=program)),
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
    """Return the examples in the order in which portions are dealt.

    Args:
        examples: bugs, then lint errors.
        settings: the size of a portion; without it the order stays.
        generations: how many the run has, >= 1.
        seed: the run's seed; the order has its own derived seed.

    Raises:
        CoralError: there are fewer portions than generations.
    """
    if settings.portion is None:
        return list(examples)
    _check_portions(len(examples), settings.portion, generations)
    order = generator(seed, "portions").permutation(len(examples))
    return [examples[index] for index in order.tolist()]


def portion(examples: Sequence[Example], settings: Examples, number: int) -> tuple[Example, ...]:
    """Return a genome's training examples. After the last portion the first is dealt again.

    Args:
        examples: from `in_portions`.
        settings: the size of a portion; without it every genome gets all examples.
        number: the genome's place in the order of birth, from 0.

    Raises:
        CoralError: there are too few examples for a portion.
    """
    if settings.portion is None:
        return tuple(examples)
    _check_portions(len(examples), settings.portion, 1)
    start = number % (len(examples) // settings.portion) * settings.portion
    return tuple(examples[start : start + settings.portion])


def _check_portions(examples: int, portion: int, needed: int) -> None:
    if portion * needed > examples:
        raise CoralError(
            "there are too few examples",
            file="params.yaml",
            field="examples.portion",
            found=portion,
            expected=f"at most {examples // needed}: {examples} examples, generations: {needed}",
            action="lower examples.portion, set it to null so that every genome trains on all "
            "examples, raise examples.bugs and injection.each, or add training programs",
        )


def examples_sha256(examples: Sequence[Example]) -> str:
    """Hash the examples, for the keys of adapters trained on them."""
    text = json.dumps([asdict(row) for row in examples], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
