"""`evaluation.problems: all` measures what was trained on as well: marked wherever it shows."""

import contextlib
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from coral_batch import lake
from coral_batch.commands.show import model_view
from coral_batch.evidence.summary import Evidence
from coral_batch.models.base.checkpoint import read_card
from coral_batch.records.rows import BestRow
from coral_batch.report.claims import claims
from coral_batch.report.model_card import Exported, Trained, model_card
from coral_batch.report.roles import TRAINED_ON
from stages.index import index
from stages.page import page
from stages.samples import samples
from tests.finished_lake import SETTINGS, make_finished_lake
from tests.settings import set_params

ALL = {
    **SETTINGS,
    "evaluation.problems": "all",
    "evaluation.bugs": 1,
    "sampling.max_new_tokens": 2,
}


@pytest.fixture(scope="module", autouse=True)
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The finished run, as the working directory."""
    folder = tmp_path_factory.mktemp("finished")
    with contextlib.chdir(folder):
        make_finished_lake(folder, ALL)
        yield folder


def test_every_score_has_the_role_of_its_problem() -> None:
    for part in lake.EVALUATIONS.values():
        roles = Counter(lake.read_frame("scores", part)["role"])
        assert roles == {"training": 24, "test": 8, "held_out": 9}
    for part in ("000", "001", lake.VALIDATION_BASE):
        assert set(lake.read_frame("scores", part)["role"]) == {"test"}


def test_no_number_of_the_evidence_mixes_them() -> None:
    scores = lake.read_document("evidence", Evidence).scores
    assert {name: row.problems for name, row in scores.items()} == {
        "selection": 8,
        "held_out": 9,
        "test": 8,
        "training": 24,
    }


def test_every_text_that_shows_them_says_what_they_are() -> None:
    evidence, best = lake.read_document("evidence", Evidence), lake.read_document("best", BestRow)
    terminal = claims(evidence)
    exported = Exported(best.genome, "000", best.configuration, best.knobs, 0.5, True, evidence)
    shown = ["its own bug", "up to 3 injected ones", "a version with lint errors"]
    trained = Trained("0" * 64, ["lake/raw/classics"], shown, {}, 3, 480)
    card = model_card(exported, trained, read_card(lake.path("base")), "peft")
    assert "with its own bug and up to 3 injected ones and a version with lint errors" in card
    index()
    page = lake.path("index").read_text("utf-8")
    for text in (terminal, card, page):
        assert TRAINED_ON in text
        assert "trained on" in text


def test_the_view_of_the_repairs_marks_them_one_by_one() -> None:
    text = model_view(lake.EVALUATIONS["best"], None, None, colour=False)
    (row,) = (line for line in text.splitlines() if line.startswith("gcd "))
    assert "trained on" in row
    assert "=== gcd (trained on) ===" in text
    assert "--- gcd (trained on), sample 0 ---" in text
    assert "=== wrap ===" in text
    assert TRAINED_ON in text
    assert [line for line in text.split("===")[0].splitlines() if len(line) > 100] == []


def test_the_page_of_the_repairs_marks_them_one_by_one() -> None:
    page(lake.EVALUATIONS["best"])
    text = lake.path("page", lake.EVALUATIONS["best"]).read_text("utf-8")
    for shown in ("gcd (trained on)", "wrap"):
        assert f"<span>{shown}</span>" in text
    assert TRAINED_ON in text
    assert "Selection scores" not in text


def test_the_stage_says_how_many_it_lets_through_and_how_many_a_limit_shuts_out(
    finished: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(shutil.copytree(finished, tmp_path / "copy"))
    set_params({"sampling.change": "free", "evolution.select": "fitness"})
    samples(lake.EVALUATIONS["base"])
    told = capsys.readouterr().out
    assert "evaluation.problems is all: 24 of the 41 were trained on" in told
    assert "sampling.max_new_tokens (2) is too low for 41 of the 41 programs" in told
