"""CodeLinterEval in lm-evaluation-harness: the functions that codelintereval.yaml calls.

The harness prompts the model. This project's code reads items and scores answers, so that
`coral linteval score` gives the same official score. No model output is run, so there is no strict
score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from datasets import Dataset, DatasetDict

from coral_batch import lake
from coral_batch.errors import CoralError
from coral_batch.evidence.passk import KS, pass_at_k
from coral_batch.linteval.answers.extraction import code_of
from coral_batch.linteval.items.item import fill
from coral_batch.linteval.items.official import read_codelintereval
from coral_batch.linteval.scores.tables import Rows, score_samples
from coral_batch.records.items import Answer, Item, ItemTests
from coral_batch.records.verdict import Program, Verdict


def data_set(items: str | None = None, **_: Any) -> DatasetDict:
    """Return the items as the split ``test``, one document each.

    Args:
        items: the file or folder from ``--metadata items=...``; the harness also passes its own
            entries and the model's arguments.

    Raises:
        CoralError: `items` is missing, or as in `read_codelintereval`.
    """
    if items is None:
        raise CoralError(
            "the task needs its items",
            field="--metadata",
            expected="items=FILE, such as lake/linteval/items.jsonl",
        )
    records = [lake.plain(item) for item in read_codelintereval(Path(items))]
    return DatasetDict({"test": Dataset.from_list(records)})


def prompt(document: Mapping[str, Any]) -> str:
    """Return an item's prompt."""
    item = lake.build(Item, document)
    return fill(item.instruction, item.inputs)


def scores(answers: Sequence[Sequence[str]], documents: Sequence[Mapping[str, Any]]) -> list[Rows]:
    """Score all answers, as a filter from raw answers to rows of `linteval_scores`.

    Args:
        answers: the answers to each document.
        documents: the documents.
    """
    items = [lake.build(Item, document) for document in documents]
    samples = [
        Answer("", item.meta.id, number, code_of(raw))
        for item, texts in zip(items, answers, strict=True)
        for number, raw in enumerate(texts)
    ]
    tests = [ItemTests(item.meta.id, "") for item in items]
    scored = score_samples(samples, items, tests, _no_jail, "", workers=None)
    rows = iter(scored["linteval_scores"])
    return [[next(rows) for _ in texts] for texts in answers]


def passes(_: Mapping[str, Any], results: Sequence[Rows]) -> dict[str, float]:
    """Return an item's pass@k for each published k with enough answers.

    Args:
        results: a single list, the item's rows.
    """
    (rows,) = results
    return {
        f"pass@{k}": pass_at_k(len(rows), sum(bool(row["official"]) for row in rows), k)
        for k in KS
        if k <= len(rows)
    }


def _no_jail(programs: Sequence[Program]) -> list[list[Verdict]]:
    raise AssertionError(f"{len(programs)} programs to run for items without tests")
