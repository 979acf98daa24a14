"""Paths of the lake's tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

ROOT = Path("lake")
_root: ContextVar[Path] = ContextVar("root", default=ROOT)
VALIDATION_BASE = "validation/base"
"""The part of the base model on the bugs used for selection."""
# The base model and the best genome on the problems of `evaluation.problems`.
EVALUATIONS = {"base": "evaluation/base", "best": "evaluation/best"}
PARTS = (VALIDATION_BASE, *EVALUATIONS.values())
"""The parts that sample repairs, besides the generations."""
LINT_MODELS = ("base", "best")
"""The models that the pipeline runs on CodeLinterEval; any other is a genome."""
GENOME = r"[0-9]{3}-[0-9]{2,6}"
"""Pattern of a genome's id."""
# Outside the lake, so that DVC never removes them with a stage's outputs.
STORE = Path(".coral/store")
DOWNLOADS = Path(".coral/downloads")
JOURNALS = Path(".coral/verdicts")

# Table -> path in the lake. {part} is the folder of a generation or of one of `PARTS`, {model} the
# folder of a model that answers CodeLinterEval, {source} a source of the corpus.
PLACES = {
    "problems": "corpus/{source}.jsonl",
    "source_roles": "corpus/roles/{source}.jsonl",
    "corpus_dropped": "corpus/dropped/{source}.jsonl",
    "manifest": "split/manifest.jsonl",
    "overlaps": "split/overlaps.parquet",
    "bug_trials": "bugs/trials.parquet",
    "bugs": "bugs/bugs.jsonl",
    "examples": "examples/examples.jsonl",
    "calibration": "calibration/calibration.json",
    "base": "base",
    "card": "base/card.json",
    "population": "{part}/population.jsonl",
    "inherited": "{part}/inherited.jsonl",
    "automata": "{part}/automata.npz",
    "features": "{part}/features.parquet",
    "adapters": "{part}/adapters.jsonl",
    "adapter_cards": "{part}/adapter_cards.jsonl",
    "adapter_folders": "{part}/adapters",
    "adapter_durations": "{part}/adapter_durations.jsonl",
    "subjects": "{part}/subjects.jsonl",
    "samples": "{part}/samples.jsonl",
    "first_changes": "{part}/first_changes.jsonl",
    "sample_durations": "{part}/sample_durations.jsonl",
    "verdicts": "{part}/verdicts.parquet",
    "case_times": "{part}/case_times.parquet",
    "findings": "{part}/findings.parquet",
    "scores": "{part}/scores.parquet",
    "selection": "{part}/selection.jsonl",
    "best": "best/best.json",
    "linteval_items": "linteval/items.jsonl",
    "linteval_tests": "linteval/tests.jsonl",
    "linteval_dropped": "linteval/dropped.jsonl",
    "linteval_samples": "linteval/{model}/samples.jsonl",
    "linteval_durations": "linteval/{model}/durations.jsonl",
    "linteval_findings": "linteval/{model}/findings.parquet",
    "linteval_verdicts": "linteval/{model}/verdicts.parquet",
    "linteval_changes": "linteval/{model}/changes.parquet",
    "linteval_scores": "linteval/{model}/scores.parquet",
    "linteval_metrics": "linteval/metrics.json",
    "linteval_plots": "linteval/plots",
    "evidence": "evidence/evidence.json",
    "metrics": "report/metrics.json",
    "plots": "report/plots",
    "times": "report/times.jsonl",
    "page": "report/{part}.html",
    "index": "report/index.html",
}
SCHEMAS = {
    "source_roles": "manifest",
    "adapter_durations": "durations",
    "sample_durations": "durations",
    "linteval_durations": "durations",
}


def path(table: str, part: str | None = None) -> Path:
    """Return a table's path.

    Args:
        table: a key of `PLACES`.
        part: a generation (``"000"``) or one of `PARTS`, for tables that every part has; a source,
            for the problems; one of `LINT_MODELS` or a genome for tables that every model
            of CodeLinterEval has.
    """
    place = PLACES[table]
    if "{" in place:
        assert part is not None
        folder = part if part in PARTS else f"generations/{part}"
        place = place.format(source=part, model=part, part=folder)
    return _root.get() / place


@contextmanager
def at(root: Path) -> Iterator[None]:
    """Use another lake inside the block."""
    token = _root.set(root)
    try:
        yield
    finally:
        _root.reset(token)


def below(place: Path) -> str:
    """Return a path relative to the lake, as tables store it."""
    return place.relative_to(_root.get()).as_posix()


def above(place: str) -> Path:
    """Return the path for a relative one from `below`."""
    return _root.get() / place


def journal(stage: str, part: str | None = None) -> Path:
    """Return the file that keeps a stage's verdicts until its tables are written."""
    name = stage if part is None else f"{stage}-{part.replace('/', '-')}"
    return JOURNALS / f"{name}.jsonl"


def lint_subject(model: str) -> tuple[str, str | None]:
    """Return the part of a CodeLinterEval model's subject, and its genome if there are several."""
    if model == "base":
        return VALIDATION_BASE, None
    if model == "best":
        return EVALUATIONS["best"], None
    return model.partition("-")[0], model


def asked_alone(place: Path) -> str | None:
    """Return the genome whose answers a path holds, if no stage of dvc.yaml makes them."""
    parts = place.relative_to(_root.get()).parts
    alone = parts[0] == "linteval" and len(parts) == 3 and re.fullmatch(GENOME, parts[1])
    return parts[1] if alone else None


def lint_models() -> list[str]:
    """Return the models with CodeLinterEval answers: `LINT_MODELS`, then genomes by name."""
    asked = [file.parent.name for file in path("linteval_items").parent.glob("*/samples.jsonl")]
    return [*LINT_MODELS, *sorted(name for name in asked if re.fullmatch(GENOME, name))]
