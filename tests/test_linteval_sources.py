"""What CodeLinterEval items are made of is read right or refused: MBPP, folders, official data."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from coral_batch.errors import CoralError
from coral_batch.linteval.items.build import build
from coral_batch.linteval.items.item import instructions
from coral_batch.linteval.items.official import read_codelintereval
from coral_batch.linteval.items.sources import read_folder, read_mbpp, read_snippets
from coral_batch.records.items import Inputs, Item, Meta
from coral_batch.records.verdict import Program
from tests import REPOSITORY
from tests.errors import refused
from tests.linteval_sources import RECORD, changed, in_jail, made_of, mbpp

META = {"id": 8, "canonical_code": "x = 1\n"}
TWO = [RECORD, changed("meta.id", 9)]

# MBPP


def test_a_row_of_mbpp_becomes_an_item_with_its_asserts_as_tests(tmp_path: Path) -> None:
    candidates, dropped = read_mbpp(mbpp(tmp_path, {}))
    assert dropped == []
    assert candidates[0].code == "def add(a,b): \n\treturn a + b"
    (item,), (tests,) = (data_set := made_of(candidates)).items, data_set.tests
    assert (tests.source, tests.function, tests.cases) == ("mbpp 601", "add", ())
    assert tests.tests is not None and tests.tests.count("def test_") == 3
    assert item.meta.canonical_code == "def add(a, b):\n    return a + b\n"
    wrong = Program("add", "def add(a, b):\n    return b\n", (), tests.tests, {})
    assert [verdict.kind for verdict in in_jail([wrong])[0]] == ["FAIL", "FAIL", "FAIL"]


def test_rows_of_mbpp_that_the_jail_cannot_test_are_dropped(tmp_path: Path) -> None:
    complex_number = {"task_id": 6, "test_list": ["assert add(1, 2) == 1j"]}
    file = mbpp(tmp_path, {"task_id": 2, "code": "print 'x'"}, complex_number)
    candidates, dropped = read_mbpp(file)
    assert candidates == []
    assert [(drop.source, drop.reason) for drop in dropped] == [
        ("mbpp 2", "unparseable"),
        ("mbpp 6", "untestable"),
    ]
    assert "a complex number" in dropped[1].detail


# A folder of Python files


def test_a_folder_is_read_at_any_depth_and_bad_files_are_dropped(tmp_path: Path) -> None:
    (tmp_path / "deep/er").mkdir(parents=True)
    (tmp_path / ".venv").mkdir()
    (tmp_path / "deep/er/b.py").write_bytes(b"\xef\xbb\xbfimport os\r\nx=1\r\n")
    (tmp_path / "a.py").write_text("import sys\nx = 2\n")
    (tmp_path / "empty.py").write_text("\n")
    (tmp_path / "latin.py").write_bytes(b"x = '\xe4'\n")
    (tmp_path / "null.py").write_bytes(b"x = 1\0\n")
    (tmp_path / "big.py").write_text("x = 1\n" * 20_000)
    (tmp_path / "old.py").write_text("print 'x'\n")
    (tmp_path / ".venv/c.py").write_text("import json\n")
    (tmp_path / "notes.txt").write_text("none")
    (tmp_path / "link.py").symlink_to("a.py")
    (tmp_path / "folder.py").mkdir()
    os.mkfifo(tmp_path / "pipe.py")
    candidates, dropped = read_folder(tmp_path)
    assert [(drop.source, drop.reason) for drop in dropped] == [("latin.py", "unparseable")]
    assert "cannot be read" in dropped[0].detail
    data_set = build(candidates, instructions("en"), in_jail, 1, dropped)
    assert [one.source for one in data_set.tests] == ["a.py", "deep/er/b.py"]
    assert data_set.items[1].inputs.code == "import os\nx=1\n"
    assert [(drop.source, drop.reason) for drop in data_set.dropped] == [
        ("latin.py", "unparseable"),
        ("big.py", "too_long"),
        ("null.py", "unparseable"),
        ("old.py", "unparseable"),
    ]


def test_a_snippet_is_tested_by_its_test_file_if_it_has_no_cases(tmp_path: Path) -> None:
    for place, text in {
        "correct_python_programs/half.py": "def half(n):\n    half=n / 2\n    return half\n",
        "json_testcases/other.json": "",
        "python_testcases/test_half.py": "from half import half\n\n\ndef test_half():\n"
        "    assert half(4) == 2\n",
    }.items():
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text(text)
    (tests,) = made_of(read_snippets(tmp_path)[0]).tests
    assert (tests.function, tests.cases) == ("half", ())
    wrong = Program("half", "def half(n):\n    return n\n", (), tests.tests, {})
    assert [verdict.kind for verdict in in_jail([wrong])[0]] == ["FAIL"]


def test_a_snippet_whose_test_file_needs_more_of_the_corpus_is_dropped() -> None:
    candidates, dropped = read_snippets(REPOSITORY / "lake/raw/classics")
    assert "gcd" in {one.source for one in candidates}
    assert ("detect_cycle", "untestable") in {(one.source, one.reason) for one in dropped}


def test_an_empty_or_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CoralError, match="no Python file"):
        read_folder(tmp_path)
    with pytest.raises(CoralError, match=r"linteval\.path"):
        read_folder(tmp_path / "missing")
    with pytest.raises(CoralError, match="QuixBugs' layout"):
        read_snippets(tmp_path)


# Official data


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(map(json.dumps, TWO)),
        "\ufeff" + "\n".join(map(json.dumps, TWO)),
        json.dumps(TWO, indent=4),
        json.dumps({"access": "private", "data": TWO}),
        json.dumps({"data": TWO}, indent=1),
        json.dumps({"train": [changed("meta.id", 1)], "test": TWO}),
    ],
    ids=["lines", "marked lines", "array", "object", "indented object", "splits"],
)
def test_official_data_is_read_as_it_is_in_all_its_forms(tmp_path: Path, text: str) -> None:
    file = tmp_path / "test.json"
    file.write_text(text)
    inputs = Inputs("x=1\n", "any text, as published\n")
    items = [Item("Fix {code}: {feedback}", inputs, (1, 0), Meta(n, "x = 1\n")) for n in (5, 9)]
    assert read_codelintereval(file) == items
    for indent in (None, 2):  # one record alone
        file.write_text(json.dumps(RECORD, indent=indent))
        assert read_codelintereval(file) == items[:1]


def test_a_number_stands_for_a_prompt_of_the_data_set(tmp_path: Path) -> None:
    meta = {"dataset_name": "left out", "prompts": ["{code} {feedback}", "Fix {feedback}{code}"]}
    (tmp_path / "dataset_meta.json").write_text(json.dumps(meta))
    records = [changed("instruction", 1), {**changed("instruction", 0), "meta": META}]
    (tmp_path / "shots.json").write_text(json.dumps({"data": records}))
    found = read_codelintereval(tmp_path / "shots.json")
    assert [item.instruction for item in found] == ["Fix {feedback}{code}", "{code} {feedback}"]


@pytest.mark.parametrize(
    ("meta", "number", "words"),
    [
        (None, 0, ["dataset_meta.json", "no such file"]),
        ({"prompts": ["{code}{feedback}"]}, 1, ["record 1, instruction", "1", "0 to 0"]),
        ({"prompts": ["{code}{feedback}"]}, -1, ["record 1, instruction", "-1", "0 to 0"]),
        ({"prompts": ["{code}"]}, 0, ["dataset_meta.json", "prompts.0", "feedback"]),
        ({}, 0, ["dataset_meta.json", "missing prompts"]),
        (["{code}{feedback}"], 0, ["dataset_meta.json", "object"]),
    ],
)
def test_a_number_that_stands_for_no_prompt_is_refused(
    tmp_path: Path, meta: Any, number: int, words: list[str]
) -> None:
    file = tmp_path / "test.jsonl"
    file.write_text(json.dumps(changed("instruction", number)))
    if meta is not None:
        (tmp_path / "dataset_meta.json").write_text(json.dumps(meta))
    with refused(*words):
        read_codelintereval(file)


def test_outputs_that_are_hidden_or_texts_are_no_successes(tmp_path: Path) -> None:
    file = tmp_path / "test.jsonl"
    for outputs in ("", "x = 1\n", [], ["1", "0"], None, ...):
        file.write_text(json.dumps(changed("outputs", outputs)))
        (item,) = read_codelintereval(file)
        assert item.outputs == ()


@pytest.mark.parametrize("place", ["test.json", "data/test-0[1].parquet"])
def test_a_folder_is_read_by_its_split_test(tmp_path: Path, place: str) -> None:
    for name, number in ((place, 5), (place.replace("test", "shots"), 6)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        record = changed("meta.id", number)
        if name.endswith("json"):
            (tmp_path / name).write_text(json.dumps({"data": [record]}))
        else:
            pl.DataFrame([record]).write_parquet(tmp_path / name)
    (item,) = read_codelintereval(tmp_path)
    assert item.meta.id == 5
    (tmp_path / "test.jsonl").write_text(json.dumps(RECORD))
    with pytest.raises(CoralError, match="several data sets"):
        read_codelintereval(tmp_path)
    (tmp_path / "none").mkdir()
    with pytest.raises(CoralError, match="no data set"):
        read_codelintereval(tmp_path / "none")


def test_the_parquet_of_the_hub_is_read_with_its_short_ids(tmp_path: Path) -> None:
    file = tmp_path / "shots.parquet"
    records = [{**RECORD, "meta": {**META, "id": number}} for number in (5, 9)]
    short = pl.col("meta").struct.with_fields(pl.field("id").cast(pl.Int32))
    pl.DataFrame(records).with_columns(short).write_parquet(file)
    first, second = read_codelintereval(file)
    assert (first.inputs, first.outputs) == (Inputs("x=1\n", "any text, as published\n"), (1, 0))
    assert (first.meta.id, second.meta.id) == (5, 9)
    pl.DataFrame([RECORD, changed("inputs.code", None)]).write_parquet(file)
    with pytest.raises(CoralError, match=r"record 2, inputs\.code[\s\S]*string"):
        read_codelintereval(file)
    file.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(CoralError, match="a Parquet file"):
        read_codelintereval(file)


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (changed("inputs.code", ...), ["line 2", "missing code"]),
        (changed("instruction", "no code, {feedback}"), ["line 2, instruction", "code"]),
        (changed("instruction", "{code} alone"), ["line 2, instruction", "feedback"]),
        (changed("meta.id", 7), ["line 2, meta.id", "7", "line 1"]),
        (changed("meta.id", "5"), ["line 2, meta.id", "'5'", "integer"]),
        (changed("outputs", [2]), ["line 2, outputs.0", "at most 1"]),
        (changed("inputs.extra", 1), ["line 2, inputs", "extra"]),
        ([RECORD], ["line 2", "object"]),
    ],
)
def test_a_bad_record_is_named_with_file_line_and_field(
    tmp_path: Path, record: Any, words: list[str]
) -> None:
    file = tmp_path / "test.jsonl"
    file.write_text(json.dumps(changed("meta.id", 7)) + "\n" + json.dumps(record) + "\n")
    with refused(file, *words):
        read_codelintereval(file)


def test_a_file_that_is_no_data_set_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "test.json"
    with pytest.raises(CoralError):
        read_codelintereval(file)
    for content, words in {
        b"": "not valid JSON",
        b"[]": "no records",
        b'{"data": {}}': "no records",
        b"\xff\xfe": "utf-8",
    }.items():
        file.write_bytes(content)
        with refused(file, words):
            read_codelintereval(file)
