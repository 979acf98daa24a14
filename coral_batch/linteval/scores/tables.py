"""Score many answers: lint them, run their tests in the jail, compute the scores.

Equal code is linted once, and judged once per item.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from coral_batch import lake
from coral_batch.errors import apart
from coral_batch.linteval.scores.score import changes, score
from coral_batch.linting.pool import lint
from coral_batch.records.finding import Finding
from coral_batch.records.items import Answer, Item, ItemTests
from coral_batch.records.rows import LintSampleRow
from coral_batch.records.verdict import Program, Verdict

Rows = list[dict[str, Any]]
Judge = Callable[[Sequence[Program]], list[list[Verdict]]]
"""`coral_batch.verdicts.judge` with its settings."""


def score_samples(
    samples: Sequence[LintSampleRow | Answer],
    items: Sequence[Item],
    tests: Sequence[ItemTests],
    in_jail: Judge,
    workers: int | None,
) -> dict[str, Rows]:
    """Score every answer.

    Args:
        samples: the answers.
        items: at least their items.
        tests: the items' tests.
        in_jail: runs programs on their tests.
        workers: processes that lint; None for one per core.

    Returns:
        Rows of the tables `linteval_findings`, `_verdicts`, `_changes` and `_scores`, in the order
        of `samples`. Findings and verdicts also have fields that their tables leave out.

    Raises:
        CoralError: an item or its tests are missing.
    """
    known = {one.id for one in tests} & {item.meta.id for item in items}
    if missing := [sample.item for sample in samples if sample.item not in known]:
        lacking = f"no row for item {missing[0]}, or none of its tests"
        raise apart(lacking, lake.path("linteval_items"))
    asked = {sample.item for sample in samples}
    codes = {item.meta.id: item.inputs.code for item in items if item.meta.id in asked}
    before = dict(zip(codes, lint_codes(list(codes.values()), workers)[0], strict=True))
    after, published = lint_codes([sample.code for sample in samples], workers)
    judged = _judged(samples, tests, in_jail)
    names = ("findings", "verdicts", "changes", "scores")
    rows: dict[str, Rows] = {f"linteval_{name}": [] for name in names}
    for sample, found, shown, verdicts in zip(samples, after, published, judged, strict=True):
        key = {"item": sample.item, "sample": sample.sample}
        row = score(sample.code, found, shown, verdicts)
        changed = changes(before[sample.item], found, row["outcome"])
        rows["linteval_changes"] += [{**key, **change} for change in changed]
        rows["linteval_scores"].append({"genome": sample.genome, **key, **row})
        visible = set(shown)
        rows["linteval_findings"] += [
            {**key, **asdict(finding), "silenced": finding not in visible} for finding in found
        ]
        rows["linteval_verdicts"] += [{**key, **asdict(verdict)} for verdict in verdicts or ()]
    return rows


def lint_codes(
    codes: Sequence[str], workers: int | None
) -> tuple[list[list[Finding]], list[list[Finding]]]:
    """Run flake8 on code as it was written.

    Args:
        codes: the texts, with any repetitions.
        workers: processes; None for one per core.

    Returns:
        Each text's findings without and with ``# noqa`` honoured. A text without that word is
        linted once, since nothing in it could be silenced.
    """
    written = lint(codes, workers, ("flake8",), final_newline=False)
    noted = [code for code in codes if "noqa" in code.lower()]
    again = lint(noted, workers, ("flake8",), honour_noqa=True, final_newline=False)
    published = dict(zip(codes, written, strict=True)) | dict(zip(noted, again, strict=True))
    return written, [published[code] for code in codes]


def _judged(
    samples: Sequence[LintSampleRow | Answer], tests: Sequence[ItemTests], in_jail: Judge
) -> list[list[Verdict] | None]:
    """Run the items' tests on every answer; None without tests."""
    by_item = {one.id: one for one in tests}
    programs = [
        Program(of.function, one.code, of.cases, of.tests, {})
        for one in samples
        if (of := by_item[one.item]).function is not None
    ]
    verdicts = iter(in_jail(programs) if programs else ())
    return [None if by_item[sample.item].function is None else next(verdicts) for sample in samples]
