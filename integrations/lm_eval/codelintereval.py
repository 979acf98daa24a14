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
from coral_batch.linteval.scores.tables import lint_codes
from coral_batch.records.items import Item


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


def scores(answers: Sequence[Sequence[str]], _: Sequence[Mapping[str, Any]]) -> list[list[bool]]:
    """Score all answers, as a filter from raw answers to whether each passes.

    Args:
        answers: the answers to each document.
    """
    found = lint_codes([code_of(raw) for texts in answers for raw in texts], workers=None)[1]
    passed = iter([not findings for findings in found])
    return [[next(passed) for _ in texts] for texts in answers]


def passes(_: Mapping[str, Any], results: Sequence[Sequence[bool]]) -> dict[str, float]:
    """Return an item's pass@k for each published k with enough answers.

    Args:
        results: a single list, whether each of the item's answers passes.
    """
    (passed,) = results
    return {f"pass@{k}": pass_at_k(len(passed), sum(passed), k) for k in KS if k <= len(passed)}
