"""A completion model (no chat template) is trained and asked, stage by stage."""

import shutil
from pathlib import Path

import pytest

from coral_batch import lake
from coral_batch.models.base.checkpoint import load_tokenizer
from coral_batch.models.prompts.prompt import FENCE
from coral_batch.records.example import Example
from coral_batch.records.rows import AdapterRow, LintSampleRow, SampleRow
from tests.finished_lake import stage
from tests.settings import set_params
from tests.tiny import make_tiny_completion_base

SMALL = {
    "candidates.r": [2, 4],
    "prompt.docstring": False,
    "compute.threads": 1,
    "training.batch_size": 4,
    "sampling.max_new_tokens": 12,
    "linteval.max_new_tokens": 12,
}


def test_every_stage_asks_and_trains_it_in_a_fence_that_the_prompt_opens(
    lake_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shutil.copytree(lake_once, tmp_path / "run"))
    set_params(SMALL)
    shutil.rmtree("tiny")
    shutil.rmtree(lake.path("base"))
    make_tiny_completion_base(Path("tiny"))
    stage("base")
    stage("examples")
    stage("adapters", "000")
    stage("samples", "000")
    stage("samples", lake.VALIDATION_BASE)
    stage("linteval_samples", "base")
    examples = lake.read_rows("examples", Example)
    repairs = lake.read_rows("samples", SampleRow, "000")
    of_base = lake.read_rows("samples", SampleRow, lake.VALIDATION_BASE)
    answers = lake.read_rows("linteval_samples", LintSampleRow, "base")
    tokenizer = load_tokenizer(lake.path("base"))
    for prompt in {row.prompt for row in (*examples, *repairs, *of_base, *answers)}:
        assert prompt.startswith("<s>")
        assert prompt.endswith("\n" + FENCE)
        ids = tokenizer(prompt, add_special_tokens=False)["input_ids"]
        assert [ids.count(token) for token in tokenizer.all_special_ids].count(1) == 1
    assert all(row.raw.startswith(FENCE) for row in (*repairs, *answers))
    assert any(row.code for row in repairs)
    assert all(row.answer.endswith("\n```</s>") for row in examples)
    for row in lake.read_rows("adapters", AdapterRow, "000"):
        assert len(row.losses) == 5
        assert not row.diverged
