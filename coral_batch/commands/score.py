"""`coral score`: an adapter next to its base model, on held-out bugs, HumanEvalFix, CodeLinterEval.

Answers are kept in the store, so a stopped command resumes, and answers of a run are reused. The
lake is not changed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from coral_batch import lake
from coral_batch.errors import CoralError
from coral_batch.evidence.paired import (
    Estimate,
    Outcome,
    Outcomes,
    Paired,
    compare,
    compare_means,
)
from coral_batch.evidence.summary import first_changes
from coral_batch.lake import params
from coral_batch.lake.atomic import check_free
from coral_batch.records.configuration import Knobs, knobs_at
from coral_batch.records.items import Item, ItemTests
from coral_batch.records.problem import Bug, Problem, Role, program_of
from coral_batch.records.rows import BASE, SubjectRow
from coral_batch.records.settings import Params, Prompt
from coral_batch.report.claims import FIRST_CHANGES, NOISE, verdict
from coral_batch.work.progress import say
from coral_batch.work.text import interval, table

if TYPE_CHECKING:
    from coral_batch.models.base.checkpoint import Card
    from coral_batch.repair.models import Adapter

ADAPTER = "adapter"
"""Name of the scored adapter, next to `BASE`."""

STAGES = {"card": "base", "manifest": "split", "bugs": "bugs", "linteval_items": "linteval_items"}
"""Required tables -> the stages that make them."""


@dataclass(frozen=True)
class Measure:
    """One line of the table.

    Attributes:
        measure: its name.
        problems: bugs or items.
        programs: their programs or functions; intervals are over these.
        samples: answers per problem.
        base: score of the base model, in [0, 1].
        adapter: score of the adapter, likewise.
        difference: the adapter's minus the base's.
        unclear: noise can explain the difference, see `coral_batch.evidence.paired.Paired`.
    """

    measure: str
    problems: int
    programs: int
    samples: int
    base: Estimate
    adapter: Estimate
    difference: Estimate
    unclear: bool


def score(
    adapter: Annotated[
        Path,
        typer.Argument(
            metavar="ADAPTER",
            help="A PEFT folder with an adapter of the lake's base, such as `released`.",
        ),
    ],
    humanevalfix: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="A copy of HumanEvalPack's Python tasks (JSONL), to score as well."
        ),
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--json", help="A JSON file to write the scores to as well.")
    ] = None,
    bugs: Annotated[
        int | None,
        typer.Option(min=0, help="Injected held-out bugs; without it, evaluation.bugs."),
    ] = None,
    temperature: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=5.0,
            help="Temperature of the adapter on held-out bugs; without it, 0, or as the released"
            " adapter's record says.",
        ),
    ] = None,
) -> None:
    """Score an adapter next to its base model, with 95 % intervals.

    Scores repairs of held-out bugs, of HumanEvalFix if you have its file (greedy, docstrings shown,
    tests hidden), and answers to CodeLinterEval. Run `dvc repro base split bugs linteval_items`
    first.
    """
    # Imported here: torch takes seconds, which --help must not.
    from coral_batch.corpus.readers.humanevalpack import read
    from coral_batch.corpus.split.reading import read_problems
    from coral_batch.corpus.split.shown import measured
    from coral_batch.linteval.items.item import spread
    from coral_batch.models.base.checkpoint import read_card
    from coral_batch.repair.models import read_peft_folder

    settings = params.load()
    check_free(file)
    _check_tables()
    card = read_card(lake.path("base"))
    found = read_peft_folder(adapter, card.sha256)
    settings = _adjusted(settings, found, bugs)
    manifest, injected = lake.read_rows("manifest", Role), lake.read_rows("bugs", Bug)
    problems = read_problems(lake, settings)
    held_out = measured(problems, injected, manifest, settings.evaluation)
    fixes, dropped = ([], []) if humanevalfix is None else read(humanevalfix)
    if dropped:
        say(f"HumanEvalFix: skipping {len(dropped)} tasks that the jail cannot run")
    items = spread(lake.read_rows("linteval_items", Item), settings.linteval.items)
    knobs = found.knobs or knobs_at(0.0)
    if temperature is not None:
        knobs = replace(knobs, temperature=temperature)
    params.check_samples(
        settings.evaluation.samples, knobs.temperature, "evaluation.samples", "add --temperature"
    )

    repairs = len(held_out) * settings.evaluation.samples + len(fixes)
    _say_duration(2 * (repairs + len(items) * settings.linteval.samples), card)
    measures = _on_held_out(found, knobs, held_out, settings)
    if fixes:
        measures.append(_on_humanevalfix(found, fixes, settings))
    measures.append(_on_lint(found, items, settings))
    print(f"{found.name} next to its base model, {card.name}\n")
    print(scores_table(measures))
    if file is not None:
        content = {
            "adapter": {"folder": str(adapter), "files": found.files, "knobs": knobs},
            "base": {"name": card.name, "revision": card.revision, "sha256": card.sha256},
            "measures": measures,
        }
        lake.write_text(file, json.dumps(lake.plain(content), indent=2) + "\n")


def _check_tables() -> None:
    """Check that the stages that make bugs and items have run."""
    missing = [stage for name, stage in STAGES.items() if not lake.path(name).exists()]
    if missing:
        raise CoralError(
            "the lake lacks tables that scoring needs",
            file=lake.path("base").parent,
            found=f"no output of the stages {', '.join(missing)}",
            action=f"run `dvc repro {' '.join(missing)}`",
        )


def _adjusted(settings: Params, adapter: Adapter, bugs: int | None) -> Params:
    """Return the settings for held-out bugs only, with room for the adapter's rank."""
    evaluation = replace(
        settings.evaluation,
        problems="held_out",
        bugs=settings.evaluation.bugs if bugs is None else bugs,
    )
    # Keep the run's greatest rank if it is enough: answers in the store depend on it.
    candidates = replace(settings.candidates, r=(*settings.candidates.r, adapter.rank))
    return replace(settings, evaluation=evaluation, candidates=candidates)


