"""What is audited, in order: one step per stage and part of the lake."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from types import ModuleType

from coral_batch import lake
from coral_batch.audit.comparison import compare
from coral_batch.audit.hashes import LOCK, found_md5, recorded_md5
from coral_batch.audit.recorded import Mismatch, Place, Recorded, Unusable
from coral_batch.errors import CoralError
from coral_batch.lake.hashes import found_sha256
from coral_batch.lake.places import asked_alone
from coral_batch.records.rows import AdapterCardRow
from coral_batch.records.settings import Params
from stages.arguments import ANSWERS_OF

MEASURING = frozenset(
    (
        *("base", "bugs", "calibration", "adapters", "samples", "verdicts", "findings"),
        *("linteval_items", "linteval_samples", "linteval_scores"),
    )
)
"""Stages that fetch, train, draw, run or lint, or that take minutes."""


@dataclass(frozen=True)
class Step:
    """A stage and its tables to check.

    Attributes:
        stage: its name.
        part: the part of the lake that it makes.
        places: the tables to check.
        again: recompute the tables; else compare the files' hashes.
    """

    stage: str
    part: str | None
    places: tuple[Place, ...]
    again: bool


def steps(settings: Params, part: str | None) -> list[Step]:
    """Return everything to audit, in order.

    Args:
        settings: the run's parameters.
        part: a part of the lake, e.g. a generation or ``linteval/base``; None for the whole lake.
    """
    if part is not None and part.startswith(ANSWERS_OF):
        return _answers(part.removeprefix(ANSWERS_OF))
    listed = []
    for step in _whole(settings):
        of_part = tuple(place for place in step.places if place[1] == part)
        if part is None or step.part == part:
            listed.append(step)
        elif of_part:  # population or subjects, which a step of another part makes
            listed.append(replace(step, places=of_part))
    return listed


def run_steps(settings: Params, listed: Sequence[Step]) -> tuple[list[Mismatch], list[str]]:
    """Run steps in order; return the mismatches and a line per table."""
    recorded, hashes = Recorded(), recorded_md5()
    lines: list[str] = []
    for step in listed:
        if step.again:
            lines += _made_again(recorded, settings, step)
        else:
            lines += [f"{lake.path(*one)}: {_hashed(recorded, one, hashes)}" for one in step.places]
    return recorded.mismatches, lines


def _made_again(recorded: Recorded, settings: Params, step: Step) -> Iterator[str]:
    """Recompute and compare the tables of a stage; yield a line per table."""
    source = f"the inputs of the stage {step.stage}, see dvc.yaml"
    make = _module(step.stage).make
    try:
        outputs = recorded.attempt(step.places[0], make, recorded, settings, step.part)
    except Unusable:
        outputs = None
    for place in step.places:
        words = "not checked: one of its inputs is wrong or cannot be read"
        if outputs is not None:
            # Outputs in another part than the step's are keyed by (table, part).
            expected = outputs[place if place in outputs else place[0]]
            try:
                wrong = compare(recorded, place, expected, source)
                words = f"{wrong} wrong" if wrong else "correct"
            except Unusable:
                words = "wrong: it cannot be read"
        yield f"{lake.path(*place)}: {words}"


def _hashed(recorded: Recorded, place: Place, hashes: Mapping[str, str]) -> str:
    """Compare a file or folder with its hash in dvc.lock; return the result in words."""
    path = lake.path(*place)
    known = hashes.get(path.as_posix())
    if known is None:
        if not asked_alone(path):
            problem = f"{LOCK} has no hash of it\nrun `dvc repro`"
            recorded.note(Mismatch(path, problem=problem), place)
            return f"wrong: {LOCK} has no hash of it"
        if not path.exists():
            return "missing"
        try:
            recorded.table(*place)
        except Unusable:
            return "wrong: it cannot be read"
        return f"not checked: made by hand, {LOCK} has no hash of it"
    found = found_md5(path)
    if found == known:
        return "correct"
    whole = Mismatch(path, None, "MD5", found, known, str(LOCK))
    wrong = list(_wrong_files(place)) or [whole]
    for mismatch in wrong:
        recorded.note(mismatch, place)
    return f"{len(wrong)} wrong"


def _wrong_files(place: Place) -> Iterator[Mismatch]:
    """Yield the files of a folder that differ from their SHA-256 in another table."""
    table, part = place
    try:
        if table == "base":
            file, files = lake.path("card"), lake.read_document("card", dict)["files"]
        elif table == "adapter_folders":
            file = lake.path("adapter_cards", part)
            cards = lake.read_rows("adapter_cards", AdapterCardRow, part)
            files = {
                f"{card.key}/{name}": card.files[name] for card in cards for name in card.files
            }
        else:
            return
    except CoralError:  # reported when that table itself is checked
        return
    for name, expected in files.items():
        path = lake.path(table, part) / name
        if (found := found_sha256(path)) != expected:
            yield Mismatch(path, None, "SHA-256", found, expected, str(file))


def _whole(settings: Params) -> Iterator[Step]:
    for name, source in settings.corpus.sources.items():
        # The reader `folder` runs tests, whose messages may hold times.
        again = source.reader != "folder" and os.access(source.path, os.F_OK)
        yield _step("corpus", name, again=again)
    yield from map(_step, ("split", "bugs"))
    yield Step("base", None, (("base", None),), again=False)
    yield _step("examples")
    yield _step("calibration")
    yield _step("population", next(iter(settings.generations)))
    for name, generation in settings.generations.items():
        yield from (_step(stage, name) for stage in ("automata", "features", "adapters"))
        yield from _repairs(name)
        bred = [(table, generation.next) for table in _module("population").TABLES]
        yield _step("selection", name, *bred)
    yield _step("subjects", lake.VALIDATION_BASE, ("subjects", lake.EVALUATIONS["base"]))
    yield from _repairs(lake.VALIDATION_BASE)
    yield _step("best", None, ("subjects", lake.EVALUATIONS["best"]))
    for part in lake.EVALUATIONS.values():
        yield from _repairs(part)
    yield from map(_step, ("evidence", "linteval_items"))
    for model in lake.lint_models():
        yield from _answers(model)
    yield from map(_step, ("linteval_report", "results"))


def _module(stage: str) -> ModuleType:
    return import_module(f"stages.{stage}")


def _repairs(part: str) -> list[Step]:
    return [_step(stage, part) for stage in ("samples", "verdicts", "findings", "scores")]


def _answers(model: str) -> list[Step]:
    return [_step(stage, model) for stage in ("linteval_samples", "linteval_scores")]


def _step(
    stage: str, part: str | None = None, *elsewhere: Place, again: bool | None = None
) -> Step:
    """Return the step that checks all tables of a stage, and its outputs in other parts."""
    places = (*((table, part) for table in _module(stage).TABLES), *elsewhere)
    return Step(stage, part, places, stage not in MEASURING if again is None else again)
