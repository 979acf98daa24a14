"""The best genome is trained once more, on more bugs, before it is measured and exported."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from coral_batch import lake
from coral_batch.errors import CoralError
from coral_batch.evidence.summary import Evidence
from coral_batch.models.prompts.examples import examples_sha256
from coral_batch.records.example import Example
from coral_batch.records.rows import AdapterCardRow, AdapterRow, BestRow, SubjectRow
from stages.best import best
from stages.evidence import evidence
from stages.examples import examples
from tests.finished_lake import train_again
from tests.settings import set_params

PART = lake.EVALUATIONS["best"]
pytestmark = pytest.mark.usefixtures("finished")


@pytest.fixture
def finished(lake_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shutil.copytree(lake_once, tmp_path / "run"))


def test_the_best_genome_is_measured_as_it_was_trained_last() -> None:
    chosen = lake.read_document("best", BestRow)
    (adapter,) = lake.read_rows("adapters", AdapterRow, PART)
    (card,) = lake.read_rows("adapter_cards", AdapterCardRow, PART)
    (subject,) = lake.read_rows("subjects", SubjectRow, PART)
    more = lake.read_rows("refit_examples", Example)
    assert len(more) > len(lake.read_rows("examples", Example))
    assert any(row.lint for row in more)
    assert card.determinants["examples"] == examples_sha256(more)
    assert (adapter.genome, adapter.configuration) == (chosen.genome, chosen.configuration)
    assert card.determinants["seed"] == chosen.seed
    assert card.determinants["arithmetic"] == {"threads": 2}  # nothing else trains meanwhile
    assert (subject.key, subject.knobs, subject.files) == (adapter.key, chosen.knobs, card.files)
    assert adapter.key != chosen.key
    spent = lake.read_document("evidence", Evidence).budget
    keys = {
        row.key for name in ("000", "001") for row in lake.read_rows("adapters", AdapterRow, name)
    }
    assert spent.adapters == len(keys) + 1
    assert spent.refit_tokens == adapter.tokens


def test_with_the_bugs_that_selection_saw_it_stays_as_it_is() -> None:
    before = lake.read_document("evidence", Evidence).budget
    set_params({"examples.refit": 1, "examples.lint": 0})
    examples()
    train_again()
    evidence()
    (adapter,) = lake.read_rows("adapters", AdapterRow, PART)
    assert adapter.key == lake.read_document("best", BestRow).key
    after = lake.read_document("evidence", Evidence).budget
    assert (after.adapters, after.refit_tokens) == (before.adapters - 1, 0)
    assert after.training_tokens == before.training_tokens - before.refit_tokens


def test_an_adapter_whose_card_does_not_tell_its_seed_is_not_called_best() -> None:
    for part in ("000", "001"):
        cards = lake.read_rows("adapter_cards", AdapterCardRow, part)
        known = [replace(one, determinants={"training": 1}) for one in cards]
        lake.write_rows("adapter_cards", known, part)
    before = lake.path("best").read_bytes()
    with pytest.raises(CoralError, match=r"adapter_cards\.jsonl[\s\S]*determinants\.seed"):
        best()
    assert lake.path("best").read_bytes() == before
