"""What is audited, and in which order: the stages' own functions, with what was measured for them.

A step calls one stage's function with the lake as it should be and compares the tables that come
out. Formulas are not written a second time here, and an error in one of them is for the tests to
find.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from coral_batch import lake
from coral_batch.audit import measured
from coral_batch.audit.comparison import Comparison
from coral_batch.audit.mismatch import Mismatch
from coral_batch.audit.recorded import Place, Recorded, Unusable, hashes_in
from coral_batch.corpus.sources import checkout
from coral_batch.lake.stage import Outputs
from coral_batch.linteval.items.build import adopt, build
from coral_batch.linteval.items.prompts import PROMPTS
from coral_batch.models.base.catalogue import CATALOGUE
from coral_batch.models.base.checkpoint import CARD
from coral_batch.records.items import Candidate, Dropped, Item, ItemTests
from coral_batch.records.problem import DroppedProblem, Problem, content_hash
from coral_batch.records.settings import Params
from stages import (
    adapters,
    automata,
    best,
    bugs,
    calibration,
    corpus,
    evidence,
    examples,
    features,
    findings,
    linteval_items,
    linteval_report,
    linteval_samples,
    linteval_scores,
    population,
    report,
    samples,
    scores,
    selection,
    split,
    subjects,
    verdicts,
)

ANSWERS_OF = "linteval/"
"""What stands before a model of CodeLinterEval where other parts of the lake may be named."""


@dataclass(frozen=True)
class Step:
    """A stage's function and the tables of it to compare.

    Attributes:
        make: the function, given the lake and the parameters.
        places: the tables to compare, in an order in which one that follows from another's
            measured values stands behind it.
        again: tables whose measured columns are compared as well.
        aside: tables that the function reads for other tables than the first.
    """

    make: Callable[[Recorded, Params], Outputs]
    places: tuple[Place, ...]
    again: frozenset[str] = frozenset()
    aside: frozenset[str] = frozenset()


def steps(settings: Params, part: str | None, recalibrate: bool = False) -> list[Step]:
    """Return everything to audit, in order.

    Args:
        settings: the run's parameters.
        part: a part of the lake, e.g. a generation or ``linteval/base``; None for the whole lake.
        recalibrate: calibrate the mapping again as well.
    """
    if part is None:
        return _whole(settings, recalibrate)
    if part.startswith(ANSWERS_OF):
        return _answers(part.removeprefix(ANSWERS_OF))
    if part not in settings.generations:
        return _repairs(settings, part)
    before = [name for name, entry in settings.generations.items() if entry.next == part]
    bred = [replace(_step(selection, name), places=_bred(part)) for name in before]
    again = [_calibration(recalibrate)] if recalibrate else []
    return again + bred + _generation(settings, part)


def _whole(settings: Params, recalibrate: bool) -> list[Step]:
    listed = [
        *(
            Step(partial(_source, source=name), (("problems", name), ("corpus_dropped", name)))
            for name in settings.corpus.sources
        ),
        _step(split),
        Step(_bugs, tuple((table, None) for table in bugs.TABLES)),
        Step(_card, (("card", None),)),
        _step(examples),
        _calibration(recalibrate),
    ]
    for name in settings.generations:
        listed += _generation(settings, name)
    places = tuple(("subjects", part) for part in (lake.BASELINE, lake.EVALUATIONS["baseline"]))
    listed += [replace(_step(subjects), places=places), *_repairs(settings, lake.BASELINE)]
    of_best = _step(best)
    listed.append(
        replace(of_best, places=(*of_best.places, ("subjects", lake.EVALUATIONS["best"])))
    )
    for evaluation in lake.EVALUATIONS.values():
        listed += _repairs(settings, evaluation)
    items = tuple((table, None) for table in linteval_items.TABLES)
    listed += [
        _step(evidence),
        _step(report),
        Step(_data_set, items, frozenset({"linteval_dropped"})),
    ]
    for model in lake.lint_models():
        listed += _answers(model)
    return [*listed, _step(linteval_report)]


def run_steps(settings: Params, listed: Sequence[Step]) -> tuple[list[Mismatch], list[str]]:
    """Take steps in order; return what does not follow, and a line a table."""
    recorded = Recorded()
    lines: list[str] = []
    for step in listed:
        recorded.enter(step.places[0][1])
        recorded.reads.clear()
        try:
            outputs = recorded.attempt(step.places[0], partial(step.make, recorded, settings))
        except Unusable:
            outputs = None
        rests_on = {place for place in recorded.reads if place[0] not in step.aside}
        for place in step.places:
            words = _compare(recorded, step, outputs, place, rests_on)
            lines.append(f"{lake.path(*place)}: {words}")
            rests_on |= {place, *recorded.reads}
    return recorded.mismatches, lines


def _compare(
    recorded: Recorded, step: Step, outputs: Outputs | None, place: Place, rests_on: set[Place]
) -> str:
    """Compare one table and return what is said of it."""
    before = len(recorded.mismatches)
    table, part = place
    try:
        if outputs is None:
            raise Unusable
        # A stage names the part of a table that it writes elsewhere than in its own.
        expected = outputs[table, part] if part and (table, part) in outputs else outputs[table]
        Comparison(recorded, place, rests_on, table in step.again).compare(expected)
    except Unusable:
        if len(recorded.mismatches) == before:
            return "not checked: something that it follows from cannot be read"
    found = len(recorded.mismatches) - before
    return f"{found} wrong" if found else "follows"


def _step(
    stage: ModuleType, part: str | None = None, record: Callable[[Recorded], Any] | None = None
) -> Step:
    """Return the step of a stage.

    Args:
        stage: a module of `stages`.
        part: the part that it makes.
        record: returns what stands for what measures, given the lake.
    """

    def make(recorded: Recorded, settings: Params) -> Outputs:
        own = () if record is None else (record(recorded),)
        return stage.make(recorded, settings, part, *own)

    return Step(make, tuple((table, part) for table in stage.TABLES))


def _generation(settings: Params, name: str) -> list[Step]:
    first = [_step(population, name)] if name == next(iter(settings.generations)) else []
    select = _step(selection, name)
    train = _step(adapters, name, lambda recorded: measured.adapters(recorded, name))
    return [
        *first,
        _step(automata, name),
        _step(features, name),
        replace(train, again=frozenset({"adapter_cards"})),
        *_repairs(settings, name),
        replace(
            select,
            places=(*select.places, *_bred(settings.generations[name].next)),
            # What it takes from there, coordinates, is not measured.
            aside=frozenset({"adapters"}),
        ),
    ]


def _bred(part: str) -> tuple[Place, ...]:
    """Return what the selection before it makes of a generation."""
    return (("population", part), ("evaluated", part))


def _repairs(settings: Params, part: str) -> list[Step]:
    times = () if settings.objectives.runtime == "measured" else ("case_times",)
    return [
        _step(samples, part, lambda recorded: measured.answers(recorded, "samples", part)),
        _step(verdicts, part, lambda recorded: measured.verdicts(recorded, "verdicts", part)),
        _step(findings, part),
        replace(_step(scores, part), aside=frozenset(times)),
    ]


def _answers(model: str) -> list[Step]:
    drawn, judged = "linteval_samples", "linteval_verdicts"
    return [
        _step(linteval_samples, model, lambda lake_: measured.answers(lake_, drawn, model)),
        _step(linteval_scores, model, lambda lake_: measured.verdicts(lake_, judged, model)),
    ]


def _calibration(again: bool) -> Step:
    step = _step(calibration, None, None if again else measured.calibration)
    return replace(step, again=frozenset(calibration.TABLES if again else ()))


def _source(recorded: Recorded, settings: Params, source: str) -> Outputs:
    """Read a source again; where it is gone, hash each of its problems again."""
    path, origin = checkout.place(settings.corpus.sources[source])
    if path.exists():
        return corpus.make(recorded, settings, source)
    there = recorded.rows("problems", Problem, source)
    hashed = [replace(one, sha256=content_hash(one), origin=origin) for one in there]
    return {
        "problems": hashed,
        "corpus_dropped": recorded.rows("corpus_dropped", DroppedProblem, source),
    }


def _bugs(recorded: Recorded, settings: Params) -> Outputs:
    """Put bugs into the programs again; what came of them in the jail stands in the trials."""
    jail = measured.trials(recorded, settings.injection.lines)
    return bugs.make(recorded, settings, None, jail)


def _card(recorded: Recorded, settings: Params) -> Outputs:
    """Hash the base model's files, and take from the catalogue what it says."""
    files = {name: one for name, one in hashes_in(lake.path("base")).items() if name != CARD}
    card = {**recorded.document("card", dict), "files": files}
    model = settings.base.model
    if entry := CATALOGUE.get(model):
        card |= {"name": model, "origin": "catalogue"}
        card |= {"source_sha256": entry.sha256, "licence": entry.licence}
    return {"card": card}


