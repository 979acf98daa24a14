"""CodeLinterEval's results as text for the terminal and as CSV for DVC's plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from coral_batch.errors import apart
from coral_batch.linteval.scores.metrics import Passes, Summary
from coral_batch.linteval.scores.score import CHANGES, count_changes
from coral_batch.records.items import Item
from coral_batch.records.rows import LintSampleRow
from coral_batch.work.text import escape, indent, inline, interval, table, to_csv

Differences = tuple[Passes, Passes]
"""Of the official and of the strict score."""

_PASSED = {True: "passed", False: "failed", None: "needs tests"}


def score_tables(models: Mapping[str, Summary], minus_first: Mapping[str, Differences]) -> str:
    """Return tables with a row per model: both scores, answers by outcome, flake8 codes by change.

    Args:
        models: name -> its scores on the same items; names are not escaped.
        minus_first: name -> its difference to the first model in both scores.
    """
    first, summary = next(iter(models.items()))
    parts = []
    for number, kind in enumerate(("official", "strict")):
        header = (kind, "answers per item", *summary.official)
        rows = [
            (name, str(one.samples), *_cells(getattr(one, kind))) for name, one in models.items()
        ]
        parts.append(table(header, rows, left={kind}))
        title = f"{kind}, minus {first}"
        rows = [(name, *_cells(pair[number], signed=True)) for name, pair in minus_first.items()]
        parts.append(table((title, *summary.official), rows, left={title}))
    outcomes = sorted({name for one in models.values() for name in one.outcomes})
    answers = [
        (name, *(str(one.outcomes.get(key, 0)) for key in outcomes), str(one.tests_passed))
        for name, one in models.items()
    ]
    parts.append(table(("answers", *outcomes, "tests pass"), answers, left={"answers"}))
    codes = [(name, *map(str, one.changes.values())) for name, one in models.items()]
    parts.append(table(("flake8 codes", *summary.changes), codes, left={"flake8 codes"}))
    return "\n\n".join(parts)


def notes(summary: Summary) -> str:
    """Return the legend of the score tables."""
    return (
        f"{summary.items} items of {summary.functions} functions, {summary.tested} with tests; [ ]:"
        " 95 % interval over functions, differences in points;\n-: fewer answers than k, or no"
        " tests for the strict score"
    )


def overview(scores: pl.DataFrame, changes: pl.DataFrame) -> str:
    """Return a table with a row per item: how many answers passed, which codes stayed or are new.

    Args:
        scores: a model's table `linteval_scores`.
        changes: its table `linteval_changes`.
    """
    left = changes.filter(pl.col("change").is_in(["stayed", "new"]))
    rows = []
    for (item,), of_item in scores.group_by("item", maintain_order=True):
        codes = left.filter(pl.col("item") == item)["code"].value_counts().sort("code")
        rows.append(
            (
                str(item),
                f"{of_item['official'].sum()}/{len(of_item)}",
                f"{of_item['strict'].sum()}/{len(of_item)}" if of_item["strict"].count() else "-",
                " ".join(f"{code}:{count}" for code, count in codes.iter_rows()),
            )
        )
    return table(("item", "official", "strict", "answers with"), rows, left=("answers with",))


def answer_text(
    item: Item,
    samples: Sequence[LintSampleRow],
    scores: pl.DataFrame,
    findings: pl.DataFrame,
    verdicts: pl.DataFrame,
) -> str:
    """Return one model's answers to one item with all results; the model's text is escaped.

    Args:
        item: the item.
        samples: its answers.
        scores: their rows of `linteval_scores`.
        findings: their rows of `linteval_findings`.
        verdicts: their rows of `linteval_verdicts`.
    """
    if scores["sample"].to_list() != [sample.sample for sample in samples]:
        raise apart(f"answers to item {item.meta.id} without scores, or scores without answers")
    parts = [f"item {item.meta.id}", "prompt:", indent(escape(samples[0].prompt), "  ")]
    for sample in samples:
        number = pl.col("sample") == sample.sample
        row = scores.filter(number).row(0, named=True)
        official, strict = (_PASSED[row[kind]] for kind in ("official", "strict"))
        parts += [
            "",
            f"answer {sample.sample}: official {official}, strict {strict}, {row['outcome']}; "
            f"{sample.new_tokens} tokens, ended by {sample.finish}",
            indent(escape(sample.raw), "  | "),
        ]
        parts += [
            f"  line {found['line']}, column {found['column']}: {found['code']} "
            + inline(found["message"])
            + (" (silenced by noqa)" if found["silenced"] else "")
            for found in findings.filter(number).iter_rows(named=True)
        ]
        parts += [
            f"  {found['test'] or 'case ' + str(found['case'])}: {found['kind']} "
            + inline(found["detail"])
            for found in verdicts.filter(number).iter_rows(named=True)
        ]
    return "\n".join(line.rstrip() for line in parts)


def plots(changes: Mapping[str, pl.DataFrame]) -> dict[str, str]:
    """Return file name -> CSV text of every plot, a row per flake8 code and model.

    ``fixed.csv``: of the answers to code with that finding, the share without it.
    ``new.csv``: number of answers with a finding that the item's code did not have.

    Args:
        changes: name of the model -> its table `linteval_changes`.
    """
    counts = {model: count_changes(rows) for model, rows in changes.items()}
    codes = sorted({code for of_model in counts.values() for code in of_model})
    fixed, new = [], []
    for code in codes:
        for model, of_model in counts.items():
            count = of_model.get(code) or dict.fromkeys(CHANGES, 0)
            had = count["fixed"] + count["stayed"] + count["lost"]
            label = f"{code} ({model})"
            if had:
                fixed.append((label, code, model, round(count["fixed"] / had, 6), had))
            if any(other.get(code, {}).get("new") for other in counts.values()):
                new.append((label, code, model, count["new"]))
    return {
        "fixed.csv": to_csv(("bar", "code", "model", "fixed", "answers"), fixed),
        "new.csv": to_csv(("bar", "code", "model", "answers"), new),
    }


def _cells(passes: Passes, *, signed: bool = False) -> list[str]:
    return ["-" if one is None else interval(one, signed=signed) for one in passes.values()]
