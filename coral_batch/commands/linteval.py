"""`coral linteval show` and `export`: look at answers, and hand the scored data set on."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from coral_batch import lake
from coral_batch.errors import CoralError
from coral_batch.lake.atomic import atomic
from coral_batch.linteval.items.item import with_outputs
from coral_batch.linteval.report.text import answer_text, overview
from coral_batch.records.items import Item
from coral_batch.records.rows import LintSampleRow
from stages.arguments import LintModel


def show(
    model: LintModel,
    item: Annotated[int | None, typer.Argument(help="Id of an item; none: all items.")] = None,
) -> None:
    """Show a model's scores by item, or all about its answers to one."""
    scores = lake.read_frame("linteval_scores", model)
    if item is None:
        print(overview(scores, lake.read_frame("linteval_changes", model)))
        return
    items = {row.meta.id: row for row in lake.read_rows("linteval_items", Item)}
    if item not in scores["item"] or item not in items:
        raise CoralError(
            "the model was not asked this",
            file=lake.path("linteval_scores", model),
            found=item,
            expected="an item of the list that the command shows without one",
        )
    samples = lake.read_rows("linteval_samples", LintSampleRow, model)
    of_item = pl.col("item") == item
    print(
        answer_text(
            items[item],
            [sample for sample in samples if sample.item == item],
            scores.filter(of_item),
            lake.read_frame("linteval_findings", model).filter(of_item),
            lake.read_frame("linteval_verdicts", model).filter(of_item),
        )
    )


def export(
    model: LintModel,
    file: Annotated[
        Path | None, typer.Argument(help="The JSON file to write; none: standard output.")
    ] = None,
) -> None:
    """Write the answered items in CodeLinterEval's own format, `outputs` filled."""
    scores = lake.read_frame("linteval_scores", model)
    items = with_outputs(
        lake.read_rows("linteval_items", Item), scores.select("item", "official").rows()
    )
    text = json.dumps([asdict(item) for item in items], ensure_ascii=False, indent=2) + "\n"
    if file is None:
        sys.stdout.write(text)
        return
    with atomic(file) as stream:
        stream.write(text.encode())
