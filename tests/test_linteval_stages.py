"""CodeLinterEval through its commands: tiny model, real store, real jail."""

from __future__ import annotations

import contextlib
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from coral_batch import lake
from coral_batch.commands import cli
from coral_batch.errors import CoralError
from coral_batch.linteval.answers.extraction import code_of
from coral_batch.linteval.submissions.reading import read_answers, read_items
from coral_batch.records.configuration import Knobs
from coral_batch.records.rows import AdapterCardRow, BestRow, DurationRow, LintSampleRow, SubjectRow
from tests.adapted_lake import KEY
from tests.linteval_sources import an_item, its_tests, linteval
from tests.settings import set_params
from tests.tiny import make_tiny_base

ITEMS = [
    an_item(number, f"x={number}\n", "", "Fix.\n{feedback}\n{code}", "E225: in 1 line\n")
    for number in range(10)
]
ASKED = (0, 2, 5, 7)
"""Four of the ten items, evenly spread."""
TESTS = [
    its_tests(number, "a", "double", (2, 4)) if number % 2 else its_tests(number, "b")
    for number in range(10)
]


@pytest.fixture(scope="module")
def answered(adapted_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small run with items, to which its base and its best genome have answers with scores."""
    folder = Path(shutil.copytree(adapted_run, tmp_path_factory.mktemp("answered") / "run"))
    with contextlib.chdir(folder):
        set_params({"linteval.items": 4, "linteval.samples": 2, "linteval.max_new_tokens": 16})
        set_params({"compute.threads": 1, "compute.workers": 1})
        lake.write_rows("linteval_items", ITEMS)
        lake.write_rows("linteval_tests", TESTS)
        best = lake.read_document("best", BestRow)
        adapter = f"generations/001/adapters/{KEY}"
        (card,) = lake.read_rows("adapter_cards", AdapterCardRow, "001")
        subject = SubjectRow(best.genome, KEY, adapter, card.files, Knobs(0.2, 0.9, 20, 1.05))
        for part in (lake.EVALUATIONS["best"], "001"):
            lake.write_rows("subjects", [subject], part)
        for model in lake.LINT_MODELS:
            linteval("samples", model)
            linteval("scores", model)
    return folder


@pytest.fixture
def project(answered: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, as the working directory."""
    copy = Path(shutil.copytree(answered, tmp_path / "project"))
    monkeypatch.chdir(copy)
    return copy


def samples(model: str) -> list[LintSampleRow]:
    return lake.read_rows("linteval_samples", LintSampleRow, model)


def raw(model: str) -> list[str]:
    return [row.raw for row in samples(model)]


def raw_in(file: str) -> list[str]:
    """Return the answers in a file, to the items that are asked."""
    found = read_answers(Path(file), [ITEMS[number] for number in ASKED])
    return [text for answers in found.values() for text in answers]


def test_base_model_and_best_genome_answer_and_are_scored_and_compared(project: Path) -> None:
    for model in lake.LINT_MODELS:
        rows = samples(model)
        assert [(row.item, row.sample) for row in rows] == [(i, s) for i in ASKED for s in (0, 1)]
        assert {row.knobs for row in rows} == {Knobs(0.6, 1.0, 50, 1.0)}
        text = "Fix.\nE225: in 1 line\n\nx=0<|im_end|>\n<|im_start|>assistant\n"
        assert rows[0].prompt.endswith(text)
        scores = lake.read_frame("linteval_scores", model)
        # What a tiny model writes is no Python, with tests or without.
        assert set(scores["outcome"]) == {"unparseable"}
        assert scores["tests"].null_count() == 4
        verdicts = lake.read_frame("linteval_verdicts", model)
        assert set(verdicts["item"].to_list()) == {5, 7}
    assert {(row.genome, row.adapter) for row in samples("base")} == {("base", None)}
    assert {(row.genome, row.adapter) for row in samples("best")} == {("001-00", KEY)}
    assert raw("base") != raw("best")
    output = linteval("report")
    assert "4 items of 3 functions, 2 with tests" in output
    assert "official, minus base" in output
    metrics = json.loads(lake.path("linteval_metrics").read_text())
    assert (metrics["base"]["items"], metrics["base"]["tested"]) == (4, 2)
    assert metrics["best"]["genome"] == "001-00"
    assert metrics["official"]["pass@10"] is None
    assert {file.name for file in lake.path("linteval_plots").iterdir()} == {"fixed.csv", "new.csv"}
    # One item on its own.
    output = linteval("show", "base", "5")
    assert "answer 1: official" in output
    assert "case 0:" in output
    assert len(linteval("show", "base").splitlines()) == 2 + 4


def test_more_items_leave_the_answers_to_the_others_as_they_are(project: Path) -> None:
    first = lake.path("linteval_samples", "base").read_bytes()
    set_params({"linteval.items": None})
    linteval("samples", "base")
    durations = lake.read_rows("linteval_durations", DurationRow, "base")
    assert [row.unit for row in durations if row.reused] == ["0", "2", "5", "7"]
    assert len(samples("base")) == 20
    every = lake.path("linteval_samples", "base").read_bytes().splitlines()
    assert set(first.splitlines()) <= set(every)


def test_any_genome_can_be_asked_and_an_unknown_one_is_named(project: Path) -> None:
    linteval("samples", "001-00")
    assert raw("001-00") == raw("best")
    linteval("scores", "001-00")
    assert len(linteval("show", "001-00").splitlines()) == 2 + 4
    linteval("samples", "001-00")
    assert not lake.path("linteval_scores", "001-00").exists()
    with pytest.raises(CoralError, match=r"no such genome[\s\S]*one of 001-00"):
        linteval("samples", "001-07")
    for wrong in ("best-00", "worst", "001", "001-"):
        assert CliRunner().invoke(cli.app, ["linteval", "samples", wrong]).exit_code == 2


@pytest.mark.parametrize("what", ["adapter", "item"])
def test_answers_of_a_genome_do_not_outlive_its_run(project: Path, what: str) -> None:
    linteval("samples", "001-00")
    linteval("scores", "001-00")
    if what == "adapter":
        (subject,) = lake.read_rows("subjects", SubjectRow, "001")
        lake.write_rows("subjects", [replace(subject, key="2" * 64)], "001")
    else:
        lake.write_rows("linteval_items", [an_item(number, "y=1\n") for number in range(10)])
    for command in (("show", "001-00"), ("export", "001-00")):
        with pytest.raises(
            CoralError, match=rf"another {what}[\s\S]*coral linteval samples 001-00"
        ):
            linteval(*command)


def test_answers_are_not_drawn_with_an_adapter_that_was_changed(project: Path) -> None:
    """They would be kept, and returned for the adapter that the key stands for."""
    kept = sorted(lake.STORE.rglob("*"))
    set_params({"linteval.items": None})
    weights = lake.path("adapter_folders", "001") / KEY / "adapter_model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"1")
    with pytest.raises(CoralError, match=r"adapter_model\.safetensors"):
        linteval("samples", "best")
    assert sorted(lake.STORE.rglob("*")) == kept


def test_the_answered_items_are_exported_with_outputs_and_tests(project: Path) -> None:
    linteval("export", "base", "answered/items.json", "--items")
    scores = lake.read_frame("linteval_scores", "base")
    items, tests = read_items(Path("answered/items.json"))
    assert tests == [TESTS[number] for number in ASKED]
    for item, number in zip(items, ASKED, strict=True):
        outputs = scores.filter(scores["item"] == number)["official"].cast(int)
        assert item == replace(ITEMS[number], outputs=tuple(outputs))
    assert linteval("export", "base", "--items") == Path("answered/items.json").read_text()
    # Nothing takes the place of another file.
    kept = lake.path("linteval_tests").read_bytes()
    linteval("export", "base", lake.path("linteval_tests").with_name("answered.json"), "--items")
    assert lake.path("linteval_tests").read_bytes() == kept
    for file in ("answered/items.json", "answered/others.json"):
        with pytest.raises(CoralError, match="already exists"):
            linteval("export", "base", file, "--items")
    assert not Path("answered/others.json").exists()


def test_the_export_is_the_submission_of_the_raw_answers(project: Path) -> None:
    linteval("export", "base", "submission.json")
    content = json.loads(Path("submission.json").read_text())
    test = [(one["meta"], len(one["outputs"])) for one in content["data"]["test"]]
    assert test == [({"id": item}, 1) for item in ASKED]
    assert raw_in("submission.json") == raw("base")
    with pytest.raises(CoralError, match=r"export MODEL FOLDER/items\.json --items"):
        linteval("score", lake.path("linteval_items"), "submission.json")
    linteval("export", "base", "answered/items.json", "--items")
    linteval("score", "answered/items.json", "submission.json", "--json", "out.json")
    summary = json.loads(Path("out.json").read_text())["models"][0]["summary"]
    ours = lake.read_frame("linteval_scores", "base")["official"].mean()
    assert summary["official"]["pass@1"]["value"] == pytest.approx(ours, abs=1e-6)
    assert summary["tested"] == 2


def test_the_export_is_utf8_whatever_a_terminal_shows(project: Path) -> None:
    rows = [replace(row, raw="Ответ \N{GRINNING FACE}") for row in samples("base")]
    lake.write_rows("linteval_samples", rows, "base")
    linteval("export", "base", "submission.json")
    done = CliRunner(charset="ascii").invoke(cli.app, ["linteval", "export", "base"])
    assert done.stdout_bytes == Path("submission.json").read_bytes()


def test_the_code_is_read_up_to_where_an_answer_ends(project: Path) -> None:
    before = samples("base")
    stop = before[0].raw[1]
    set_params({"linteval.stop": stop})
    linteval("samples", "base")
    after = samples("base")
    assert [row.raw for row in after] == [row.raw for row in before]
    assert [row.code for row in after] == [code_of(row.raw, stop) for row in before]
    assert after[0].code != before[0].code
    # Other scorers get no more than ours reads.
    linteval("export", "base", "submission.json")
    assert raw_in("submission.json") == [row.raw.split(stop)[0] for row in before]


def test_any_model_answers_as_the_stage_does_and_is_scored_at_once(project: Path) -> None:
    linteval("export", "best", "answered/items.json", "--items")
    items = "answered/items.json"
    adapter = lake.path("adapter_folders", "001") / KEY
    source = ["--model", str(make_tiny_base(project / "elsewhere")), "--adapter", str(adapter)]
    left = Path(".coral/base-left")  # by a run that was killed: no process holds a lock on it
    left.mkdir()
    linteval("run", items, "own.jsonl", *source, "--json", "run.json")
    assert raw_in("own.jsonl") == raw("best")
    linteval("score", items, "own.jsonl", "--json", "score.json")
    assert json.loads(Path("run.json").read_text()) == json.loads(Path("score.json").read_text())
    assert not list(Path(".coral").glob("base-*"))
    for wrong, words in (
        (["--adapter", str(project)], r"no adapter_config\.json"),
        (["--model", "nowhere"], r"--model[\s\S]*'nowhere'[\s\S]*an existing folder"),
        (["--revision", "1234567"], "--revision needs a Hugging Face id as --model"),
        (["--json", "other.jsonl"], "two files would be written to one path"),
    ):
        with pytest.raises(CoralError, match=words):
            linteval("run", items, "other.jsonl", *wrong)
    assert not Path("other.jsonl").exists()
    with pytest.raises(CoralError, match="not unchanged"):
        linteval("run", items, "empty.jsonl")
