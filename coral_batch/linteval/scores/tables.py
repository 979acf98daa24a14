"""The answers of one model to many items: linted, run in the jail and scored.

Equal code is linted once, and judged once an item. What is too long to be linted is not run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from coral_batch import lake
from coral_batch.errors import CoralError
from coral_batch.linteval.scores.score import Score, score
from coral_batch.linting.pool import MAX_BYTES, lint
from coral_batch.records.finding import Finding
from coral_batch.records.items import Answer, Item, ItemTests
from coral_batch.records.rows import LintSampleRow
from coral_batch.records.verdict import Program, Verdict
from coral_batch.verdicts.testfiles import names_of

Rows = list[dict[str, Any]]
Record = TypeVar("Record")
Judge = Callable[[Sequence[Program]], list[list[Verdict]]]
"""`coral_batch.verdicts.judge` with its settings."""


@dataclass(frozen=True)
class Scored:
    """Rows of the tables `linteval_findings`, `_verdicts`, `_changes` and `_scores`."""

    findings: Rows
    verdicts: Rows
    changes: Rows
    scores: Rows


def score_samples(
    samples: Sequence[LintSampleRow | Answer],
    items: Sequence[Item],
    tests: Sequence[ItemTests],
    in_jail: Judge,
    isolation: str,
    workers: int | None,
) -> Scored:
    """Score every answer.

    Args:
        samples: the answers.
        items: their items, and any others.
        tests: the items' tests.
        in_jail: what runs programs.
        isolation: the layers of isolation in force there, joined by +.
        workers: processes that lint; None for one a core.

    Returns:
        Rows in the order of `samples`.

    Raises:
        CoralError: an item or its tests are missing.
    """
    codes = [sample.code for sample in samples]
    asked = sorted({sample.item for sample in samples})
    by_item = records_of(asked, {item.meta.id: item for item in items}, "linteval_items")
    originals = [item.inputs.code for item in by_item.values()]
    after, published = lint_codes(codes, workers)
    before = dict(zip(by_item, lint_written(originals, workers), strict=True))
    judged = judge_codes(samples, tests, in_jail)
    scored = Scored([], [], [], [])
    for number, sample in enumerate(samples):
        key = {"item": sample.item, "sample": sample.sample}
        verdicts = judged[number]
        result = score(
            by_item[sample.item].inputs.code,
            sample.code,
            before[sample.item],
            after[number],
            published[number],
            None if verdicts is None else [verdict.kind for verdict in verdicts],
        )
        scored.findings.extend(_finding_rows(key, after[number], published[number]))
        scored.verdicts.extend(
            {**key, "case": v.case, "test": v.test, "kind": v.kind, "detail": v.detail}
            | {"isolation": isolation}
            for v in verdicts or ()
        )
        scored.changes.extend({**key, **asdict(change)} for change in result.changes)
        scored.scores.append({"genome": sample.genome, **key, **_score_row(result)})
    return scored


def lint_codes(
    codes: Sequence[str], workers: int | None
) -> tuple[list[list[Finding]], list[list[Finding]]]:
    """Run flake8 on code as it was written.

    Args:
        codes: the texts, with any repetitions.
        workers: processes; None for one a core.

    Returns:
        Each text's findings without and with ``# noqa`` honoured. A text without that word is
        linted once, since nothing in it could be silenced.
    """
    written = lint_written(codes, workers)
    noted = [number for number, code in enumerate(codes) if "noqa" in code.lower()]
    published = list(written)
    if noted:
        again = lint(
            [codes[number] for number in noted],
            workers,
            ("flake8",),
            honour_noqa=True,
            final_newline=False,
        )
        for number, findings in zip(noted, again, strict=True):
            published[number] = findings
    return written, published


def lint_written(codes: Sequence[str], workers: int | None) -> list[list[Finding]]:
    """Return flake8's findings in each text as it was written, ``# noqa`` silencing nothing."""
    return lint(codes, workers, ("flake8",), final_newline=False)


def judge_codes(
    samples: Sequence[LintSampleRow | Answer], tests: Sequence[ItemTests], in_jail: Judge
) -> list[list[Verdict] | None]:
    """Run the items' tests on every answer; None without tests.

    An answer that is too long for the linters fails every test, and is not run.
    """
    by_item = records_of(
        [sample.item for sample in samples], {one.id: one for one in tests}, "linteval_tests"
    )
    programs = {
        number: program
        for number, sample in enumerate(samples)
        if (program := _program(by_item[sample.item], sample)) is not None
    }
    short = {
        number: program
        for number, program in programs.items()
        if len(program.code.encode("utf-8", "surrogatepass")) <= MAX_BYTES
    }
    judged = in_jail(list(short.values())) if short else []
    verdicts = dict(zip(short, judged, strict=True))
    for number, program in programs.items():
        verdicts.setdefault(number, _too_long(program))
    return [verdicts.get(number) for number in range(len(samples))]


def _too_long(program: Program) -> list[Verdict]:
    detail = f"not run: more than {MAX_BYTES} bytes"
    return [
        Verdict(number, name, "FAIL", detail, 0.0, 0.0)
        for number, name in enumerate(names_of(program))
    ]


def records_of(
    items: Sequence[int], records: Mapping[int, Record], table: str
) -> dict[int, Record]:
    """Return the records of some items, which the answers to them say are there.

    Args:
        items: numbers of items, with any repetitions.
        records: item -> its record.
        table: where the records stand, for the message.

    Raises:
        CoralError: one is missing.
    """
    if missing := sorted(set(items) - records.keys()):
        raise CoralError(
            "the answers are to items that are not there",
            file=lake.path(table),
            found=f"no row for item {missing[0]}",
            action="run `dvc repro`",
        )
    return {item: records[item] for item in items}


def _program(tests: ItemTests, sample: LintSampleRow | Answer) -> Program | None:
    if tests.function is None:
        return None
    name = f"{sample.item}/{sample.sample}"
    return Program(name, tests.function, sample.code, tests.cases, tests.tests, {})


def _finding_rows(
    key: dict[str, int], after: Sequence[Finding], published: Sequence[Finding]
) -> Rows:
    return [
        {
            **key,
            "code": finding.code,
            "message": finding.message,
            "line": finding.line,
            "column": finding.column,
            "silenced": finding not in published,
        }
        for finding in after
    ]


def _score_row(result: Score) -> dict[str, Any]:
    row = asdict(result)
    del row["changes"]
    return row
