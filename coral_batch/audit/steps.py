"""What is audited, and in which order: the stages' own functions, with what was measured for them.

A step calls one stage's function with the lake as it should be and compares what comes out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any

from coral_batch import lake
from coral_batch.audit.comparison import Comparison
from coral_batch.audit.measured import Measured
from coral_batch.audit.recorded import Mismatch, Place, Recorded, Unusable
from coral_batch.corpus.roles.assignment import FILE, assign
from coral_batch.lake.hashes import found_sha256
from coral_batch.lake.stage import Outputs
from coral_batch.linteval.items.sources import remake
from coral_batch.models.base import checkpoint
from coral_batch.records.items import Dropped, Item, ItemTests
from coral_batch.records.problem import DroppedProblem, Problem, Role, content_hash
from coral_batch.records.settings import Params
from stages import (
    adapters,
    automata,
    base,
    best,
    bugs,
    calibration,
    corpus,
    evidence,
    examples,
    features,
    finals,
    findings,
    linteval_items,
    linteval_report,
    linteval_samples,
    linteval_scores,
    population,
    refit,
    report,
    samples,
    scores,
    selection,
    split,
    subjects,
    verdicts,
)
from stages.arguments import ANSWERS_OF

_AGAIN = frozenset({"adapter_cards", "linteval_dropped"})
"""Tables whose measured columns follow, in part, from other tables as well."""


@dataclass(frozen=True)
class Step:
    """A stage and the tables of it to compare.

    Attributes:
        stage: a module of `stages`.
        part: the part of the lake that it makes.
        places: the tables to compare, in an order in which one that follows from another's
            measured values stands behind it.
        again: whether it measures again, so that measured columns are compared as well.
        aside: a table that its first tables do not follow from -> how many of them.
    """

    stage: ModuleType
    part: str | None
    places: tuple[Place, ...]
    again: bool = False
    aside: Mapping[str, int] = field(default_factory=dict)

    def make(self, recorded: Recorded, settings: Params) -> Outputs:
        """Call the stage's function with the lake as it should be, and with what was measured."""
        make = _OWN.get(self.stage) or self.stage.make
        measured = Measured(recorded, settings, (self.stage.TABLES[0], self.part))
        # What measures is a further argument of a stage: obtain, draw, jail or calibrate.
        measures = () if self.again else list(signature(make).parameters)[3:]
        return make(recorded, settings, self.part, *(getattr(measured, one) for one in measures))


def steps(settings: Params, part: str | None, recalibrate: bool = False) -> list[Step]:
    """Return everything to audit, in order.

    Args:
        settings: the run's parameters.
        part: a part of the lake, e.g. a generation or ``linteval/base``; None for the whole lake.
        recalibrate: calibrate the mapping again as well.
    """
    if part is not None and part.startswith(ANSWERS_OF):
        return _answers(part.removeprefix(ANSWERS_OF))
    listed = []
    for step in _whole(settings, recalibrate):
        of_part = tuple(place for place in step.places if place[1] == part)
        if part is None or step.part == part or step.again:
            listed.append(step)
        elif of_part:  # what a part begins with, its population or its subjects, is made elsewhere
            listed.append(replace(step, places=of_part))
    return listed


def run_steps(settings: Params, listed: Sequence[Step]) -> tuple[list[Mismatch], list[str]]:
    """Take steps in order; return what does not follow, and a line a table."""
    recorded = Recorded()
    lines: list[str] = []
    for step in listed:
        recorded.reads.clear()
        outputs: Mapping[Any, Any] = {}
        with suppress(Unusable):
            outputs = recorded.attempt(step.places[0], step.make, recorded, settings)
        made: set[Place] = set()
        for index, place in enumerate(step.places):
            reads = {one for one in recorded.reads | made if step.aside.get(one[0], 0) <= index}
            before, left = len(recorded.mismatches), False
            words = "not checked: something that it follows from cannot be read"
            with suppress(Unusable):
                if outputs:
                    # A stage names the part of a table that it writes elsewhere than in its own.
                    expected = outputs[place if place in outputs else place[0]]
                    again = step.again or place[0] in _AGAIN
                    comparison = Comparison(recorded, place, reads, again)
                    comparison.compare(expected)
                    words, left = "follows", comparison.left
            if found := len(recorded.mismatches) - before:
                words = f"{found} wrong"
            if left:
                words = f"{words}, but not all checked: a measured value that it rests on is wrong"
            lines.append(f"{lake.path(*place)}: {words}")
            made.add(place)
    return recorded.mismatches, lines


_TIMED = {"adapter_durations": len(adapters.TABLES)}  # none of them follows from how long it took


