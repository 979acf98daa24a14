"""The whole pipeline: real DVC, PEFT training, decoding, jail and linters, on a tiny model."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from safetensors import safe_open

from coral_batch import lake, params
from coral_batch.corpus.problem import Problem
from coral_batch.corpus.split import HELD_OUT, TEST
from coral_batch.evolution.genome import Genome
from coral_batch.rows import AdapterRow, BestRow, LintSampleRow, SampleRow, SelectionRow
from tests.conftest import REPOSITORY
from tests.tiny import make_tiny_base

TABLES_OF_TIMES = {
    "adapter_durations",
    "sample_durations",
    "case_times",
    "runtimes",
    "times",
    "durations",
}
# The first page tells times, commit and machine; the others do not.
OTHERS = {".gitignore", "index.html"}
ENVIRONMENT = {
    **os.environ,
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    "DVC_NO_ANALYTICS": "true",
    # A tiny model gains nothing from threads, which wait for one another on a busy machine.
    "OMP_NUM_THREADS": "1",
}


def make_project(folder: Path) -> Path:
    """Make a project of two generations with a tiny base model and small settings."""
    folder.mkdir()
    for name in ("coral_batch", "stages", "schemas", "lake/raw/classics"):
        shutil.copytree(REPOSITORY / name, folder / name, ignore=_caches)
    snippets = "lake/raw/snippets"
    shutil.copytree(REPOSITORY / snippets, folder / snippets, ignore=_all_but_four)
    shutil.copy(REPOSITORY / "dvc.yaml", folder)
    shutil.copy(REPOSITORY / ".dvcignore", folder)
    make_tiny_base(folder / "tiny")
    text = (REPOSITORY / "params.yaml").read_text()
    for pattern, replacement in (
        (r"model: \S+", "model: tiny"),
        (r"height: \d+", "height: 8"),
        (r"width: \d+", "width: 8"),
        (r"automata: \d+", "automata: 64"),
        (r"bins: \d+", "bins: 2"),
        (r"  r: .*", "  r: [2, 4]"),
        (r"batch_size: \d+", "batch_size: 24"),
        (r"samples: 4", "samples: 2"),
        (r"samples: 8", "samples: 3"),
        (r"max_new_tokens: 384", "max_new_tokens: 12"),
        (r"items: 12", "items: 3"),
        (r"samples: 5", "samples: 2"),
        (r"max_new_tokens: 384 ", "max_new_tokens: 12 "),
    ):
        text, count = re.subn(pattern, replacement, text, count=1)
        assert count == 1, pattern
    (folder / "params.yaml").write_text(text)
    run(folder, "dvc", "init", "--no-scm", "--quiet")
    run(folder, "coral", "generations", "2")
    return folder


def _caches(_: str, names: list[str]) -> set[str]:
    return {name for name in names if name == "__pycache__"}


def _all_but_four(_: str, names: list[str]) -> list[str]:
    return sorted(name for name in names if name.endswith((".py", ".json")))[4:]


def run(project: Path, *command: str) -> str:
    """Run a command in a project and return what it printed; fail the test if it fails."""
    done = attempt(project, *command)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def attempt(project: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a project, on the project's own copy of the code."""
    environment = {**ENVIRONMENT, "PYTHONPATH": str(project)}
    return subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, check=False
    )


def stages_run(output: str) -> set[str]:
    return set(re.findall(r"Running stage '([^']+)'", output))


