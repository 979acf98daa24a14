"""Recipes of training side by side: how many bugs an adapter of each repairs.

    python -m benchmarks.arms [ARM ...] [--on test] [--bugs 160] [--change required|free]
                              [--temperature 0 ...] [--adapter FOLDER ...]

The base model alone comes first in any case. All arms have the same base, the same adapter and the
same decoding, one answer a bug, greedy or at each `--temperature` that is given: by default on bugs
of the test programs, own ones and as many injected ones as `--bugs` says, which is where recipes
are chosen; with `--on held_out` on the held-out bugs of params.yaml (`evaluation`). With `--change
required` answers must change the program, with `free` they need not; both can be given. Arms are
compared with the base model's answers of the same kind at the first of the temperatures. With
`--adapter` a finished one, of a run or of `coral export`, is measured as well. Adapters and answers
are kept in the store, so a run that was stopped goes on where it was, and two commands with an arm
each train on two cores; the lake must have its base, bugs and split (`dvc repro bugs base`).

A held-out set is looked at once an arm: what comes out is to be written down and not tuned on.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path

from benchmarks.table import machine, utc, write_results
from coral_batch import lake
from coral_batch.corpus.split.reading import as_problems, read_problems
from coral_batch.corpus.split.roles import select
from coral_batch.corpus.split.shown import measured, selected_on
from coral_batch.evidence.paired import Outcome, Outcomes, Paired, compare
from coral_batch.evidence.summary import OWN, difficulty
from coral_batch.lake import params
from coral_batch.lake.stage import Lake
from coral_batch.lake.store import Store
from coral_batch.linteval.items.examples import make_last_examples
from coral_batch.models.base.checkpoint import load_tokenizer
from coral_batch.models.decoding.changes import is_copy
from coral_batch.models.decoding.drawing import draw
from coral_batch.models.prompts.prompt import buggy_program
from coral_batch.models.repairs.tables import sample
from coral_batch.models.training.obtain import obtain_adapters
from coral_batch.records.bug import Bug, program_of
from coral_batch.records.configuration import AdapterConfiguration, Knobs
from coral_batch.records.example import Example
from coral_batch.records.problem import Problem, Role
from coral_batch.records.rows import BASE, FirstChangeRow, SampleRow, SubjectRow
from coral_batch.records.settings import Params
from coral_batch.repair.models import read_peft_folder
from coral_batch.report.claims import interval
from coral_batch.verdicts.pool import judge
from coral_batch.verdicts.tables import as_program
from coral_batch.work.text import table

ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")
TEXTBOOK = AdapterConfiguration(8, 16, 0.0, tuple(sorted(ATTENTION)), use_dora=False)
GREEDY = Knobs(0.0, 1.0, 1, 1.0)
GREEDY_BASE = SubjectRow(BASE, None, None, {}, GREEDY)
TOP_K = 50
BUGS = 160


@dataclass(frozen=True)
class Arm:
    """A recipe.

    Attributes:
        bugs: injected bugs that a program shows besides its own.
        sources: of the training programs, as corpus.sources names them.
        batch_size: examples an optimizer step.
        learning_rate: the highest of the training.
        layers: upper layers that get adapters; None for all.
        passes: over the examples.
        lint: bugs of a program that stand among lint errors, and examples to mend some.
        own: the target is the base model's own greedy repair, where it is one.
    """

    bugs: int
    sources: tuple[str, ...] = ("classics", "practice")
    batch_size: int = 1
    learning_rate: float = 5e-4
    layers: int | None = None
    passes: int = 1
    lint: int = 0
    own: bool = False


ARMS = {
    "seed": Arm(0, ("classics",), 4, 2e-4),
    "injected": Arm(3, ("classics",), 4, 2e-4),
    "steps": Arm(3, ("classics",)),
    "programs": Arm(1, batch_size=4, learning_rate=2e-4),
    "slow": Arm(1, learning_rate=2e-4),
    "steep": Arm(1),
    "more": Arm(2),
    "thirds": Arm(1, learning_rate=2e-4, layers=16),
    "default": Arm(1, learning_rate=2e-4, layers=12),
    "two": Arm(2, learning_rate=2e-4, layers=12),
    "four": Arm(4, learning_rate=2e-4, layers=12),
    "eight": Arm(8, ("classics", "practice", "drills"), learning_rate=2e-4, layers=12),
    "last": Arm(4, learning_rate=2e-4, layers=12, lint=1),
    "own": Arm(1, learning_rate=2e-4, layers=12, own=True),
    "twice": Arm(1, learning_rate=2e-4, layers=12, passes=2),
    "drills": Arm(1, ("classics", "practice", "drills"), learning_rate=2e-4, layers=12),
}


@dataclass(frozen=True)
class Result:
    """What an arm did: bug -> outcome, bugs left as they were, bugs whose line it found."""

    outcomes: dict[str, Outcome]
    unchanged: int
    found: int | None


Results = dict[tuple[str, str, float], Result]
"""By arm, change and temperature, in the order in which they were measured."""


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("arms", nargs="*", metavar="ARM", help=", ".join(ARMS))
    parser.add_argument("--on", choices=("test", "held_out"), default="test")
    parser.add_argument("--bugs", type=int, metavar="N", help=f"of the test programs; {BUGS}")
    parser.add_argument("--change", action="append", choices=("required", "free"))
    parser.add_argument("--temperature", action="append", type=float, metavar="T")
    parser.add_argument(
        "--adapter",
        action="append",
        type=Path,
        default=[],
        metavar="FOLDER",
        help="a finished adapter, as `coral export` writes it, to be measured beside the arms",
    )
    arguments = parser.parse_args()
    if unknown := set(arguments.arms) - ARMS.keys():
        parser.error(f"no arm named {', '.join(sorted(unknown))}; there are {', '.join(ARMS)}")
    if arguments.on == "held_out" and arguments.bugs is not None:
        parser.error("--bugs is of the test programs; evaluation.bugs says how many are held out")
    settings = params.load()
    wanted = {source for name in arguments.arms for source in ARMS[name].sources}
    if missing := wanted - settings.corpus.sources.keys():
        parser.error(f"no source named {', '.join(sorted(missing))} in corpus.sources")
    lake_ = Lake()
    manifest, bugs = lake_.rows("manifest", Role), lake_.rows("bugs", Bug)
    problems = read_problems(lake_, settings)
    if arguments.on == "held_out":
        shown = measured(problems, bugs, manifest, settings.evaluation)
    else:
        count = BUGS if arguments.bugs is None else arguments.bugs
        shown = selected_on(select(problems, manifest, "test"), bugs, count)
    subjects = [GREEDY_BASE, *map(_finished, arguments.adapter)]
    source = {role.name: role.source for role in manifest}
    training = select(problems, manifest, "training")
    for name in arguments.arms:
        of_arm = [one for one in training if source[one.name] in ARMS[name].sources]
        subjects.append(_train(name, of_arm, bugs, settings))
    results: Results = {}
    for change in arguments.change or ["required"]:
        sampling = replace(settings.sampling, change=change)
        for subject, temperature in product(subjects, arguments.temperature or [0.0]):
            knobs = replace(GREEDY, temperature=temperature, top_k=TOP_K if temperature else 1)
            results[subject.genome, change, temperature] = _measure(
                replace(subject, knobs=knobs), shown, replace(settings, sampling=sampling)
            )
            print(_table(results), flush=True)
    for (name, change, temperature), result in results.items():
        print(f"\n{name}, change {change}, temperature {temperature}")
        print(_parts(result.outcomes, bugs))
    _write(results, arguments.on)


def _finished(folder: Path) -> SubjectRow:
    """Return what answers with an adapter in a PEFT folder are drawn with."""
    found = read_peft_folder(folder, lake.path("base"))
    return SubjectRow(str(folder), found.key, str(folder.absolute()), dict(found.files), GREEDY)


def _train(name: str, problems: Sequence[Problem], bugs: Sequence[Bug], all_: Params) -> SubjectRow:
    """Return what answers with an arm's adapter are drawn with."""
    arm, base = ARMS[name], lake.path("base")
    tokenizer, docstring, compute = load_tokenizer(base), all_.prompt.docstring, all_.compute
    examples = make_last_examples(
        problems, bugs, arm.bugs, arm.lint, tokenizer, docstring, all_.seed, compute.workers
    )
    if arm.own:
        examples = _own(examples, problems, bugs, all_)
    wanted = (TEXTBOOK, all_.seed)
    training = replace(
        all_.training,
        passes=arm.passes,
        batch_size=arm.batch_size,
        learning_rate=arm.learning_rate,
        layers=arm.layers,
    )
    adapter = obtain_adapters(
        base, examples, [wanted], training, Store(lake.STORE), compute.threads
    )[wanted]
    return SubjectRow(name, adapter.key, str(adapter.folder.absolute()), adapter.files, GREEDY)


