"""Read a CodeLinterEval data set in the benchmark's own format.

Three forms of file hold the same records: a JSON object with the records under ``data`` (the
benchmark's ``test.json`` and ``shots.json``), a JSON array of them, and one a line (JSONL). The
benchmark lets ``meta`` have further fields; they are left out. Nothing else is changed, the
published feedback least of all.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from coral_batch.corpus.sources.text import read_text
from coral_batch.errors import CoralError
from coral_batch.lake import build, strictjson
from coral_batch.lake.schemas import first_error, validator
from coral_batch.linteval.items.limits import check_text
from coral_batch.records.items import Item, Meta


def read_codelintereval(file: Path) -> list[Item]:
    """Read every record, in the file's order.

    Raises:
        CoralError: the file is empty or of none of the three forms, a record breaks the schema of
            the table ``linteval_items``, holds text that no program can (see `check_text`), or
            has the id of an earlier one.
    """
    check = validator("linteval_items")
    fields = set(Meta.__dataclass_fields__)
    first: dict[int, str] = {}
    items = []
    for where, record in _records(file):
        value = record
        if isinstance(record, dict) and isinstance(record.get("meta"), dict):
            meta = {key: record["meta"][key] for key in record["meta"] if key in fields}
            value = {**record, "meta": meta}
        error = first_error(check, value, where)
        if error is not None:
            raise CoralError("a record is not in CodeLinterEval's format", file=file, **error)
        item = build(Item, value)
        for name, text in (
            ("instruction", item.instruction),
            ("inputs.code", item.inputs.code),
            ("inputs.feedback", item.inputs.feedback),
            ("meta.canonical_code", item.meta.canonical_code),
        ):
            check_text(text, file, f"{where}, {name}")
        if item.meta.id in first:
            raise CoralError(
                "two records have one id",
                file=file,
                field=f"{where}, meta.id",
                found=item.meta.id,
                expected=f"another id than that of {first[item.meta.id]}",
            )
        first[item.meta.id] = where
        items.append(item)
    return items


def _records(file: Path) -> list[tuple[str, Any]]:
    """Return the records with the place of each, for messages."""
    text = read_text(file)
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise CoralError("the data set is empty", file=file, expected="at least one record")
    if _is_record(lines[0][1]):
        return [
            (f"line {number}", strictjson.parse(line, file, f"line {number}"))
            for number, line in lines
        ]
    content = strictjson.parse(text, file)
    records = content.get("data") if isinstance(content, dict) else content
    if not isinstance(records, list) or not records:
        raise CoralError(
            "the data set has no records",
            file=file,
            found=content,
            expected='records: {"data": [...]}, [...], or one a line',
        )
    return [(f"record {number}", record) for number, record in enumerate(records, 1)]


def _is_record(line: str) -> bool:
    """Whether the first line is a record by itself, which makes the file JSONL."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and "data" not in value