def hashes(project: Path) -> dict[str, str]:
    """Hash every file of the lake that two runs must have in common."""
    return {
        str(file.relative_to(project)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted((project / "lake").rglob("*"))
        if file.is_file() and file.stem not in TABLES_OF_TIMES and file.name not in OTHERS
    }


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project after `dvc repro`; tests that change it work on a copy."""
    project = make_project(tmp_path_factory.mktemp("pipeline") / "finished")
    run(project, "dvc", "repro")
    return project


@pytest.fixture
def copy(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "copy"))


def test_every_table_is_there_and_fits_its_schema(
    finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(finished)
    settings = params.load()
    problems = lake.read_rows("problems", Problem)
    assert len(problems) == 40
    for generation in settings.generations:
        genomes = lake.read_rows("population", Genome, generation)
        assert len(genomes) == settings.evolution.population
        ids = {genome.id for genome in genomes}
        assert set(lake.read_frame("features", generation)["genome"]) == ids
        adapters = lake.read_rows("adapters", AdapterRow, generation)
        assert {row.genome for row in adapters} == ids
        samples = lake.read_rows("samples", SampleRow, generation)
        keys = {(row.genome, row.problem, row.sample) for row in samples}
        assert keys == {(g, p, s) for g in ids for p in TEST for s in range(2)}
        for table in ("verdicts", "case_times", "scores", "runtimes"):
            frame = lake.read_frame(table, generation)
            found = set(frame.select("genome", "problem", "sample").iter_rows())
            assert found - {("reference", name, 0) for name in TEST} == keys
        lake.read_frame("findings", generation)
        selection = lake.read_rows("selection", SelectionRow, generation)
        assert {row.genome for row in selection} == ids
        survivors = {row.genome for row in selection if row.survived}
        bred = lake.read_rows("population", Genome, settings.generations[generation].next)
        assert survivors <= {genome.id for genome in bred}
    assert {row.genome for row in lake.read_rows("samples", SampleRow, lake.BASELINE)} == {"base"}
    best = lake.read_document("best", BestRow)
    for part, genome in zip(lake.EVALUATIONS.values(), ("base", best.genome), strict=True):
        samples = lake.read_rows("samples", SampleRow, part)
        keys = {(row.genome, row.problem, row.sample) for row in samples}
        assert keys == {(genome, p, s) for p in HELD_OUT for s in range(3)}
        verdicts = lake.read_frame("verdicts", part)
        assert verdicts["test"].null_count() == 0
        scores = lake.read_frame("scores", part)
        assert set(scores.select("genome", "problem", "sample").iter_rows()) == keys
    for model, genome in zip(lake.LINT_MODELS, ("base", best.genome), strict=True):
        answers = lake.read_rows("linteval_samples", LintSampleRow, model)
        assert [(row.genome, row.sample) for row in answers] == [(genome, 0), (genome, 1)] * 3
        scores = lake.read_frame("linteval_scores", model)
        assert scores["item"].to_list() == [row.item for row in answers]
        assert scores["strict"].null_count() == 0
    assert json.loads(lake.path("linteval_metrics").read_text())["best"]["tested"] == 3
    metrics = json.loads(lake.path("metrics").read_text())
    assert metrics["baseline"]["pass_at_1"] == 0


def test_adapters_are_plain_peft_folders(finished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(finished)
    for row in lake.read_rows("adapters", AdapterRow, "001"):
        folder = lake.path("adapter_folders", "001") / row.key
        assert {file.name for file in folder.iterdir()} == {
            "adapter_config.json",
            "adapter_model.safetensors",
        }
        config = json.loads((folder / "adapter_config.json").read_text())
        assert config["r"] == row.configuration.r
        assert config["use_dora"] == row.configuration.use_dora
        with safe_open(folder / "adapter_model.safetensors", framework="numpy") as weights:
            assert len(list(weights.keys())) > 0


def test_a_finished_run_passes_its_audit(finished: Path) -> None:
    assert "wrong" not in run(finished, "coral", "audit")


def test_a_second_run_does_nothing(finished: Path) -> None:
    assert stages_run(run(finished, "dvc", "repro")) == set()


def test_a_weight_reruns_scores_and_what_follows(copy: Path) -> None:
    text = (copy / "params.yaml").read_text()
    (copy / "params.yaml").write_text(
        text.replace("bugfix: 0.30, security: 0.25", "bugfix: 0.35, security: 0.20")
    )
    rerun = stages_run(run(copy, "dvc", "repro"))
    assert {"scores@000", "scores@001", "baseline_scores", "selection@000", "report"} <= rerun
    assert rerun <= {*STAGES_AFTER_SCORES, *BRED_AGAIN, *BEST_AGAIN}


STAGES_AFTER_SCORES = {
    "baseline_scores",
    "evaluation_scores@baseline",
    "evidence",
    "scores@000",
    "scores@001",
    "selection@000",
    "selection@001",
    "report",
    "baseline_page",
    "page@000",
    "page@001",
    "index",
}
# Selection with other weights may breed another generation.
BRED_AGAIN = {
    f"{stage}@001"
    for stage in ("automata", "features", "adapters", "samples", "verdicts", "findings")
}


# What is measured on the best genome alone; another one may win, or with another fitness.
BEST_AGAIN = {
    "best",
    "evaluation_best",
    "evaluation_verdicts@best",
    "evaluation_findings@best",
    "evaluation_scores@best",
    "linteval_best",
    "linteval_scores@best",
    "linteval_report",
}


def test_one_more_generation_reruns_nothing_that_stands(copy: Path) -> None:
    run(copy, "coral", "generations", "3")
    assert stages_run(run(copy, "dvc", "repro")) - BEST_AGAIN == {
        "evidence",
        "report",
        "index",
        *(
            f"{stage}@002"
            for stage in (
                "automata",
                "features",
                "adapters",
                "samples",
                "verdicts",
                "findings",
                "scores",
                "selection",
                "page",
            )
        ),
    }


def test_a_control_reruns_what_the_search_decides_and_says_what_it_spent(copy: Path) -> None:
    evolved = json.loads((copy / "lake/evidence/evidence.json").read_text())
    text = (copy / "params.yaml").read_text()
    (copy / "params.yaml").write_text(text.replace("kind: evolved", "kind: random"))
    rerun = stages_run(run(copy, "dvc", "repro"))
    assert {"adapters@000", "selection@000", "evidence"} <= rerun
    untouched = {"population", "automata@000", "features@000", "evaluation_baseline"}
    assert not rerun & {*untouched, *(name for name in rerun if name.startswith("baseline"))}
    evidence = json.loads((copy / "lake/evidence/evidence.json").read_text())
    assert evidence["search"] == "random"
    assert evidence["budget"]["genomes"] == evolved["budget"]["genomes"]


def test_one_stage_reruns_alone_from_the_store(copy: Path) -> None:
    before = hashes(copy)
    output = run(copy, "dvc", "repro", "--force", "--single-item", "samples@001")
    assert stages_run(output) == {"samples@001"}
    assert hashes(copy) == before
    durations = (copy / "lake/generations/001/sample_durations.jsonl").read_text().splitlines()
    assert all(json.loads(line)["reused"] for line in durations)


def test_a_killed_run_goes_on_and_ends_with_the_same_bytes(finished: Path, tmp_path: Path) -> None:
    project = make_project(tmp_path / "killed")
    running = subprocess.Popen(
        ["dvc", "repro"],
        cwd=project,
        env={**ENVIRONMENT, "PYTHONPATH": str(project)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    trained = project / ".coral/store/adapters"
    deadline = time.monotonic() + 300
    while not (trained.is_dir() and any(trained.glob("[0-9a-f]*"))):
        assert running.poll() is None, "the run ended before an adapter was trained"
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    assert not (project / "lake/generations/000/adapters.jsonl").exists()
    for lock in (project / ".dvc/tmp").glob("*lock"):
        lock.unlink()
    run(project, "dvc", "repro")
    assert hashes(project) == hashes(finished)


def test_a_table_edited_by_hand_stops_the_stage_and_changes_nothing(copy: Path) -> None:
    file = copy / "lake/generations/001/samples.jsonl"
    file.chmod(0o644)
    file.write_text(file.read_text().replace('"finish": "length"', '"finish": "bored"', 1))
    before = hashes(copy)
    done = attempt(copy, "coral", "scores", "001")
    assert done.returncode == 1
    assert "samples.jsonl" in done.stderr
    assert "'bored'" in done.stderr
    assert "Traceback" not in done.stderr
    assert hashes(copy) == before


@pytest.mark.parametrize("arguments", [["001"], ["001", "000-00"], ["baseline"]])
def test_a_finished_run_can_be_shown(finished: Path, arguments: list[str]) -> None:
    shown = run(finished, "coral", "show", *arguments)
    assert "Traceback" not in shown
    assert len(shown.splitlines()) > 5
