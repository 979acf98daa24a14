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
from typing import Any

from coral_batch import lake
from coral_batch.audit.comparison import Comparison
from coral_batch.audit.measured import (
    RecordedAdapters,
    RecordedAnswers,
    RecordedCalibration,
    RecordedDrops,
    RecordedVerdicts,
    found_by,
)
from coral_batch.audit.mismatch import Mismatch
from coral_batch.audit.recorded import Place, Recorded, Unusable, hashes_in
from coral_batch.corpus.checkout import source
from coral_batch.corpus.layout import digest
from coral_batch.lake.stage import Outputs
from coral_batch.linteval.items.build import adopt, build
from coral_batch.linteval.items.prompts import PROMPTS
from coral_batch.models.base.catalogue import CATALOGUE
from coral_batch.models.base.checkpoint import CARD
from coral_batch.records.items import Candidate, Dropped, Item, ItemTests
from coral_batch.records.problem import Problem
from coral_batch.records.settings import Params
from stages import (
    adapters,
    automata,
    best,
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
        tables: the tables to compare, each with its part, in an order in which a table that
            follows from another one's measured values stands behind it.
        again: those whose measured columns are compared as well.
        aside: tables that the function reads for other tables than its first one.
    """

    make: Callable[[Recorded, Params], Outputs]
    tables: tuple[Place, ...]
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
        listed = _foundation(recalibrate)
        for name in settings.generations:
            listed += _generation(settings, name)
        listed.append(_pure(subjects.make, None, *_subjects_of_base()))
        listed += _repairs(settings, lake.BASELINE)
        listed.append(
            _pure(
                best.make,
                None,
                ("best", None),
                ("best_adapter", None),
                ("subjects", lake.EVALUATIONS["best"]),
            )
        )
        for evaluation in lake.EVALUATIONS.values():
            listed += _repairs(settings, evaluation)
        listed += [
            _pure(evidence.make, None, ("evidence", None)),
            _pure(report.make, None, ("metrics", None), ("plots", None), ("times", None)),
            _items(),
        ]
        for model in lake.lint_models():
            listed += _answers(model)
        listed.append(
            _pure(linteval_report.make, None, ("linteval_metrics", None), ("linteval_plots", None))
        )
        return listed
    if part.startswith(ANSWERS_OF):
        return _answers(part.removeprefix(ANSWERS_OF))
    if part not in settings.generations:
        return _repairs(settings, part)
    before = [name for name, entry in settings.generations.items() if entry.next == part]
    listed = [_calibration(recalibrate)] if recalibrate else []
    if before:
        listed.append(_pure(selection.make, before[0], ("population", part)))
    return listed + _generation(settings, part)


def run_steps(settings: Params, listed: Sequence[Step]) -> tuple[list[Mismatch], list[str]]:
    """Take steps in order; return what does not follow, and a line a table."""
    recorded = Recorded()
    lines: list[str] = []
    for step in listed:
        recorded.enter(step.tables[0][1])
        recorded.reads.clear()
        try:
            outputs = recorded.attempt(step.tables[0], partial(step.make, recorded, settings))
        except Unusable:
            outputs = None
        rests_on = {place for place in recorded.reads if place[0] not in step.aside}
        for place in step.tables:
            lines.append(
                f"{lake.path(*place)}: {_compare(recorded, step, outputs, place, rests_on)}"
            )
            rests_on |= {place, *recorded.reads}
    return recorded.mismatches, lines


def _compare(
    recorded: Recorded, step: Step, outputs: Outputs | None, place: Place, rests_on: set[Place]
) -> str:
    """Compare one table and return what is said of it."""
    before = len(recorded.mismatches)
    try:
        if outputs is None:
            raise Unusable
        again = place[0] in step.again
        Comparison(recorded, place, rests_on, again).compare(_output(outputs, place))
    except Unusable:
        if len(recorded.mismatches) == before:
            return "not checked: something that it follows from cannot be read"
    found = len(recorded.mismatches) - before
    return f"{found} wrong" if found else "follows"


def _output(outputs: Outputs, place: Place) -> Any:
    """Return what a stage's function returned for a table: under its part, where it names one."""
    table, part = place
    return outputs[table, part] if part and (table, part) in outputs else outputs[table]


def _pure(make: Callable[..., Outputs], part: str | None, *tables: Place) -> Step:
    """Return the step of a stage that measures nothing."""
    return Step(lambda recorded, settings: make(recorded, settings, part), tables)


def _foundation(recalibrate: bool) -> list[Step]:
    split_tables = (("manifest", None), ("overlaps", None), ("statistics", None))
    return [
        Step(_corpus, (("problems", None),)),
        _pure(split.make, None, *split_tables),
        Step(_card, (("card", None),)),
        _pure(examples.make, None, ("examples", None)),
        _calibration(recalibrate),
    ]


def _corpus(recorded: Recorded, settings: Params) -> Outputs:
    """Read the corpus again; where it is gone, hash each problem again."""
    folder, origin = source(settings.corpus)
    if folder.is_dir():
        return corpus.make(recorded, settings, None)
    there = recorded.rows("problems", Problem)
    return {"problems": [replace(one, sha256=digest(one), origin=origin) for one in there]}


def _card(recorded: Recorded, settings: Params) -> Outputs:
    """Hash the base model's files, and take from the catalogue what it says."""
    files = {name: one for name, one in hashes_in(lake.path("base")).items() if name != CARD}
    card = {**recorded.document("card", dict), "files": files}
    model = settings.base.model
    if entry := CATALOGUE.get(model):
        card |= {"name": model, "origin": "catalogue"}
        card |= {"source_sha256": entry.sha256, "licence": entry.licence}
    return {"card": card}


def _calibration(recalibrate: bool) -> Step:
    tables = (("calibration", None),)
    if recalibrate:
        return replace(_pure(calibration.make, None, *tables), again=frozenset({"calibration"}))
    return Step(
        lambda recorded, settings: calibration.make(
            recorded, settings, None, RecordedCalibration(recorded)
        ),
        tables,
    )


def _generation(settings: Params, name: str) -> list[Step]:
    following = settings.generations[name].next
    trained = ("adapter_cards", "adapter_folders", "adapters", "subjects", "adapter_durations")
    first = [_pure(population.make, name, ("population", name))]
    return [
        *(first if name == next(iter(settings.generations)) else []),
        _pure(automata.make, name, ("automata", name)),
        _pure(features.make, name, ("features", name)),
        Step(
            lambda recorded, settings: adapters.make(
                recorded, settings, name, RecordedAdapters(recorded, name)
            ),
            tuple((table, name) for table in trained),
            frozenset({"adapter_cards"}),
        ),
        *_repairs(settings, name),
        _pure(selection.make, name, ("selection", name), ("population", following)),
    ]


def _subjects_of_base() -> list[Place]:
    return [("subjects", part) for part in (lake.BASELINE, lake.EVALUATIONS["baseline"])]


def _repairs(settings: Params, part: str) -> list[Step]:
    return [
        Step(
            lambda recorded, settings: samples.make(
                recorded, settings, part, RecordedAnswers(recorded, "samples", part)
            ),
            (("samples", part), ("sample_durations", part)),
        ),
        Step(
            lambda recorded, settings: verdicts.make(
                recorded, settings, part, RecordedVerdicts(recorded, "verdicts", part)
            ),
            (("verdicts", part), ("case_times", part)),
        ),
        _pure(findings.make, part, ("findings", part)),
        replace(
            _pure(scores.make, part, ("scores", part), ("runtimes", part)),
            aside=frozenset({"case_times"} if settings.objectives.runtime != "measured" else ()),
        ),
    ]


def _items() -> Step:
    tables = ("linteval_items", "linteval_tests", "linteval_dropped", "linteval_statistics")
    return Step(
        _data_set, tuple((table, None) for table in tables), frozenset({"linteval_dropped"})
    )


def _data_set(recorded: Recorded, settings: Params) -> Outputs:
    """Build the items again; where their source is gone, from their own code and solution.

    Which programs failed their tests in the jail is not found again; that stands under a seal.
    """
    items = recorded.rows("linteval_items", Item)
    tests = recorded.rows("linteval_tests", ItemTests)
    dropped = recorded.rows("linteval_dropped", Dropped)
    path = Path(settings.linteval.path)
    jail = RecordedDrops(items, tests, dropped)
    if path.exists():
        made = linteval_items.make(recorded, settings, None, jail)
    else:
        workers, prompts = settings.compute.workers, PROMPTS[settings.linteval.language]
        data_set = (
            adopt(items, path.name)
            if settings.linteval.source == "official"
            else build(_candidates(items, tests), prompts, jail.judge, workers, dropped)
        )
        made = linteval_items.outputs(data_set)
    keys = [(drop.source,) for drop in made["linteval_dropped"]]
    known = found_by(recorded, "linteval_dropped", None, keys)
    again = [
        replace(drop, reason=known[drop.source,]["reason"], detail=known[drop.source,]["detail"])
        if drop.reason.endswith("_fails") and (drop.source,) in known
        else drop
        for drop in made["linteval_dropped"]
    ]
    return {**made, "linteval_dropped": again}


def _candidates(items: Sequence[Item], tests: Sequence[ItemTests]) -> list[Candidate]:
    return [
        Candidate(
            of.source, one.inputs.code, one.meta.canonical_code, of.function, of.cases, of.tests
        )
        for one, of in zip(items, tests, strict=False)
    ]


def _answers(model: str) -> list[Step]:
    judged = ("linteval_verdicts", "linteval_findings", "linteval_changes", "linteval_scores")
    return [
        Step(
            lambda recorded, settings: linteval_samples.make(
                recorded, settings, model, RecordedAnswers(recorded, "linteval_samples", model)
            ),
            (("linteval_samples", model), ("linteval_durations", model)),
        ),
        Step(
            lambda recorded, settings: linteval_scores.make(
                recorded, settings, model, RecordedVerdicts(recorded, "linteval_verdicts", model)
            ),
            tuple((table, model) for table in judged),
        ),
    ]