def _own(
    examples: Sequence[Example], problems: Sequence[Problem], bugs: Sequence[Bug], all_: Params
) -> list[Example]:
    """Let the base model's own repairs, greedy and judged, take the place of the references."""
    names = [example.bug or example.problem for example in examples]
    wanted = set(names)
    injected = as_problems(problems, [bug for bug in bugs if bug.id in wanted])
    named = {one.name: one for one in (*problems, *injected)}
    rows, passed, _ = answer([GREEDY_BASE], [named[name] for name in names], all_)
    judged = zip(rows, passed, strict=True)
    repairs = {row.problem: row.code.strip("\n") for row, well in judged if well}
    print(f"{len(repairs)} of {len(examples)} bugs are repaired by the base model itself")
    targets = [repairs.get(name, one.output) for one, name in zip(examples, names, strict=True)]
    return [
        replace(one, output=code, answer=code + one.answer.removeprefix(one.output))
        for one, code in zip(examples, targets, strict=True)
    ]


def answer(
    subjects: Sequence[SubjectRow], shown: Sequence[Problem], settings: Params
) -> tuple[list[SampleRow], list[bool], list[FirstChangeRow]]:
    """Draw an answer to each bug with each subject, and judge it.

    Returns:
        The answers, whether each passes all cases of its program, and the first looks.
    """
    draw_ = partial(draw, store=Store(lake.STORE))
    rows, looks, _ = sample(subjects, shown, 1, lake.path("base"), settings, draw_)
    by_name = {problem.name: problem for problem in shown}
    programs = [as_program(by_name[row.problem], row.code, row.problem) for row in rows]
    verdicts = judge(programs, settings.verdicts, settings.compute.workers)
    return rows, [all(one.kind == "PASS" for one in of_row) for of_row in verdicts], looks


