"""Read items with their tests, and any model's answers to them, from files anywhere.

Answers come in two forms: one record per line (JSONL) with the item's ``id`` and its ``answers``;
or the leaderboard's submission, whose ``outputs`` are the answers or, as its packing script writes
them, one list of answers. Answers are the raw text of the model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from coral_batch.corpus.sources.rows import read_rows, read_text
from coral_batch.errors import CoralError
from coral_batch.lake import build, strictjson
from coral_batch.lake.schemas import require_valid, validator
from coral_batch.linteval.items.official import read_codelintereval
from coral_batch.records.items import Item, ItemTests

TESTS_FILE = "tests.jsonl"

_SUBMISSION = re.compile(r'\s*\{\s*"data"\s*:')


def read_items(path: Path) -> tuple[list[Item], list[ItemTests]]:
    """Read items in any form of the benchmark, and the file `TESTS_FILE` next to them.

    Returns:
        The items and, in their order, their tests; without such a file, no item has tests.

    Raises:
        CoralError: as in `read_codelintereval`, or the tests are broken or lack those of an item.
    """
    items = read_codelintereval(path)
    file = tests_file(path)
    if not file.exists():
        return items, [ItemTests(item.meta.id, path.name) for item in items]
    rows = read_rows(file, lambda _: "linteval_tests", "id")
    tests = {row["id"]: build(ItemTests, row) for _, row in rows}
    if missing := [item.meta.id for item in items if item.meta.id not in tests]:
        raise CoralError(
            "the tests do not belong to the items",
            file=file,
            found=f"no row for {len(missing)} of {len(items)} items, such as {missing[0]}",
            expected="a row for every item",
            action="move the items into a folder without this file, or with their own tests",
        )
    return items, [tests[item.meta.id] for item in items]


def tests_file(items: Path) -> Path:
    """Return the path of the tests for items in a file or a folder."""
    return (items if items.is_dir() else items.parent) / TESTS_FILE


def read_answers(file: Path, items: Sequence[Item]) -> dict[int, list[str]]:
    """Read a model's answers to all items.

    An item without an answer is an error, neither a failure nor skipped: the published scorer has
    no rule for it.

    Returns:
        Item -> its answers, in the order of `items`, as many for each.

    Raises:
        CoralError: the file is missing or in neither form, an id is not that of an item or comes
            twice, an item is not answered, or not as often as the others.
    """
    found: dict[int, list[str]] = {}
    asked = {item.meta.id: item for item in items}
    for where, number, answers in _records(file):
        if number not in asked or number in found:
            raise CoralError(
                "unknown item id, or a second record for an item",
                file=file,
                field=where,
                found=number,
                expected=f"the id of one of the {len(asked)} items, all answers in one record",
            )
        found[number] = answers
        if len(answers) != (often := len(next(iter(found.values())))):
            raise CoralError(
                "the items have different numbers of answers",
                file=file,
                field=where,
                found=f"{len(answers)} answers",
                expected=f"{often}, as in the first record",
            )
    if missing := [number for number in asked if number not in found]:
        raise CoralError(
            "some items have no answer",
            file=file,
            found=f"no answer to {len(missing)} of {len(items)} items, such as {missing[0]}",
            expected="an answer to every item; an empty text if the model wrote nothing",
            action="answer the others, or give a file of only the answered items; for a model of a"
            " run `coral linteval export MODEL FOLDER/items.json --items` writes it and the tests",
        )
    return {number: found[number] for number in asked}


def _records(file: Path) -> Iterator[tuple[str, int, list[str]]]:
    """Yield the place of each record's id, the id, and the answers."""
    if _SUBMISSION.match(text := read_text(file)):
        content = strictjson.parse(text, file)
        problem = "a file is not in the form of a submission"
        require_valid(validator("linteval_submission"), content, problem, file)
        for number, record in enumerate(content["data"]["test"]):
            answers: list[str] = []
            for output in record["outputs"]:
                answers += [output] if isinstance(output, str) else output
            yield f"data.test.{number}.meta.id", record["meta"]["id"], answers
        return
    for where, row in read_rows(file, lambda _: "linteval_answers", "id"):
        yield f"{where}, id", row["id"], row["answers"]
