"""A data set that is broken is refused by name, whatever its form; where it lies is found."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from coral_batch.corpus.readers import READERS
from coral_batch.errors import CoralError
from coral_batch.lake.schemas import FOLDER
from tests.errors import refused
from tests.readers import MBPP, ROWS, jsonl, read

forms = pytest.mark.parametrize("reader", sorted(ROWS))


@forms
def test_a_file_a_folder_with_it_an_array_and_a_byte_order_mark_say_the_same(
    reader: str, tmp_path: Path
) -> None:
    file = jsonl(tmp_path / "data.jsonl", ROWS[reader])
    expected = read(reader, file)
    (tmp_path / "roles.jsonl").write_text('{"name": "a", "role": "test"}\n')
    (tmp_path / ".hidden.jsonl").write_text("x")
    assert read(reader, tmp_path) == expected
    for content in (json.dumps(ROWS[reader]) + "\n", json.dumps([ROWS[reader]], indent=2)):
        for encoding in ("utf-8", "utf-8-sig"):
            file.write_text(content, encoding)
            assert read(reader, file) == expected
    ((problem,), _) = expected
    assert problem.name.isidentifier()


@forms
def test_what_is_no_data_set_is_refused(reader: str, tmp_path: Path) -> None:
    file = tmp_path / "data.jsonl"
    for content, words in {
        b"": ["empty", "at least one row"],
        b"[]": ["empty"],
        b'{"a": 1': ["line 1", "not valid JSON"],
        b"1\n": ["line 1", "object"],
        b"[1]": ["row 1", "object"],
        b"{}\n": ["line 1", "missing"],
        b"caf\xe9\n": ["the file cannot be read", "utf-8"],
        b'{"a": "\\ud800"}\n': ["line 1", "surrogates"],
    }.items():
        file.write_bytes(content)
        with refused(file, *words):
            read(reader, file)


@pytest.mark.parametrize(
    ("reader", "change", "words"),
    [
        ("humaneval", {"task_id": "Other/1"}, ["line 2, task_id", "Other/1", "text matching"]),
        ("humanevalpack", {"test": None}, ["HumanEvalPack", "line 2, test", "string"]),
        ("mbpp", {"code": 1}, ["MBPP", "line 2, code", "1", "string"]),
        ("mbpp", {"code": ...}, ["line 2", "missing code"]),
        ("mbpp", {"prompt": "Halve."}, ["the sanitized MBPP", "line 2", "missing"]),
        ("evalplus", {"base_input": [1]}, ["EvalPlus", "line 2, base_input.0", "array"]),
        ("evalplus", {"base_input": ...}, ["line 2", "missing"]),
        ("mbpp", {}, ["two rows have the same task id", "line 2, task_id", "line 1"]),
        # The forms of EvalPlus at Hugging Face.
        (
            "evalplus",
            {"base_input": ..., "task_id": "2", "code": "x = 1", "test": ""},
            ["MBPP+", "line 2, task_id"],
        ),
        (
            "evalplus",
            {"base_input": ..., "task_id": "HumanEval/1", "entry_point": 1, "test": ""},
            ["of HumanEval\n", "line 2, entry_point"],
        ),
    ],
)
def test_a_bad_row_is_named_with_file_line_and_field(
    reader: str, change: dict[str, Any], words: list[str], tmp_path: Path
) -> None:
    row = {name: value for name, value in {**ROWS[reader], **change}.items() if value is not ...}
    file = jsonl(tmp_path / "data.jsonl", ROWS[reader], row)
    with refused(file, *words):
        read(reader, file)


@pytest.mark.parametrize("content", [b"no gzip", gzip.compress(b"{}\n" * 99, mtime=0)[:-9], b""])
def test_a_damaged_archive_is_refused(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "data.jsonl.gz"
    file.write_bytes(content)
    with pytest.raises(CoralError, match=r"data\.jsonl\.gz"):
        read("humaneval", file)


def test_a_missing_file_and_a_folder_of_none_or_several_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CoralError, match="no such file"):
        read("mbpp", tmp_path / "mbpp.jsonl")
    with pytest.raises(CoralError, match=r"no data set[\s\S]*\*\.jsonl"):
        read("mbpp", tmp_path)
    for name in ("a", "b"):
        jsonl(tmp_path / f"{name}.jsonl", MBPP)
    with pytest.raises(CoralError, match=r"several data sets[\s\S]*a\.jsonl, b\.jsonl"):
        read("mbpp", tmp_path)


def test_the_reasons_are_those_of_the_documentation() -> None:
    schema = json.loads((FOLDER / "corpus_dropped.schema.json").read_text())
    page = (FOLDER.parent / "docs/corpora.md").read_text()
    for reason in schema["properties"]["reason"]["enum"]:
        assert f"| {reason} |" in page


def test_params_names_every_reader() -> None:
    schema = json.loads((FOLDER / "params.schema.json").read_text())
    source = schema["properties"]["corpus"]["properties"]["sources"]["additionalProperties"]
    assert source["properties"]["reader"]["enum"] == sorted(READERS)