def _measure(subject: SubjectRow, shown: Sequence[Problem], settings: Params) -> Result:
    rows, passed, looks = answer([subject], shown, settings)
    by_name = {problem.name: problem for problem in shown}
    outcomes = {row.problem: Outcome(1, int(well)) for row, well in zip(rows, passed, strict=True)}
    found = sum(look.found for look in looks) if looks else None
    return Result(outcomes, _unchanged(rows, by_name), found)


def _unchanged(rows: Sequence[SampleRow], problems: Mapping[str, Problem]) -> int:
    return sum(is_copy(buggy_program(problems[row.problem]), row.code) for row in rows)


def _table(results: Results) -> str:
    header = (
        "arm",
        "change",
        "temperature",
        "repaired",
        "less the base",
        "unchanged",
        "line found",
    )
    rows = []
    bases = {change: one for (name, change, _), one in reversed(results.items()) if name == BASE}
    for (name, change, temperature), result in results.items():
        base = bases[change]
        paired = _against(base, result)
        count = len(result.outcomes)
        rows.append(
            (
                name,
                change,
                f"{temperature:g}",
                interval(paired.second),
                "" if result is base else interval(paired.difference, signed=True),
                f"{result.unchanged / count:.2f}",
                "" if result.found is None else f"{result.found / count:.2f}",
            )
        )
    return f"\n{count} bugs\n" + table(header, rows, left={"arm", "change"})


def _parts(outcomes: Outcomes, bugs: Sequence[Bug]) -> str:
    """Return the bugs by difficulty and by kind, and how many of each an arm repairs."""
    by_id = {bug.id: bug for bug in bugs}
    rows: list[Sequence[str]] = []
    for tell in (difficulty, lambda bug: bug.kind):
        groups: dict[str, dict[str, Outcome]] = defaultdict(dict)
        for name, outcome in outcomes.items():
            groups[tell(by_id[name]) if name in by_id else OWN][name] = outcome
        rows += [()] if rows else []
        for part, of_part in sorted(groups.items()):
            paired = compare(of_part, of_part, 1, 0, "arms", part)
            programs = {program_of(name) for name in of_part}
            rows.append((part, str(len(of_part)), str(len(programs)), interval(paired.first)))
    return table(("", "bugs", "programs", "repaired"), rows, left={""})


def _against(base: Result, other: Result) -> Paired:
    return compare(base.outcomes, other.outcomes, 1, 0, "arms")


def _write(results: Results, role: str) -> None:
    rows = [
        {"arm": name, "on": role, "change": change, "temperature": temperature, **asdict(result)}
        for (name, change, temperature), result in results.items()
    ]
    write_results(f"arms-{utc()}", {"machine": machine(), "rows": rows})


if __name__ == "__main__":
    main()
