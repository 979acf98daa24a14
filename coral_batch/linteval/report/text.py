"""CodeLinterEval's results as text for the terminal and as CSV for DVC's plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from coral_batch.linteval.scores.metrics import Comparison, Passes, Summary
from coral_batch.linteval.scores.score import count_changes
from coral_batch.records.items import Item
from coral_batch.records.rows import LintSampleRow
from coral_batch.work.csv_text import to_csv
from coral_batch.work.text import escape, indent, inline, table


def results(models: Mapping[str, Summary], comparison: Comparison | None = None) -> str:
    """Return the results as a table, a column a model, and what is to know about it.

    Args:
        models: name -> its scores, of the same items and number of samples.
        comparison: the differences, for a column of their own.
    """
    first = next(iter(models.values()))
    header = ["", *models, *(["difference"] if comparison else [])]
    rows: list[list[str]] = []
    for kind in ("official", "strict"):
        passes = [getattr(model, kind) for model in (*models.values(), comparison) if model]
        rows += [
            [f"{kind} {name}", *(_interval(of, name) for of in passes)] for name in first.official
        ]
        rows.append([])
    blank = [""] if comparison else []
    total = first.items * first.samples
    outcomes = sorted({name for model in models.values() for name in model.outcomes})
    for name in outcomes:
        counts = [str(model.outcomes.get(name, 0)) for model in models.values()]
        rows.append([f"answers: {name}", *counts, *blank])
    rows.append(
        ["answers: tests pass", *(str(model.tests_passed) for model in models.values()), *blank]
    )
    rows.append([])
    for name in first.changes:
        counts = [str(model.changes[name]) for model in models.values()]
        rows.append([f"codes: {name}", *counts, *blank])
    text = table(header, rows, left=("",))
    notes = [
        f"{first.items} items of {first.functions} functions, {first.samples} samples each, "
        f"{total} answers; mean over items and 95 % bootstrap interval over functions",
        f"{first.tested} of {first.items} items have tests",
    ]
    beyond = [name for name, value in first.official.items() if value is None]
    if beyond:
        notes.append(f"{', '.join(beyond)} cannot be estimated from {first.samples} samples")
    return "\n".join([text, *notes])


def overview(scores: pl.DataFrame, changes: pl.DataFrame) -> str:
    """Return a table with a row an item: how many of its answers passed, and what stayed or is new.

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
                f"{of_item['strict'].sum()}/{len(of_item)}",
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
    """Return all about one model's answers to one item; what the model wrote is escaped.

    Args:
        item: the item.
        samples: its answers.
        scores: their rows of `linteval_scores`.
        findings: their rows of `linteval_findings`.
        verdicts: their rows of `linteval_verdicts`.
    """
    parts = [f"item {item.meta.id}", "prompt:", indent(escape(samples[0].prompt), "  ")]
    for sample in samples:
        number = pl.col("sample") == sample.sample
        row = scores.filter(number).row(0, named=True)
        parts += [
            "",
            f"answer {sample.sample}: official {_passed(row['official'])}, strict "
            f"{_passed(row['strict'])}, {row['outcome']}; {sample.new_tokens} tokens, ended by "
            f"{sample.finish}",
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
    """Return file name -> CSV text of every plot, a row a flake8 code and model.

    ``fixed.csv``: share of the answers to code with that complaint that are without it.
    ``new.csv``: number of answers that have a complaint which the item's code had not.

    Args:
        changes: name of the model -> its table `linteval_changes`.
    """
    counts = {
        model: count_changes(list(rows.select("code", "change").iter_rows()))
        for model, rows in changes.items()
    }
    codes = sorted({code for of_model in counts.values() for code in of_model})
    fixed, new = [], []
    for code in codes:
        for model, of_model in counts.items():
            count = of_model.get(code, dict.fromkeys(("fixed", "stayed", "lost", "new"), 0))
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


def _passed(success: bool) -> str:
    return "passed" if success else "failed"


def _interval(passes: Passes, name: str) -> str:
    value = passes[name]
    return "-" if value is None else f"{value.mean:.3f} [{value.low:.3f}, {value.high:.3f}]"
