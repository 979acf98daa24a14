"""CodeLinterEval's results as text for the terminal and as CSV for DVC's plots."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from coral_batch.linteval.metrics import Comparison, Passes, Summary
from coral_batch.linteval.score import count_changes
from coral_batch.report.plots import to_csv
from coral_batch.report.text import table


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
    rows.append(["answers: tests pass", *(str(model.behaved) for model in models.values()), *blank])
    rows.append([])
    for name in first.changes:
        counts = [str(model.changes[name]) for model in models.values()]
        rows.append([f"codes: {name}", *counts, *blank])
    text = table(header, rows, left=("",))
    notes = [
        f"{first.items} items, {first.samples} samples each, {total} answers; mean over items and "
        "95 % bootstrap interval over items",
        f"the strict score needs tests, which {first.tested} of {first.items} items have",
    ]
    beyond = [name for name, value in first.official.items() if value is None]
    if beyond:
        notes.append(f"{', '.join(beyond)} cannot be estimated from {first.samples} samples")
    return "\n".join([text, *notes])


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


def _interval(passes: Passes, name: str) -> str:
    value = passes[name]
    return "-" if value is None else f"{value.mean:.3f} [{value.low:.3f}, {value.high:.3f}]"
