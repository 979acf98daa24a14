"""Answers of any model, from a file anywhere, are read or refused, and scored side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from coral_batch import lake
from coral_batch.errors import CoralError
from coral_batch.linteval.submissions.reading import read_answers, read_items
from tests.errors import refused
from tests.linteval_sources import TWICE, an_item, fenced, its_tests, linteval
from tests.readers import jsonl
from tests.settings import set_params

WRONG = "def double(x):\n    return x\n"
SPACED = "import math\n\n\ndef double(x):\n    return math.ldexp(x, 1)\n"
ITEMS = [
    an_item(3, prompt="Fix.\n{feedback}{code}"),
    an_item(1, *TWICE, "Fix.\n{feedback}{code}"),
    an_item(2, "x=1\n", "x = 1\n", "Mend.\n{feedback}{code}"),
]
TESTS = [
    its_tests(3, "a", "double", (2, 4), (3, 6)),
    its_tests(1, "b", "twice", (2, 4)),
    its_tests(2, "c"),
]


def lines(*records: Any) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def submission(answers: dict[int, Any]) -> str:
    test = [{"outputs": outputs, "meta": {"id": item}} for item, outputs in answers.items()]
    return json.dumps({"data": {"test": test}}, indent=4)


def items_file(folder: Path) -> Path:
    """Write the items and their tests as `coral linteval items` does."""
    jsonl(folder / "tests.jsonl", *map(lake.plain, TESTS))
    return jsonl(folder / "items.jsonl", *map(lake.plain, ITEMS))


# What a file of answers may look like


@pytest.mark.parametrize(
    "text",
    [
        lines({"id": 1, "answers": ["b", "B"]}, {"id": 3, "answers": ["a", ""]})
        + lines({"id": 2, "answers": ["c", "C"], "model": "left out"}),
        json.dumps([{"id": n, "answers": list(pair)} for n, pair in ((2, "cC"), (1, "bB"))])[:-1]
        + ', {"id": 3, "answers": ["a", ""]}]',
        submission({3: ["a", ""], 1: ["b", "B"], 2: ["c", "C"]}),
        submission({3: [["a", ""]], 1: [["b", "B"]], 2: [["c"], ["C"]]}),
    ],
    ids=["lines", "array", "submission", "submission of the packing script"],
)
def test_answers_are_read_in_each_form_in_the_order_of_the_items(tmp_path: Path, text: str) -> None:
    file = tmp_path / "answers.json"
    file.write_text(text)
    found = read_answers(file, ITEMS)
    assert list(found.items()) == [(3, ["a", ""]), (1, ["b", "B"]), (2, ["c", "C"])]
    file.write_text(lines(*({"id": item.meta.id, "answers": ["a\0"]} for item in ITEMS)))
    assert read_answers(file, ITEMS) == {3: ["a\0"], 1: ["a\0"], 2: ["a\0"]}


def with_line(line: str) -> str:
    return lines({"id": 3, "answers": ["a"]}, {"id": 1, "answers": ["b"]}) + line + "\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (with_line('{"id": 7, "answers": ["c"]}'), ["line 3, id", "7", "one of the 3 items"]),
        (
            with_line('{"id": 1, "answers": ["c"]}'),
            ["line 3, id", "1", "two rows have the same id", "line 2"],
        ),
        (with_line(""), ["no answer to 1 of 3 items, such as 2", "every item", "--items"]),
        (with_line('{"id": 2, "answers": ["c", "d"]}'), ["line 3, id", "2 answers", "1, as in"]),
        (with_line('{"id": 2, "answers": []}'), ["line 3, answers", "[]", "at least"]),
        (
            with_line('{"id": 2, "answers": [1]}'),
            ["not in the format of a file of answers", "line 3, answers.0", "1", "string"],
        ),
        (with_line('{"id": 2, "answer": "c"}'), ["line 3", "missing answers"]),
        ("", ["empty"]),
        (submission({3: ["a"], 7: ["b"]}), ["data.test.1.meta.id", "7", "one of the 3 items"]),
        (submission({3: [1]}), ["data.test.0.outputs.0", "string or array"]),
        ('{"data": {"shots": []}}', ["data", "test"]),
    ],
)
def test_a_bad_file_of_answers_is_refused_with_file_place_and_value(
    tmp_path: Path, text: str, words: list[str]
) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text(text)
    with refused(file, *words):
        read_answers(file, ITEMS)


# Items and their tests


def test_items_have_the_tests_beside_them_or_none(tmp_path: Path) -> None:
    assert read_items(items_file(tmp_path)) == (ITEMS, TESTS)
    (tmp_path / "tests.jsonl").unlink()
    items, tests = read_items(tmp_path / "items.jsonl")
    assert items == ITEMS
    assert [(one.id, one.function) for one in tests] == [(3, None), (1, None), (2, None)]


def test_tests_that_are_not_the_items_are_refused(tmp_path: Path) -> None:
    file = items_file(tmp_path)
    jsonl(tmp_path / "tests.jsonl", *map(lake.plain, TESTS[:2]))
    with pytest.raises(CoralError, match=r"tests\.jsonl[\s\S]*no row for 1 of 3 items, such as 2"):
        read_items(file)


# The command


@pytest.fixture
def given(workspace: Path) -> Path:
    """A folder with items, and the answers of two models to them."""
    set_params({"compute.workers": 1})
    folder = workspace / "given"
    folder.mkdir()
    items_file(folder)
    clean = {item.meta.id: fenced(item.meta.canonical_code) for item in ITEMS}
    good = {item: [[answer] * 5] for item, answer in clean.items()}
    (folder / "good.json").write_text(submission(good))
    jsonl(
        folder / "mixed.jsonl",
        {"id": 3, "answers": [fenced(SPACED), fenced(WRONG)]},
        {"id": 1, "answers": [f"So:\n\n{clean[1]}", "\n\n"]},
        {"id": 2, "answers": ["x=1\n", "x=1\n"]},
    )
    return folder


def numbers(passes: dict[str, Any]) -> list[float | None]:
    """Return the means of pass@1, pass@5 and pass@10."""
    return [None if one is None else one["value"] for one in passes.values()]


def test_models_stand_side_by_side_with_the_baselines(given: Path, workspace: Path) -> None:
    before = {file for file in workspace.rglob("*") if file.is_file()}
    files = (given / "items.jsonl", given / "good.json", given / "mixed.jsonl")
    text = linteval("score", *files, "--json", "out.json")
    assert {file for file in workspace.rglob("*") if file.is_file()} - before == {
        workspace / "out.json"
    }
    content = json.loads((workspace / "out.json").read_text())
    models = {one["summary"]["genome"]: one for one in content["models"]}
    found = {
        name: (numbers(one["summary"]["official"]), numbers(one["summary"]["strict"]))
        for name, one in models.items()
    }
    assert content["stop"] is None
    assert found == {
        "good": ([1.0, 1.0, None], [1.0, 1.0, None]),
        # Spaced, wrong and introduced code are clean, "\n\n" is not (W391). The wrong code fails
        # a test.
        "mixed": ([0.5, None, None], [0.5, None, None]),
        "unchanged": ([0.0, None, None], [0.0, None, None]),
        "ruff": ([1.0, None, None], [1.0, None, None]),
        "autopep8": ([0.333333, None, None], [0.0, None, None]),
        "canonical": ([1.0, None, None], [1.0, None, None]),
        "empty": ([1.0, None, None], [0.0, None, None]),
    }
    assert numbers(models["mixed"]["official_minus_first"]) == [-0.5, None, None]
    assert models["empty"]["strict_minus_first"]["pass@1"]["value"] == -1
    assert models["autopep8"]["codes"]["F401"] == {"fixed": 0, "stayed": 2, "lost": 0, "new": 0}
    rows = {tuple(line.split()[:3]) for line in text.splitlines()}
    assert {("good", "5", "100"), ("mixed", "2", "50"), ("empty", "1", "0")} <= rows
    assert "3 items of 3 functions, 2 with tests" in text
    (given / "tests.jsonl").unlink()
    linteval("score", *files[:2], "--json", "untested.json")
    (alone, *_) = json.loads(Path("untested.json").read_text())["models"]
    assert numbers(alone["summary"]["strict"]) == [None] * 3


def test_an_answer_ends_where_it_is_told_to_and_models_are_named(given: Path) -> None:
    options = ("--stop", "\n\n", "--name", "a model\x1b[31m", "--json", "out.json")
    text = linteval("score", given / "items.jsonl", given / "mixed.jsonl", *options)
    content = json.loads(Path("out.json").read_text())
    assert content["stop"] == "\n\n"
    summary = content["models"][0]["summary"]
    # Code is cut at its empty line, only prose is left before it, and nothing at all passes.
    assert summary["outcomes"] == {"clean": 1, "empty": 1, "findings": 3, "unparseable": 1}
    assert summary["genome"] == "a model\x1b[31m"
    assert "official, minus a model<U+001B>[31m" in text


def test_results_never_take_the_place_of_another_file(given: Path) -> None:
    before = {one: one.read_bytes() for one in given.iterdir()}
    for name in ("items.jsonl", "tests.jsonl", "good.json"):
        with pytest.raises(CoralError, match="already exists"):
            linteval("score", given / "items.jsonl", given / "good.json", "--json", given / name)
        with pytest.raises(CoralError, match="already exists"):
            linteval("run", given / "items.jsonl", given / name)
    results = given / "good.json/out.json"
    with pytest.raises(CoralError, match=r"good\.json/out\.json[\s\S]*good\.json is not a folder"):
        linteval("score", given / "items.jsonl", given / "mixed.jsonl", "--json", results)
    assert {one: one.read_bytes() for one in given.iterdir()} == before


def test_answers_are_not_written_under_the_name_of_a_baseline(given: Path) -> None:
    with pytest.raises(CoralError, match=r"unique name\s+field:\s+ANSWERS"):
        linteval("run", given / "items.jsonl", given / "ruff.jsonl")
    assert not (given / "ruff.jsonl").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["good.json", "good.json"], "good"),
        (["good.json", "--name", "a", "--name", "b"], "1 distinct names"),
        (["good.json", "--name", "ruff"], "not unchanged, ruff"),
        (["good.json", "--stop", ""], "--stop is empty"),
        (["none.json"], "no such file"),
    ],
)
def test_a_mistake_is_told_before_anything_is_scored(
    given: Path, arguments: list[str], words: str
) -> None:
    files = [given / one if one.endswith(".json") else one for one in arguments]
    with pytest.raises(CoralError, match=words):
        linteval("score", given / "items.jsonl", *files)
