"""The records of CodeLinterEval.

`Item` is the benchmark's own record, field for field. `ItemTests` has the tests that an answer has
to pass, one record per item.
"""

from __future__ import annotations

from dataclasses import dataclass

from coral_batch.records.problem import Case

PLACEHOLDERS = ("{code}", "{feedback}")


@dataclass(frozen=True)
class Inputs:
    """Fields that the model sees.

    Attributes:
        code: source code with linter errors.
        feedback: flake8's findings, one per line: ``CODE: message in LINE line``.
    """

    code: str
    feedback: str


@dataclass(frozen=True)
class Meta:
    """Fields that the model never sees.

    Attributes:
        id: the item's number, unique in its data set.
        canonical_code: a solution without findings.
    """

    id: int
    canonical_code: str


@dataclass(frozen=True)
class Item:
    """One task of CodeLinterEval.

    Attributes:
        instruction: template with each of `PLACEHOLDERS`.
        inputs: the values of the placeholders.
        outputs: one 0 or 1 per sample; empty until the samples are scored.
        meta: id and canonical solution.
    """

    instruction: str
    inputs: Inputs
    outputs: tuple[int, ...]
    meta: Meta


@dataclass(frozen=True)
class ItemTests:
    """The tests of one item; the official score does not use them.

    `function`, `cases` and `tests` are those of a `coral_batch.records.verdict.Program`, which has
    no support modules.

    Attributes:
        id: the item's id.
        source: where the item comes from, e.g. ``mbpp 601`` or ``snippets/running_total 2``.
        function: name of the function that is tested; None when there are no tests.
        cases: JSON cases; empty when there are none.
        tests: source of a test file with functions named ``test*``, as `Problem.tests`; None
            when there is none. An item has cases, or tests, or neither.
    """

    id: int
    source: str
    function: str | None = None
    cases: tuple[Case, ...] = ()
    tests: str | None = None


@dataclass(frozen=True)
class Answer:
    """An answer from outside of a run, with the fields that are scored.

    Attributes:
        genome: name of the model; the fields are named as in
            `coral_batch.records.rows.LintSampleRow`.
        item: the item's id.
        sample: its number among the answers to the item, from 0.
        code: the extracted code.
    """

    genome: str
    item: int
    sample: int
    code: str


@dataclass(frozen=True)
class Candidate:
    """A program that may become an item.

    Attributes:
        source: where it is from, e.g. ``mbpp 601``; unique.
        code: its source code.
        canonical: its canonical solution; empty to make one.
        function: as in `ItemTests`, like the two below.
        cases: JSON cases.
        tests: source of a test file.
    """

    source: str
    code: str
    canonical: str = ""
    function: str | None = None
    cases: tuple[Case, ...] = ()
    tests: str | None = None


@dataclass(frozen=True)
class Dropped:
    """A program that is dropped.

    Attributes:
        source: where it is from, as in `ItemTests`.
        reason: why, by schemas/linteval_dropped.schema.json.
        detail: what was found, e.g. the findings that stayed.
    """

    source: str
    reason: str
    detail: str


@dataclass(frozen=True)
class DataSet:
    """The three tables of `linteval_items`; `items` and `tests` have the same order."""

    items: tuple[Item, ...]
    tests: tuple[ItemTests, ...]
    dropped: tuple[Dropped, ...]
