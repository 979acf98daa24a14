"""A completion model (no chat template) is trained and asked, stage by stage."""

import contextlib
import shutil
from collections.abc import Iterator
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


@pytest.fixture(scope="module", autouse=True)
def run(lake_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A run in the working directory up to the answers of its first generation."""
    folder = shutil.copytree(lake_once, tmp_path_factory.mktemp("completion") / "run")
    with contextlib.chdir(folder):
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
        yield


def test_every_prompt_is_a_text_that_ends_in_an_opened_fence() -> None:
    prompts = {row.prompt for row in lake.read_rows("examples", Example)}
    for part in ("000", lake.VALIDATION_BASE):
        prompts |= {row.prompt for row in lake.read_rows("samples", SampleRow, part)}
    prompts |= {row.prompt for row in lake.read_rows("linteval_samples", LintSampleRow, "base")}
    tokenizer = load_tokenizer(lake.path("base"))
    for prompt in prompts:
        assert prompt.startswith("<s>")
        assert prompt.endswith("\n" + FENCE)
        ids = tokenizer(prompt, add_special_tokens=False)["input_ids"]
        assert [ids.count(token) for token in tokenizer.all_special_ids].count(1) == 1


def test_what_the_model_wrote_stands_in_the_fence_that_the_prompt_opened() -> None:
    repairs = lake.read_rows("samples", SampleRow, "000")
    answers = lake.read_rows("linteval_samples", LintSampleRow, "base")
    assert all(row.raw.startswith(FENCE) for row in (*repairs, *answers))
    assert any(row.code for row in repairs)


def test_adapters_were_trained_to_close_the_fence_and_end_the_text() -> None:
    rows = lake.read_rows("examples", Example)
    assert all(row.answer.endswith("\n```</s>") for row in rows)
    for row in lake.read_rows("adapters", AdapterRow, "000"):
        assert len(row.losses) == 5
        assert not row.diverged
