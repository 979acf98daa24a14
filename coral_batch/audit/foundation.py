"""The checks of what all generations rest on: corpus, split, base model, examples, calibration."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from coral_batch import lake
from coral_batch.audit.evidence import Evidence, differences
from coral_batch.corpus.layout import digest, read_layout
from coral_batch.corpus.overlap import Overlap, measure_overlaps
from coral_batch.corpus.split import assign, select, select_evaluation
from coral_batch.corpus.statistics import describe
from coral_batch.lake.hashes import found_sha256
from coral_batch.models.base.catalogue import CATALOGUE
from coral_batch.models.base.checkpoint import CARD, Card, load_tokenizer, read_card
from coral_batch.models.prompts.examples import make_examples
from coral_batch.records.problem import Problem, Role
from coral_batch.search.mapping.mapping import calibrate


def check_problems(evidence: Evidence, _: str | None) -> None:
    """Read the corpus again; where it is gone, check each problem's own hash."""
    settings = evidence.settings.corpus
    if settings.url is not None and settings.revision is not None:
        folder, origin = lake.CHECKOUTS / settings.revision, f"{settings.url}@{settings.revision}"
    else:
        folder, origin = Path(settings.path), settings.path
    if folder.is_dir():
        read = evidence.attempt("problems", None, lambda: read_layout(folder, origin))
    else:
        there = evidence.built("problems", Problem)
        read = [replace(problem, sha256=digest(problem), origin=origin) for problem in there]
    evidence.settle("problems", None, [lake.plain(problem) for problem in read])


def check_manifest(evidence: Evidence, _: str | None) -> None:
    """Assign the roles again."""
    roles = assign(evidence.built("problems", Problem))
    evidence.settle("manifest", None, [asdict(role) for role in roles])


def check_overlaps(evidence: Evidence, _: str | None) -> None:
    """Compare evaluation and training programs again."""
    rows = measure_overlaps(evidence.built("problems", Problem), evidence.built("manifest", Role))
    evidence.settle("overlaps", None, [asdict(row) for row in rows])


def check_statistics(evidence: Evidence, _: str | None) -> None:
    """Count the roles again."""
    expected = describe(
        evidence.built("problems", Problem),
        evidence.built("manifest", Role),
        evidence.built("overlaps", Overlap),
    )
    evidence.settle_document("statistics", lake.plain(expected))


def check_card(evidence: Evidence, _: str | None) -> None:
    """Hash the base model's files, and compare the card with the catalogue."""
    found = base_card(evidence)
    folder = lake.path("base")
    files = {file.name: found_sha256(file) for file in folder.iterdir() if file.name != CARD}
    expected: dict[str, Any] = {"files": files}
    model = evidence.settings.base.model
    if entry := CATALOGUE.get(model):
        expected |= {
            "name": model,
            "origin": "catalogue",
            "source_sha256": entry.sha256,
            "licence": entry.licence,
        }
    there = asdict(found)
    for name, should in expected.items():
        for path, one, other in differences(there[name], should, name):
            evidence.doubt("card", None, path, one, other)


def base_card(evidence: Evidence) -> Card:
    """Return the base model's card."""
    return evidence.attempt("card", None, lambda: read_card(lake.path("base")))


def tokenizer(evidence: Evidence) -> Any:
    """Return the base model's tokenizer."""
    base_card(evidence)
    if evidence.kept("base", None) is None:
        speaker = evidence.attempt("base", None, lambda: load_tokenizer(lake.path("base")))
        evidence.keep("base", None, speaker)
    return evidence.kept("base", None)


def check_examples(evidence: Evidence, _: str | None) -> None:
    """Make the training examples again."""
    problems, roles = evidence.built("problems", Problem), evidence.built("manifest", Role)
    training = evidence.attempt("manifest", None, lambda: select(problems, roles, "training"))
    rows = make_examples(training, tokenizer(evidence), evidence.settings.prompt.docstring)
    evidence.settle("examples", None, [asdict(row) for row in rows])


def check_calibration(evidence: Evidence, _: str | None) -> None:
    """Check the calibration's seal."""
    evidence.settle_document("calibration", None)
    bins = evidence.document("calibration")["bins"]
    if bins != evidence.settings.calibration.bins:
        evidence.doubt("calibration", None, "bins", bins, evidence.settings.calibration.bins)


def check_calibration_again(evidence: Evidence, _: str | None) -> None:
    """Simulate the random genomes and calibrate again."""
    settings = evidence.settings
    transport = calibrate(settings.automata, settings.calibration, settings.seed)
    evidence.settle_document("calibration", transport.to_plain())


def asked(evidence: Evidence, part: str | None) -> list[Problem]:
    """Return the problems that are repaired in a part of the lake.

    Raises:
        Unusable: corpus or manifest cannot be read.
    """
    problems = evidence.built("problems", Problem)
    roles = evidence.built("manifest", Role)
    which = "test"
    if part in lake.EVALUATIONS.values():
        which = evidence.settings.evaluation.problems
    return evidence.attempt("manifest", None, lambda: select_evaluation(problems, roles, which))
