"""The base model at every setting of its knobs that a genome may choose, beside the best genome.

    python -m benchmarks.baselines [--change required|free]

Genomes choose their knobs and the base model of a run has one setting, so that the comparison could
be unfair to it. Here the base model answers each bug that selection sees and each that the
finalists are drawn for (`validation` in params.yaml), once at every setting among the candidates
and once greedily. The setting that repairs most of them answers the held-out bugs (`evaluation`)
as well, beside the greedy base model and the best genome of the run in the lake; so with answers
that must change the program and with answers that need not. The run has to be a finished one
(`dvc repro`); answers are kept in the store.

A held-out set is looked at once a setting: what comes out is to be written down and not tuned on.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import product, starmap
from statistics import mean

from benchmarks.arms import answer
from benchmarks.table import machine, utc, write_results
from coral_batch import lake
from coral_batch.corpus.split.reading import read_problems
from coral_batch.corpus.split.roles import select
from coral_batch.corpus.split.shown import drawn_again, measured, selected_on
from coral_batch.evidence.paired import Outcome, Outcomes, compare
from coral_batch.evidence.summary import outcomes
from coral_batch.lake import params
from coral_batch.lake.stage import Lake
from coral_batch.records.bug import Bug
from coral_batch.records.configuration import Knobs
from coral_batch.records.problem import Problem, Role
from coral_batch.records.rows import SubjectRow
from coral_batch.records.settings import Candidates, Params
from coral_batch.report.claims import interval
from coral_batch.work.text import table

GREEDY = Knobs(0.0, 1.0, 1, 1.0)
KNOBS = ("temperature", "top_p", "top_k", "repetition_penalty")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--change", action="append", choices=("required", "free"))
    arguments = parser.parse_args()
    settings = params.load()
    lake_ = Lake()
    manifest, bugs = lake_.rows("manifest", Role), lake_.rows("bugs", Bug)
    problems = read_problems(lake_, settings)
    test = select(problems, manifest, "test")
    seen = selected_on(test, bugs, settings.validation.bugs)
    names = {problem.name for problem in seen}
    seen += [one for one in drawn_again(test, bugs, settings.validation) if one.name not in names]
    held_out = measured(problems, bugs, manifest, settings.evaluation)
    best = outcomes(lake_.frame("scores", lake.EVALUATIONS["best"]))
    rows: list[Sequence[str]] = []
    written = []
    for change in arguments.change or ["required", "free"]:
        here = replace(settings, sampling=replace(settings.sampling, change=change))
        tried = _answers(_choices(settings.candidates), seen, here)
        first = max(tried, key=lambda knobs: _share(tried[knobs]))
        last = _answers(list(dict.fromkeys((GREEDY, first))), held_out, here)
        print(f"\nchange {change}, {len(seen)} bugs of the test programs\n{_summary(tried)}")
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


def _choices(candidates: Candidates) -> list[Knobs]:
    """Return greedy, which wins where another is no better, and all that a genome may choose."""
    return [GREEDY, *starmap(Knobs, product(*(getattr(candidates, knob) for knob in KNOBS)))]


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


def _summary(tried: Mapping[Knobs, Outcomes]) -> str:
    """Return the five best settings, greedy, and the mean of each candidate."""
    order = sorted(tried, key=lambda knobs: -_share(tried[knobs]))
    some = [*order[:5], *([] if GREEDY in order[:5] else [GREEDY])]
    rows: list[Sequence[str]] = [(*_cells(knobs), f"{_share(tried[knobs]):.3f}") for knobs in some]
    means: list[Sequence[str]] = []
    for knob in KNOBS:
        for value in dict.fromkeys(getattr(knobs, knob) for knobs in tried if knobs != GREEDY):
            of_value = [
                _share(tried[knobs])
                for knobs in tried
                if knobs != GREEDY and getattr(knobs, knob) == value
            ]
            means.append((f"{knob} {value:g}", f"{mean(of_value):.3f}"))
    return "\n\n".join(
        (
            table((*KNOBS, "repaired"), rows, left=set()),
            table(
                ("mean of all settings with", "repaired"), means, left={"mean of all settings with"}
            ),
        )
    )


def _cells(knobs: Knobs) -> tuple[str, ...]:
    return tuple(f"{getattr(knobs, knob):g}" for knob in KNOBS)


if __name__ == "__main__":
    main()
