"""The records of CodeLinterEval, and the prompt that a model gets for one.

`Item` is the benchmark's own record, field for field; what the build knows beside it, the tests
that the answer has to pass, lies in `ItemTests`, one for each item.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from coral_batch.corpus.problem import Case

PLACEHOLDERS = ("{code}", "{feedback}")
_PLACEHOLDER = re.compile("|".join(re.escape(placeholder) for placeholder in PLACEHOLDERS))

Reason = Literal[
    "clean",
    "duplicate",
    "unparseable",
    "too_long",
    "not_linted",
    "untestable",
    "original_fails",
    "not_silent",
    "canonical_fails",
]
"""Why a program gives no item; schemas/linteval_dropped.schema.json says what each means."""


@dataclass(frozen=True)
class Inputs:
    """What the model sees.

    Attributes:
        code: source code with linter errors.
        feedback: flake8's findings, a line each: ``CODE: message in LINE line``.
    """

    code: str
    feedback: str


@dataclass(frozen=True)
class Meta:
    """What the model never sees.

    Attributes:
        id: the item's number, unique in its data set.
        canonical_code: a solution without findings.
    """

    id: int
    canonical_code: str


@dataclass(frozen=True)
class Item:
    """One question of CodeLinterEval.

    Attributes:
        instruction: template with each of `PLACEHOLDERS`.
        inputs: what the placeholders stand for.
        outputs: one 0 or 1 a sample; empty until the samples are scored.
        meta: id and canonical solution.
    """

    instruction: str
    inputs: Inputs
    outputs: tuple[int, ...]
    meta: Meta


@dataclass(frozen=True)
class ItemTests:
    """The tests of one item; a test case decides nothing in the official score.

    With `function`, `cases` and `tests` a `coral_batch.verdicts.Program` is complete (`problem` is
    the function's name; no support modules).

    Attributes:
        id: the item's id.
        source: where the item is from, e.g. ``mbpp 601`` or ``snippets/running_total 2``.
        function: name of the function that is tested; None when there are no tests.
        cases: JSON cases; empty when there are none.
        tests: source of a test file with functions named ``test*``, as `Problem.tests`; None
            when there is none. An item has cases, or tests, or neither: then no strict score.
    """

    id: int
    source: str
    function: str | None
    cases: tuple[Case, ...]
    tests: str | None


@dataclass(frozen=True)
class Candidate:
    """A program that may become an item.

    Attributes:
        source: where it is from, e.g. ``mbpp 601``; unique.
        code: its source code.
        canonical: its canonical solution; None to have one made.
        function: as in `ItemTests`, like the two below.
        cases: JSON cases.
        tests: source of a test file.
    """

    source: str
    code: str
    canonical: str | None = None
    function: str | None = None
    cases: tuple[Case, ...] = ()
    tests: str | None = None


@dataclass(frozen=True)
class Dropped:
    """A program that gives no item.

    Attributes:
        source: where it is from, as in `ItemTests`.
        reason: see `Reason`.
        detail: what was found, e.g. the findings that stayed.
    """

    source: str
    reason: Reason
    detail: str


@dataclass(frozen=True)
class PromptCount:
    """How many items have one instruction."""

    instruction: str
    items: int


@dataclass(frozen=True)
class ItemStatistics:
    """What a build made.

    Attributes:
        kept: number of items.
        dropped: reason -> number of programs.
        findings: flake8 code -> number of findings in the items' code, most frequent first.
        prompts: the instructions, in the order of the items that first use them.
    """

    kept: int
    dropped: dict[str, int]
    findings: dict[str, int]
    prompts: tuple[PromptCount, ...]


def fill(instruction: str, inputs: Inputs) -> str:
    """Return the prompt: both placeholders replaced in one pass, so that braces in code survive.

    The ends are stripped, as the official harness does (MERA_CODE's codelintereval.yaml,
    ``instruction.format(**inputs).strip()``).
    """
    values = {"{code}": inputs.code, "{feedback}": inputs.feedback}
    return _PLACEHOLDER.sub(lambda match: values[match.group()], instruction).strip()


def spread(items: Sequence[Item], count: int | None) -> list[Item]:
    """Return at most `count` items, evenly spread over the list; all of them for None."""
    count = len(items) if count is None else min(count, len(items))
    return [items[index * len(items) // count] for index in range(count)]


def with_outputs(items: Sequence[Item], successes: Sequence[tuple[int, bool]]) -> list[Item]:
    """Return the items that were answered, with their `outputs`.

    Args:
        items: the items.
        successes: id and success of each answer, an item's in the order of its samples.
    """
    outputs: dict[int, tuple[int, ...]] = {}
    for number, success in successes:
        outputs[number] = (*outputs.get(number, ()), int(success))
    return [
        replace(item, outputs=outputs[item.meta.id]) for item in items if item.meta.id in outputs
    ]
