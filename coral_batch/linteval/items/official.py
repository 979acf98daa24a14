"""Read a CodeLinterEval data set in the benchmark's own format.

A file has a split, ``test`` or ``shots``, in one of these forms: a JSON object with the records
under ``data`` (the benchmark's ``test.json`` and ``shots.json``), a JSON object with several
splits, of which ``test`` is read, a JSON array of records, a single record, one record per line
(JSONL), or the Parquet of the hub. A byte order mark is skipped. The records come in several forms
as well:

- `instruction` is a text. In the files that the hub's are made from, it is an index, from 0, into
  the list ``prompts`` of the `PROMPTS_FILE` next to the file.
- `outputs` is a list of 0 and 1. If it is hidden or has texts (empty, a text, a list of texts,
  null, missing), the item gets no outputs.
- `meta` may have more fields; they are ignored.

Nothing else is changed, in particular not the published feedback.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

from coral_batch.corpus.sources.rows import check_new, find_data_set, read_text
from coral_batch.errors import CoralError
from coral_batch.lake import build, strictjson
from coral_batch.lake.schemas import require_valid, validator
from coral_batch.records.items import Item, Meta

PROMPTS_FILE = "dataset_meta.json"

_TEST = ("test.json", "test.jsonl", "test*.parquet", "data/test*.parquet")
_META = frozenset(Meta.__dataclass_fields__)


def read_codelintereval(path: Path) -> list[Item]:
    """Read every record, in the file's order.

    Args:
        path: the file, or a folder with one file of the split ``test``, in it or in its ``data``.

    Raises:
        CoralError: the folder has no such file or several; the file has none of the forms; a record
            breaks the schema of the table ``linteval_items``, has an unknown prompt number or
            repeats an id; or the prompts cannot be read.
    """
    check = validator("linteval_items")
    first: dict[Any, str] = {}
    items = []
    file = find_data_set(path, _TEST)
    for where, record in _records(file):
        value = _in_full(record, file, where) if isinstance(record, dict) else record
        require_valid(check, value, "a record is not in CodeLinterEval's format", file, where)
        item = build(Item, value)
        check_new(item.meta.id, "meta.id", where, first, file)
        items.append(item)
    return items


def _in_full(record: dict[str, Any], file: Path, where: str) -> dict[str, Any]:
    """Return a record in the form of the table ``linteval_items``, as far as possible."""
    record = dict(record)
    outputs, meta, number = (record.get(name) for name in ("outputs", "meta", "instruction"))
    texts = outputs if isinstance(outputs, list) else [outputs]
    if all(text is None or isinstance(text, str) for text in texts):
        record["outputs"] = []
    if isinstance(meta, dict):
        record["meta"] = {key: meta[key] for key in meta if key in _META}
    if type(number) is int:
        prompts = read_prompts(file.with_name(PROMPTS_FILE))
        if not 0 <= number < len(prompts):
            raise CoralError(
                "a record has an unknown prompt number",
                file=file,
                field=f"{where}, instruction",
                found=number,
                expected=f"0 to {len(prompts) - 1}, a prompt in {PROMPTS_FILE}",
            )
        record["instruction"] = prompts[number]
    return record


@cache
def read_prompts(file: Path) -> list[str]:
    """Read the instructions of a data set, which its records may refer to by number.

    Raises:
        CoralError: there is no such file, or it has no list of instructions under ``prompts``.
    """
    content = strictjson.parse(read_text(file), file)
    if isinstance(content, dict):
        content = {key: content[key] for key in content if key == "prompts"}
    problem = "the prompts of a data set cannot be read"
    require_valid(validator("codelintereval_meta"), content, problem, file)
    prompts: list[str] = content["prompts"]
    return prompts


def _records(file: Path) -> list[tuple[str, Any]]:
    """Return the records with the place of each, for messages."""
    if file.suffix == ".parquet":
        content: Any = _read_parquet(file)
    else:
        text = read_text(file)
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        if len(lines) > 1 and re.fullmatch(r"\s*\{.*\}\s*", lines[0][1]):  # a whole record
            return [(f"line {n}", strictjson.parse(line, file, f"line {n}")) for n, line in lines]
        content = strictjson.parse(text, file)
    if isinstance(content, dict):
        content = content.get("data", content.get("test", [content]))
    if not isinstance(content, list) or not content:
        raise CoralError(
            "the data set has no records",
            file=file,
            found=content,
            expected='records: {"data": [...]}, {"test": [...]}, [...], one record, one per line',
        )
    return [(f"record {number}", record) for number, record in enumerate(content, 1)]


def _read_parquet(file: Path) -> list[dict[str, Any]]:
    try:
        with file.open("rb") as stream:  # in a path, polars takes [, * and ? as patterns
            return pl.read_parquet(stream).to_dicts()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise CoralError(
            "the data set cannot be read", file=file, found=str(error), expected="a Parquet file"
        ) from None
