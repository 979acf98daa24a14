"""`coral score`: an adapter next to its base model, by answers that are drawn once."""

import contextlib
import json
import re
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from coral_batch import lake
from coral_batch.commands.export import export
from coral_batch.commands.score import ADAPTER
from coral_batch.corpus.split.reading import read_shown
from coral_batch.lake import params
from coral_batch.models.decoding import drawing
from coral_batch.models.prompts.prompt import FENCE
from coral_batch.records.items import Item
from stages.linteval_samples import linteval_samples
from stages.samples import samples
from tests.command import coral
from tests.finished_lake import draw_with
from tests.readers import HUMANEVALPACK, jsonl
from tests.settings import set_params

FIXES = "fixes.jsonl"


@pytest.fixture(autouse=True)
def scored(lake_once: Path, adapted_run: Path, tmp_path: Path) -> Iterator[None]:
    """A copy of a finished lake, with an adapter of its base that another run released."""
    place = shutil.copytree(lake_once, tmp_path / "run")
    with contextlib.chdir(adapted_run):
        export(place / "released", release=True)
    with contextlib.chdir(place):
        jsonl(Path(FIXES), HUMANEVALPACK)
        yield


def test_an_adapter_is_scored_next_to_its_base_and_nothing_is_drawn_again() -> None:
    samples(lake.EVALUATIONS["base"])
    linteval_samples("base")
    arguments = ("score", "released", "--humanevalfix", FIXES)
    shown = coral(*arguments, "--json", "scores.json")
    assert shown.returncode == 0, shown.stderr
    assert re.search(r"\d+ answers: about \d+ minutes on this machine", shown.stderr)
    row = re.compile(r"^(.+?):.+?  +(\d+)(?: \(\d+\))? x (\d) .*noise$", re.MULTILINE)
    rows = row.findall(shown.stdout)
    assert [row[0] for row in rows] == [*["held-out bugs"] * 3, "HumanEvalFix", "CodeLinterEval"]
    document = json.loads(Path("scores.json").read_text())
    assert document["adapter"]["knobs"]["temperature"] == 0.6
    assert [(str(one["problems"]), str(one["samples"])) for one in document["measures"]] == [
        row[1:] for row in rows
    ]
    again = coral(*arguments)
    assert (again.returncode, again.stdout) == (0, shown.stdout)
    # The run has drawn the base's answers to the held-out bugs and to the items.
    drawn = re.findall(r"to make for (\d+ \w+); (\d) from the store", shown.stderr)
    assert drawn == [("1 genomes", "1"), ("2 genomes", "0"), ("3 items", "0")]
    assert "to make for" not in again.stderr


def test_scores_are_shares_of_the_answers_that_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """The adapter writes the reference of each bug, the base model the bug; both fix all lint."""
    shown = read_shown(lake, params.load())
    mended = {str(one.meta.id): one.meta for one in lake.read_rows("linteval_items", Item)}

    def write(model: str, asked: str, _: int) -> str:
        if asked in mended:
            return f"{FENCE}{mended[asked].canonical_code}```"
        problem = shown[asked]
        return f"{FENCE}{problem.reference if model == ADAPTER else problem.buggy}```"

    monkeypatch.setattr(drawing, "draw", partial(draw_with, write, "fence"))
    text = " ".join(coral("score", "released", "--bugs", 1).stdout.split())
    none, every = "0 % [0, 37]", "100 % [63, 100]"
    assert f"repaired 9 (8) x 1 {none} {every} +100 [+26, +100] more than noise" in text
    every = "100 % [16, 100]"
    assert f"pass@1 3 (2) x 2 {every} {every} +0 [-84, +84] may be noise" in text


def test_several_greedy_answers_are_refused() -> None:
    sampled = {"candidates.temperature": [0.6], "sampling.base_temperature": 0.6}
    set_params({"evaluation.samples": 2, **sampled})
    done = coral("score", "released", "--temperature", 0)
    assert done.returncode == 1
    assert "evaluation.samples\n  found:    2\n  expected: 1 at temperature 0" in done.stderr


def test_a_name_that_no_file_can_have_is_one_message() -> None:
    done = coral("score", "x" * 300)
    assert done.returncode == 1
    assert "File name too long" in done.stderr and "Traceback" not in done.stderr


def test_missing_tables_are_reported_with_the_command_that_makes_them() -> None:
    lake.path("bugs").unlink()
    shutil.rmtree(lake.path("base"))
    done = coral("score", "released")
    assert done.returncode == 1
    assert "run `dvc repro base bugs`" in done.stderr
