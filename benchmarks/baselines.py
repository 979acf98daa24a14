"""The base model with the best knobs that a genome may choose, beside the best genome.

    python -m benchmarks.baselines [--change required|free]

Genomes choose their knobs and the base model of a run has one setting, so that the comparison could
be unfair to it. Here the base model answers each bug that selection sees and each that the
finalists are drawn for (`validation` in params.yaml): greedily, and with the knobs of
`search.fixed`, each of which in turn takes every value among the candidates and keeps the one that
repairs most. The best setting of all answers the held-out bugs (`evaluation`) as well, beside the
greedy base model and the best genome of the run in the lake; so with answers that must change the
program and with answers that need not. The run has to be a finished one (`dvc repro`); answers are
kept in the store.

A held-out set is looked at once a setting: what comes out is to be written down and not tuned on.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, fields, replace

from benchmarks.arms import GREEDY, answer
from benchmarks.table import machine, utc, write_results
from coral_batch import lake
from coral_batch.corpus.split.reading import read_problems
from coral_batch.corpus.split.roles import select
from coral_batch.corpus.split.shown import drawn_again, measured, selected_on
from coral_batch.evidence.paired import Outcome, Outcomes, compare
from coral_batch.evidence.summary import outcomes
from coral_batch.lake import params
from coral_batch.records.bug import Bug
from coral_batch.records.configuration import Knobs
from coral_batch.records.problem import Problem, Role
from coral_batch.records.rows import SubjectRow
from coral_batch.records.settings import Params
from coral_batch.report.claims import interval
from coral_batch.work.text import table

KNOBS = tuple(field.name for field in fields(Knobs))


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--change", action="append", choices=("required", "free"))
    arguments = parser.parse_args()
    settings = params.load()
    manifest, bugs = lake.read_rows("manifest", Role), lake.read_rows("bugs", Bug)
    problems = read_problems(lake, settings)
    test = select(problems, manifest, "test")
    seen = selected_on(test, bugs, settings.validation.bugs)
    names = {problem.name for problem in seen}
    seen += [one for one in drawn_again(test, bugs, settings.validation) if one.name not in names]
    held_out = measured(problems, bugs, manifest, settings.evaluation)
    best = outcomes(lake.read_frame("scores", lake.EVALUATIONS["best"]))
    rows: list[Sequence[str]] = []
    written = []
    for change in arguments.change or ["required", "free"]:
        here = replace(settings, sampling=replace(settings.sampling, change=change))
        tried = _climb(seen, here)
        first = max(tried, key=lambda knobs: _share(tried[knobs]))
        cells = [(*_cells(knobs), f"{_share(one):.3f}") for knobs, one in tried.items()]
        print(f"\nchange {change}, {len(seen)} bugs of the test programs")
        print(table((*KNOBS, "repaired"), cells, left=set()), flush=True)
        last = _answers(list(dict.fromkeys((GREEDY, first))), held_out, here)
        for knobs, of_base in last.items():
            paired = compare(of_base, best, 1, settings.seed, "baselines")
            rows.append(
                (
                    change,
                    *_cells(knobs),
                    f"{_share(tried[knobs]):.2f}",
                    interval(paired.first),
                    interval(paired.difference, signed=True),
                )
            )
        for where, of_where in (("test", tried), ("held_out", last)):
            written += [
                {
                    "on": where,
                    "change": change,
                    **asdict(knobs),
                    "repaired": [name for name, outcome in of_base.items() if outcome.solved],
                }
                for knobs, of_base in of_where.items()
            ]
    header = ("change", *KNOBS, "test", "held out", "best genome less it")
    print(f"\n{len(held_out)} held-out bugs\n{table(header, rows, left={'change'})}")
    write_results(f"baselines-{utc()}", {"machine": machine(), "rows": written})


def _climb(problems: Sequence[Problem], settings: Params) -> dict[Knobs, Outcomes]:
    """Return what the base model repairs greedily and at each setting that is tried."""
    tried = _answers([GREEDY], problems, settings)
    at = Knobs(*(getattr(settings.search.fixed, knob) for knob in KNOBS))
    for knob in KNOBS:
        values = getattr(settings.candidates, knob)
        some = [replace(at, **{knob: value}) for value in values]
        if missing := [one for one in some if one not in tried]:
            tried |= _answers(missing, problems, settings)
        at = max(some, key=lambda knobs: _share(tried[knobs]))
    return tried


def _answers(
    choices: Sequence[Knobs], problems: Sequence[Problem], settings: Params
) -> dict[Knobs, Outcomes]:
    """Return what the base model repairs at each setting, one answer a bug."""
    names = {str(number): knobs for number, knobs in enumerate(choices)}
    subjects = [SubjectRow(name, None, None, {}, knobs) for name, knobs in names.items()]
    rows, passed, _ = answer(subjects, problems, settings)
    result: dict[Knobs, dict[str, Outcome]] = {knobs: {} for knobs in choices}
    for row, well in zip(rows, passed, strict=True):
        result[names[row.genome]][row.problem] = Outcome(1, int(well))
    return dict(result)


def _share(outcomes: Outcomes) -> float:
    return sum(outcome.solved for outcome in outcomes.values()) / len(outcomes)


def _cells(knobs: Knobs) -> tuple[str, ...]:
    return tuple(f"{getattr(knobs, knob):g}" for knob in KNOBS)


if __name__ == "__main__":
    main()
