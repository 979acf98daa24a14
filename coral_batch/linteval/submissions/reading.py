"""Read items with their tests, and answers to them that any model gave, from files anywhere.

Answers come in two forms: a record a line (JSONL) with the item's ``id`` and its ``answer`` or
``answers``, and the board's submission, whose ``outputs`` are the answers, or one list of them, as
the script writes it that packs a submission. They are raw: what the model wrote, to the letter.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from coral_batch.corpus.sources.rows import Form, read_rows
from coral_batch.corpus.sources.text import read_text
from coral_batch.errors import CoralError, reading
from coral_batch.lake import build, strictjson
from coral_batch.lake.schemas import first_error, validator
from coral_batch.linteval.items.official import PROMPTS_FILE, find_file, read_codelintereval
from coral_batch.records.items import Item, ItemTests
from coral_batch.records.verdict import Program
from coral_batch.verdicts.testfiles import test_names

MAX_BYTES = 256 << 20
"""Longest text of answers that is read, in bytes: 10 answers of 25 KB to 1,000 items."""

TESTS_FILE = "tests.jsonl"

_SUBMISSION = re.compile(r'\s*\{\s*"data"\s*:')
_TESTS = Form("linteval_tests", "linteval_tests", further=False)
_ANSWERS = Form("linteval_answers", "a file of answers", optional={"answer": None, "answers": None})


def read_items(path: Path) -> tuple[list[Item], list[ItemTests]]:
    """Read items in any form of the benchmark, and the file `TESTS_FILE` beside them.

    Returns:
        The items and, in their order, their tests; where there is no such file, no item has tests.

    Raises:
        CoralError: as in `read_codelintereval`, or the tests are broken, lack those of an item, or
            name a function and say nothing of it.
    """
    items = read_codelintereval(path)
    file = tests_file(path)
    if not file.exists():
        return items, [ItemTests(item.meta.id, path.name, None, (), None) for item in items]
    tests: dict[int, ItemTests] = {}
    for where, row in read_rows(file, lambda _: _TESTS, "id"):
        one = tests[row["id"]] = build(ItemTests, row)
        _check_tests(one, file, where)
    if missing := [item.meta.id for item in items if item.meta.id not in tests]:
        raise CoralError(
            "the tests beside the items are not theirs",
            file=file,
            found=f"no row for {len(missing)} of {len(items)} items, such as {missing[0]}",
            expected="a row for every item",
            action="move the items into a folder without this file, or with their own tests",
        )
    return items, [tests[item.meta.id] for item in items]


def tests_file(items: Path) -> Path:
    """Return where the tests of the items in a file, or a folder, are looked for."""
    return (items if items.is_dir() else items.parent) / TESTS_FILE


def files_of(items: Path) -> tuple[Path, ...]:
    """Return the files that items may be read from: their own, their prompts and their tests.

    Raises:
        CoralError: as in `find_file`.
    """
    file = find_file(items)
    return file, file.with_name(PROMPTS_FILE), tests_file(items)


def _check_tests(tests: ItemTests, file: Path, where: str) -> None:
    if tests.function is None or tests.cases:
        return
    try:
        test_names(Program("", tests.function, "", (), tests.tests, {}))
    except CoralError as error:
        raise CoralError(
            "the tests of an item cannot be run",
            file=file,
            field=f"{where}, {'cases' if tests.tests is None else 'tests'}",
            found=f"item {tests.id}: {str(error).partition(chr(10))[0]}",
            expected="JSON cases, or the text of a test file with functions named test*",
        ) from None


def read_answers(file: Path, items: Sequence[Item]) -> dict[int, list[str]]:
    """Read a model's answers to all items.

    An item without an answer is not counted as failed, nor left out: the published scorer asks
    every item equally often and has no rule for it.

    Returns:
        Item -> its answers, in the order of `items`, equally many for each.

    Raises:
        CoralError: the file is missing, too long, or in neither form, an id is not that of an item
            or comes twice, an item is not answered, or not as often as the others.
    """
    with reading(file):
        there = file.is_file()
    if not there:
        raise CoralError("there is no such file", file=file, expected="a file of answers")
    if (size := _size(file)) > MAX_BYTES:
        raise CoralError(
            "a file of answers is too long",
            file=file,
            found=f"{size} bytes or more",
            expected=f"at most {MAX_BYTES}",
        )
    asked = {item.meta.id for item in items}
    places: dict[int, str] = {}
    found: dict[int, list[str]] = {}
    for where, number, answers in _records(file):
        if number not in asked:
            raise CoralError(
                "an answer to none of the items",
                file=file,
                field=where,
                found=number,
                expected=f"the id of one of the {len(asked)} items",
            )
        if number in places:
            raise CoralError(
                "an item is answered in two records",
                file=file,
                field=where,
                found=number,
                expected=f"another id than that of {places[number]}",
                action="put all answers to an item into one record",
            )
        places[number], found[number] = where, answers
    if missing := [item.meta.id for item in items if item.meta.id not in found]:
        raise CoralError(
            "not every item is answered",
            file=file,
            found=f"no answer to {len(missing)} of {len(items)} items, such as {missing[0]}",
            expected="an answer to every item; one of a model that wrote nothing is an empty text",
            action="answer the others, or name a file of the answered items alone; for a model of a"
            " run `coral linteval export MODEL FOLDER/items.json --items` writes it and the tests",
        )
    often = len(found[items[0].meta.id])
    for number, answers in found.items():
        if len(answers) != often:
            raise CoralError(
                "the items are not answered equally often",
                file=file,
                field=places[number],
                found=f"{len(answers)} answers",
                expected=f"{often}, as for {places[items[0].meta.id]}",
            )
    return {item.meta.id: found[item.meta.id] for item in items}


def _size(file: Path) -> int:
    """Return the size of a text in bytes, unpacked as far as the limit."""
    if file.suffix != ".gz":
        return file.stat().st_size
    size = 0
    try:
        with gzip.open(file) as stream:
            while size <= MAX_BYTES and (part := stream.read(1 << 20)):
                size += len(part)
    except (OSError, EOFError, zlib.error):
        return 0  # who reads it tells what is wrong
    return size


def _records(file: Path) -> Iterator[tuple[str, int, list[str]]]:
    """Yield where each record's id stands, the id, and the answers."""
    if _is_submission(text := read_text(file)):
        yield from _submitted(strictjson.parse(text, file), file)
        return
    del text  # which is read again, a record at a time
    for where, row in read_rows(file, lambda _: _ANSWERS, key=None):
        given = [name for name in ("answer", "answers") if row[name] is not None]
        if len(given) != 1:
            raise CoralError(
                "a record needs one answer or a list of them",
                file=file,
                field=where,
                found=" and ".join(given) or "neither",
                expected="answer, a text, or answers, a list of texts",
            )
        answers = row["answers"] if row["answer"] is None else [row["answer"]]
        yield f"{where}, id", row["id"], answers


def _is_submission(text: str) -> bool:
    """Whether a text is to be a submission, and not a record whose further field is `data`."""
    if not _SUBMISSION.match(text):
        return False
    try:
        first = json.loads(text.lstrip().partition("\n")[0])
    except (ValueError, RecursionError):
        return True
    return not isinstance(first, dict) or "id" not in first


def _submitted(content: object, file: Path) -> Iterator[tuple[str, int, list[str]]]:
    error = first_error(validator("linteval_submission"), content)
    if error is not None:
        raise CoralError("a file is not in the form of a submission", file=file, **error)
    assert isinstance(content, dict)
    for number, record in enumerate(content["data"]["test"]):
        answers: list[str] = []
        for output in record["outputs"]:
            answers += [output] if isinstance(output, str) else output
        yield f"data.test.{number}.meta.id", record["meta"]["id"], answers
