"""Training examples with lint errors in training programs.

Examples of CodeLinterEval's task keep a model that is trained on bugs from unlearning that task.
They are made like the bundled items: errors are put into a clean program, and the model has to
write the clean program. Their instructions are English, so they share neither programs nor
instructions with the items of the default run, only the kinds of errors.

As many examples have a bug in a program whose lint errors stay. A model that never saw both
together fixes lint errors when it is asked to repair a bug.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import cycle
from typing import TYPE_CHECKING

from coral_batch.linteval.items.item import feedback, fill, instructions
from coral_batch.linteval.items.mutants import mutants, spoil_alike
from coral_batch.linting.pool import lint
from coral_batch.models.prompts.examples import make_examples
from coral_batch.models.prompts.prompt import FENCE, free_prompt
from coral_batch.records.example import Example
from coral_batch.records.finding import Finding
from coral_batch.records.items import Candidate, Inputs
from coral_batch.records.problem import Bug, Problem
from coral_batch.records.settings import Examples

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


def complaints(sources: Sequence[str], workers: int | None = None) -> list[list[Finding]]:
    """Return flake8's findings in each text, unchanged and with default settings."""
    return lint(sources, workers, ("flake8",), honour_noqa=True, final_newline=False)


def make_all_examples(
    problems: Sequence[Problem],
    bugs: Sequence[Bug],
    shown: Examples,
    tokenizer: PreTrainedTokenizerBase,
    docstring: bool,
    seed: int,
    workers: int | None = None,
) -> list[Example]:
    """Make all training examples: bugs, some in unclean programs, then lint errors.

    Args:
        problems: training problems only.
        bugs: injected bugs of any problems, each problem's in order.
        shown: how many injected bugs to show per program; how many of these to show among lint
            errors that stay, which is also the number of lint examples per clean program.
        tokenizer: the base model's, as in `coral_batch.models.prompts.examples.make_examples`.
        docstring: show the problem's docstring after the code with a bug.
        seed: the run's seed.
        workers: processes for linting; None for one per core.

    Raises:
        CoralError: none of the problems has a bug to show; as in `mutants` and `spoil_alike`.
    """
    clean = clean_problems(problems, workers) if shown.lint else []
    of_bugs = in_unclean_programs(bugs, clean, shown.bugs, shown.lint, seed)
    made = make_examples(problems, of_bugs, shown.bugs, tokenizer, docstring)
    return made + make_lint_examples(clean, shown.lint, tokenizer, seed, workers)


def clean_problems(problems: Iterable[Problem], workers: int | None = None) -> list[Problem]:
    """Return the problems, sorted by name, whose reference has no flake8 findings.

    Only these get lint errors: the references of the others are not what a model should write.

    Args:
        problems: training problems only.
        workers: processes for linting; None for one per core.
    """
    ordered = sorted(problems, key=lambda problem: problem.name)
    found = complaints([problem.reference for problem in ordered], workers)
    return [one for one, findings in zip(ordered, found, strict=True) if not findings]


def make_lint_examples(
    clean: Iterable[Problem],
    each: int,
    tokenizer: PreTrainedTokenizerBase,
    seed: int,
    workers: int | None = None,
) -> list[Example]:
    """Make the lint examples of training problems, each problem's by number.

    The instructions take turns from example to example.

    Args:
        clean: the problems from `clean_problems`.
        each: examples per problem.
        tokenizer: the base model's, as in `coral_batch.models.prompts.examples.make_examples`.
        seed: the run's seed.
        workers: processes for linting; None for one per core.

    Raises:
        CoralError: as in `mutants`.
    """
    programs = [Candidate(one.name, one.reference, canonical=one.reference) for one in clean]
    spoiled = mutants(programs, each, seed)
    found = complaints([one.code for one in spoiled], workers)
    examples = []
    asked = zip(spoiled, found, cycle(instructions("en")), strict=False)
    for one, findings, instruction in asked:
        problem, number = one.source.rsplit(" ", 1)
        name = f"{problem}/lint-{number}"
        output = one.canonical.removesuffix("\n")
        prompt = free_prompt(tokenizer, fill(instruction, Inputs(one.code, feedback(findings))))
        fence = "" if prompt.endswith(FENCE) else FENCE
        examples.append(
            Example(
                id=name,
                problem=problem,
                variant=int(number) - 1,
                bug=name,
                instruction=instruction,
                input=one.code,
                output=output,
                prompt=prompt,
                answer=f"{fence}{output}\n```{tokenizer.eos_token}",
            )
        )
    return examples


def in_unclean_programs(
    bugs: Sequence[Bug], clean: Iterable[Problem], shown: int, each: int, seed: int
) -> list[Bug]:
    """Return the bugs, some of them in programs with lint errors that the repair keeps.

    Args:
        bugs: of any problems, each problem's in order.
        clean: the problems from `clean_problems`; the bugs of all others stay unchanged.
        shown: how many bugs of a program a model is shown.
        each: how many of these get lint errors; the last ones do.
        seed: the run's seed.

    Raises:
        CoralError: as in `spoil_alike`.
    """
    last: set[str] = set()
    for problem in clean:
        own = [bug.id for bug in bugs if bug.problem == problem.name][:shown]
        last.update(own[max(len(own) - each, 0) :])
    used: Counter[str] = Counter()
    found = []
    for bug in bugs:
        if bug.id in last:
            reference, buggy = spoil_alike([bug.reference, bug.buggy], bug.id, seed, used)
            found.append(replace(bug, reference=reference, buggy=buggy))
        else:
            found.append(bug)
    return found
