"""What a whole run holds, what a second one does, and how it is shown.

Real DVC, PEFT training, decoding, jail and linters, on a tiny model.
"""

import json
from pathlib import Path

import pytest

from coral_batch import lake
from coral_batch.corpus.roles.coralx import HELD_OUT, TEST
from coral_batch.lake import params
from coral_batch.records.genome import Genome
from coral_batch.records.problem import Bug, Problem
from coral_batch.records.rows import BASE, FLOORS, BestRow, LintSampleRow, SampleRow
from tests.pipeline import hashes, run, stages_run


def test_every_genome_and_model_is_asked_about_its_problems(
    finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(finished)
    settings = params.load()
    sources = settings.corpus.sources
    assert [len(lake.read_rows("problems", Problem, name)) for name in sources] == [40, 4]
    bugs = lake.read_rows("bugs", Bug)
    assert {bug.problem for bug in bugs} > HELD_OUT | TEST
    for generation in settings.generations:
        ids = {genome.id for genome in lake.read_rows("population", Genome, generation)}
        assert len(ids) == settings.evolution.population
        samples = lake.read_rows("samples", SampleRow, generation)
        keys = {(row.genome, row.problem, row.sample) for row in samples}
        assert keys == {(g, p, 0) for g in ids for p in TEST}
        for table in ("verdicts", "case_times", "scores"):
            frame = lake.read_frame(table, generation)
            found = set(frame.select("genome", "problem", "sample").iter_rows())
            assert found - {("reference", name, 0) for name in TEST} == keys
    drawn = {row.genome for row in lake.read_rows("samples", SampleRow, lake.VALIDATION_BASE)}
    assert drawn == {BASE, *FLOORS}
    best = lake.read_document("best", BestRow)
    for part, genome in zip(lake.EVALUATIONS.values(), ("base", best.genome), strict=True):
        samples = lake.read_rows("samples", SampleRow, part)
        keys = {(row.genome, row.problem, row.sample) for row in samples}
        injected = {sample.problem for sample in samples} - HELD_OUT
        assert len(injected) == 5
        assert injected < {bug.id for bug in bugs}
        assert keys == {(genome, p, 0) for p in HELD_OUT | injected}
        scores = lake.read_frame("scores", part)
        assert set(scores.select("genome", "problem", "sample").iter_rows()) == keys
    for model, genome in zip(lake.LINT_MODELS, ("base", best.genome), strict=True):
        answers = lake.read_rows("linteval_samples", LintSampleRow, model)
        assert [(row.genome, row.sample) for row in answers] == [(genome, 0), (genome, 1)] * 3
        scores = lake.read_frame("linteval_scores", model)
        assert scores["item"].to_list() == [row.item for row in answers]
        assert scores["strict"].null_count() == 0
    assert json.loads(lake.path("linteval_metrics").read_text())["best"]["tested"] == 3


def test_a_finished_run_passes_its_audit(finished: Path) -> None:
    assert "wrong" not in run(finished, "coral", "audit")


def test_a_finished_run_keeps_no_journal(finished: Path) -> None:
    assert list((finished / ".coral/verdicts").iterdir()) == []


def test_a_second_run_does_nothing(copy: Path) -> None:
    assert stages_run(run(copy, "dvc", "repro")) == set()


def test_one_stage_reruns_alone_from_the_store(copy: Path) -> None:
    before = hashes(copy)
    output = run(copy, "dvc", "repro", "--force", "--single-item", "samples@001")
    assert stages_run(output) == {"samples@001"}
    assert hashes(copy) == before
    durations = (copy / "lake/generations/001/sample_durations.jsonl").read_text().splitlines()
    assert all(json.loads(line)["reused"] for line in durations)