def _say_duration(answers: int, card: Card) -> None:
    from coral_batch.commands.duration import answer_minutes, product_rate
    from coral_batch.models.base.device import compute_dtype, devices

    (device, *_) = devices()
    estimate = "not estimated on a GPU"
    if device.type == "cpu":
        dtype = compute_dtype(device)
        minutes = answer_minutes(answers, product_rate(dtype), dtype, card.parameters)
        estimate = f"about {minutes:.0f} minutes on this machine, less for answers in the store"
    say(f"{answers} answers: {estimate}")


def _subjects(adapter: Adapter, of_base: Knobs, of_adapter: Knobs) -> list[SubjectRow]:
    """Return the base model and an adapter as subjects."""
    return [SubjectRow(BASE, None, None, {}, of_base), adapter.subject(ADAPTER, of_adapter)]


def _on_held_out(
    adapter: Adapter, knobs: Knobs, problems: Sequence[Problem], settings: Params
) -> list[Measure]:
    subjects = _subjects(adapter, knobs_at(settings.sampling.base_temperature), knobs)
    found = _repairs_of(subjects, problems, settings.evaluation.samples, settings)
    (base, first), (other, of_other) = found[BASE], found[ADAPTER]
    measures = [_measure("held-out bugs: repaired", base, other, settings)]
    for name, values in first.items():
        measure = f"held-out bugs: {FIRST_CHANGES[name]}"
        paired = compare_means(values, of_other[name], settings.seed, "score", measure)
        measures.append(_line(measure, list(values), 1, paired))
    return measures


def _on_humanevalfix(adapter: Adapter, problems: Sequence[Problem], settings: Params) -> Measure:
    settings = replace(settings, prompt=Prompt(docstring=True))
    subjects = _subjects(adapter, knobs_at(0.0), knobs_at(0.0))
    found = _repairs_of(subjects, problems, 1, settings)
    return _measure("HumanEvalFix: repaired", found[BASE][0], found[ADAPTER][0], settings)


