"""Training examples of CodeLinterEval's task: programs of the training role with lint errors.

They keep a model that is trained to repair bugs from unlearning the other task. They are made as
the bundled items are: errors are put into a clean program, and the clean one is to be written. They
ask in English, so they have neither programs nor instructions in common with the items of the
default run; the kinds of errors are the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import cycle
from typing import TYPE_CHECKING

from coral_batch.linteval.items.build import DEFAULT_FLAKE8, feedback
from coral_batch.linteval.items.item import fill
from coral_batch.linteval.items.mutants import mutants
from coral_batch.linteval.items.prompts import PROMPTS
from coral_batch.linting.pool import lint
from coral_batch.models.prompts.prompt import FENCE, free_prompt
from coral_batch.records.example import Example
from coral_batch.records.finding import Finding
from coral_batch.records.items import Candidate, Inputs
from coral_batch.records.problem import Problem

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


def make_lint_examples(
    problems: Iterable[Problem],
    each: int,
    tokenizer: PreTrainedTokenizerBase,
    seed: int,
    workers: int | None = None,
) -> list[Example]:
    """Make the lint examples of training problems, ordered by problem and number.

    A reference that flake8 complains about gives none, since it is not what should be written. The
    instructions take turns from example to example.

    Args:
        problems: training problems only.
        each: examples a problem.
        tokenizer: the base model's, as in `coral_batch.models.prompts.examples.make_examples`.
        seed: the run's seed.
        workers: processes for linting; None for one a core.

    Raises:
        CoralError: as in `mutants`.
    """
    if not each:
        return []
    references = [(one.name, one.reference) for one in sorted(problems, key=lambda one: one.name)]
    found = _lint([code for _, code in references], workers)
    clean = [
        Candidate(name, code, canonical=code)
        for (name, code), findings in zip(references, found, strict=True)
        if not findings
    ]
    spoiled = mutants(clean, each, seed)
    found = _lint([one.code for one in spoiled], workers)
    asked = zip(spoiled, found, cycle(PROMPTS["en"]), strict=False)
    return [_example(one, findings, text, tokenizer) for one, findings, text in asked]


def _lint(sources: list[str], workers: int | None) -> list[list[Finding]]:
    return lint(sources, workers, {"flake8": DEFAULT_FLAKE8})


def _example(
    spoiled: Candidate,
    findings: list[Finding],
    instruction: str,
    tokenizer: PreTrainedTokenizerBase,
) -> Example:
    problem, number = spoiled.source.rsplit(" ", 1)
    name = f"{problem}/lint-{number}"
    assert spoiled.canonical is not None
    output = spoiled.canonical.removesuffix("\n")
    prompt = free_prompt(tokenizer, fill(instruction, Inputs(spoiled.code, feedback(findings))))
    fence = "" if prompt.endswith(FENCE) else FENCE
    return Example(
        id=name,
        problem=problem,
        variant=int(number) - 1,
        bug=name,
        instruction=instruction,
        input=spoiled.code,
        output=output,
        prompt=prompt,
        answer=f"{fence}{output}\n```{tokenizer.eos_token}",
    )