def _data_set(recorded: Recorded, settings: Params) -> Outputs:
    """Build the items again; where their source is gone, from their own code and solution.

    Which programs failed their tests in the jail is not found again; that stands under a seal.
    """
    items = recorded.rows("linteval_items", Item)
    tests = recorded.rows("linteval_tests", ItemTests)
    dropped = recorded.rows("linteval_dropped", Dropped)
    path, lint = Path(settings.linteval.path), settings.linteval
    jail = measured.failures(items, tests, dropped)
    if path.exists():
        made = linteval_items.make(recorded, settings, None, jail)
    elif lint.source == "official":
        made = linteval_items.outputs(adopt(items, path.name))
    else:
        candidates = [
            Candidate(
                of.source, one.inputs.code, one.meta.canonical_code, of.function, of.cases, of.tests
            )
            for one, of in zip(items, tests, strict=False)
        ]
        prompts, workers = PROMPTS[lint.language], settings.compute.workers
        made = linteval_items.outputs(build(candidates, prompts, jail.judge, workers, dropped))
    keys = [(drop.source,) for drop in made["linteval_dropped"]]
    known = measured.found_by(recorded, "linteval_dropped", None, keys)
    again = [
        replace(drop, reason=known[drop.source,]["reason"], detail=known[drop.source,]["detail"])
        if drop.reason.endswith("_fails") and (drop.source,) in known
        else drop
        for drop in made["linteval_dropped"]
    ]
    return {**made, "linteval_dropped": again}