def _whole(settings: Params, recalibrate: bool) -> Iterator[Step]:
    for source in settings.corpus.sources:
        yield _step(corpus, source)
    yield from map(_step, (split, bugs, base, examples))
    yield _step(calibration, again=recalibrate)
    yield _step(population, next(iter(settings.generations)))
    for name, generation in settings.generations.items():
        yield from (_step(stage, name) for stage in (automata, features))
        yield _step(adapters, name, aside=_TIMED)
        yield from _repairs(settings, name)
        bred = [(table, generation.next) for table in population.TABLES]
        # What it takes from adapters, coordinates, is not measured.
        yield _step(selection, name, *bred, aside={"adapters": 1})
    yield _step(subjects, lake.BASELINE, ("subjects", lake.EVALUATIONS["baseline"]))
    yield from _repairs(settings, lake.BASELINE)
    yield _step(finals, lake.FINALS)
    yield from _repairs(settings, lake.FINALS)
    yield _step(best)
    yield _step(refit, lake.EVALUATIONS["best"], aside=_TIMED)
    for part in lake.EVALUATIONS.values():
        yield from _repairs(settings, part)
    yield _step(evidence)
    yield _step(linteval_items)
    for model in lake.lint_models():
        yield from _answers(model)
    yield _step(linteval_report)
    times = ("adapter_durations", "sample_durations", "case_times", "linteval_durations")
    yield _step(report, aside=dict.fromkeys(times, report.TABLES.index("times")))


def _repairs(settings: Params, part: str) -> Iterator[Step]:
    for stage in (samples, verdicts, findings):
        yield _step(stage, part)
    measured = settings.objectives.runtime == "measured"
    yield _step(scores, part, aside={} if measured else {"case_times": 1})


def _answers(model: str) -> list[Step]:
    return [_step(stage, model) for stage in (linteval_samples, linteval_scores)]


def _step(stage: ModuleType, part: str | None = None, *elsewhere: Place, **how: Any) -> Step:
    """Return the step that compares all tables of a stage, and what it makes in other parts."""
    return Step(stage, part, (*((table, part) for table in stage.TABLES), *elsewhere), **how)


def _source(recorded: Recorded, settings: Params, name: str) -> Outputs:
    """Read a source again; where it is gone, hash its problems and give them roles again."""
    source = settings.corpus.sources[name]
    if Path(source.path).exists():
        return corpus.make(recorded, settings, name)
    there = recorded.rows("problems", Problem, name)
    problems = [replace(one, sha256=content_hash(one), origin=source.path) for one in there]
    if source.roles == FILE:  # which is gone with the source
        roles = recorded.rows("source_roles", Role, name)
    else:
        roles = assign(problems, name, source)
    dropped = recorded.rows("corpus_dropped", DroppedProblem, name)
    return {"problems": problems, "source_roles": roles, "corpus_dropped": dropped}


def _card(recorded: Recorded, settings: Params, _: None) -> Outputs:
    """Describe the base model again, by its files, by params.yaml and by what it is a copy of."""
    folder, base, known = lake.path("base"), settings.base, recorded.document("card", dict)
    origin, source = checkpoint.origin_of(base.model), checkpoint.place_of(base.model)
    if origin is None or (origin, known["origin"]) == ("hub", "folder"):
        origin = "folder"  # that is gone; it may have been called like an id of the hub
    full = re.fullmatch(r"[0-9a-f]{40}", base.revision or "")
    revision = base.revision if full else known["revision"]
    card = {**known, **checkpoint.provenance(base.model, origin)}
    card["revision"] = revision if origin == "hub" else None
    files = {file.name: found_sha256(file) for file in sorted(folder.iterdir())}
    del files[checkpoint.CARD]
    config = files.get(checkpoint.CONFIG)
    if config is not None and config == known["files"].get(checkpoint.CONFIG):
        card["parameters"], card["dtype"] = checkpoint.size_and_type(folder)
    if files == known["files"] and origin == "folder" and source.is_dir():
        files = {file.name: found_sha256(file) for file in checkpoint.wanted_files(source)}
    return {"card": {**card, "files": files}}


def _data_set(recorded: Recorded, settings: Params, _: None, jail: Any) -> Outputs:
    """Build the items again; where their source is gone, from their own code and solution.

    Which programs failed their tests in the jail is not found again; that stands under a seal.
    """
    if Path(settings.linteval.path).exists():
        made = linteval_items.make(recorded, settings, None, jail)
    else:
        items = recorded.rows("linteval_items", Item)
        tests = recorded.rows("linteval_tests", ItemTests)
        drops = recorded.rows("linteval_dropped", Dropped)
        made = linteval_items.outputs(remake(items, tests, drops, settings, jail.judge))
    drops = made["linteval_dropped"]
    dropped = Measured(recorded, settings, ("linteval_dropped", None))
    known = dropped.found([drop.source for drop in drops])
    again = [
        replace(drop, reason=known[drop.source]["reason"], detail=known[drop.source]["detail"])
        if drop.reason.endswith("_fails") and drop.source in known
        else drop
        for drop in drops
    ]
    return {**made, "linteval_dropped": again}


_OWN: dict[ModuleType, Any] = {corpus: _source, base: _card, linteval_items: _data_set}
"""What makes again what a stage made whose source may be gone, or that is no function of tables."""