def _repairs_of(
    subjects: Sequence[SubjectRow], problems: Sequence[Problem], samples: int, settings: Params
) -> dict[str, tuple[Outcomes, dict[str, dict[str, float]]]]:
    """Draw repairs with each model and run all tests on them.

    Args:
        subjects: the models, decoded together.
        problems: the bugs.
        samples: repairs per bug.
        settings: prompt, sampling, limits, seed and threads.

    Returns:
        Model -> for each bug how many repairs pass all tests, and its first changes, see
        `coral_batch.evidence.summary.first_changes`: none if repairs need not change the program.

    Raises:
        CoralError: an adapter or the jail cannot be used.
    """
    from coral_batch.models.repairs.tables import sample
    from coral_batch.verdicts.pool import judge_of
    from coral_batch.verdicts.tables import as_programs

    rows, looks, _ = sample(subjects, problems, [], samples, lake.path("base"), settings)
    verdicts = judge_of(settings)(as_programs(rows, problems))
    passed: dict[str, dict[str, list[bool]]] = {subject.genome: {} for subject in subjects}
    for row, of_row in zip(rows, verdicts, strict=True):
        repaired = all(one.kind == "PASS" for one in of_row)
        passed[row.genome].setdefault(row.problem, []).append(repaired)
    return {
        name: (
            {problem: Outcome(len(row), sum(row)) for problem, row in of_model.items()},
            first_changes(look for look in looks if look.genome == name),
        )
        for name, of_model in passed.items()
    }


def _on_lint(adapter: Adapter, items: Sequence[Item], settings: Params) -> Measure:
    """Draw and score both models' answers to CodeLinterEval, at its own temperature."""
    from coral_batch.linteval.answers.tables import answer
    from coral_batch.linteval.scores.metrics import outcomes
    from coral_batch.linteval.scores.tables import score_samples
    from coral_batch.verdicts.pool import judge_of

    tests = lake.read_rows("linteval_tests", ItemTests)
    judge = judge_of(settings)
    knobs = knobs_at(settings.linteval.temperature)
    found = []
    for subject in _subjects(adapter, knobs, knobs):
        rows, _ = answer(subject, items, lake.path("base"), settings)
        scored = score_samples(rows, items, tests, judge, settings.compute.workers)
        scores = lake.frame("linteval_scores", scored["linteval_scores"])
        found.append(outcomes(scores, tests, "official"))
    base, other = found
    return _measure("CodeLinterEval: pass@1", base, other, settings)


def _measure(name: str, base: Outcomes, adapter: Outcomes, settings: Params) -> Measure:
    paired = compare(base, adapter, 1, settings.seed, "score", name)
    return _line(name, list(base), min(one.samples for one in adapter.values()), paired)


def _line(name: str, problems: Sequence[str], samples: int, paired: Paired) -> Measure:
    programs = {program_of(problem) for problem in problems}
    means = (paired.first, paired.second, paired.difference)
    return Measure(name, len(problems), len(programs), samples, *means, paired.unclear)


def scores_table(measures: Sequence[Measure]) -> str:
    """Return the scores as text."""
    rows = []
    for one in measures:
        programs = f" ({one.programs})" if one.programs < one.problems else ""
        rows.append(
            (
                one.measure,
                f"{one.problems}{programs} x {one.samples}",
                interval(one.base),
                interval(one.adapter),
                interval(one.difference, signed=True),
                verdict(one.unclear),
            )
        )
    header = ("measure", "n", "base model", "adapter", "difference", "")
    return (
        table(header, rows, left={"measure", "n", ""})
        + "\n[ ]: 95 % intervals over programs; differences in points.\n"
        "n: bugs or items (programs) x answers each.\n" + NOISE
    )
