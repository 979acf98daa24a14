"""Compare training recipes by how many bugs their adapters repair.

    python -m benchmarks.arms [ARM ...] [--on test] [--bugs 160]

The base model is always measured first. All arms have the same base, adapter configuration and
decoding: one greedy answer per bug. Choose recipes on the bugs of the test programs, the default:
their own bugs plus `--bugs` injected ones. `--on held_out` uses the held-out bugs of params.yaml
(`evaluation`). `coral score` measures a finished adapter.

Adapters and answers are kept in the store, so a stopped run resumes. To use two cores, run two
commands with different arms. The lake needs its base, bugs and split (`dvc repro bugs base`).

Use the held-out set once per arm: report the result, and do not tune on it.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from benchmarks.table import machine, utc, write_results
from coral_batch import lake
from coral_batch.commands.score import repairs_of
from coral_batch.corpus.split.reading import read_problems
from coral_batch.corpus.split.roles import select
from coral_batch.corpus.split.shown import measured, selected_on
from coral_batch.evidence.paired import Outcome, Outcomes, compare
from coral_batch.evidence.summary import OWN, difficulty
from coral_batch.lake import params
from coral_batch.lake.store import Store
from coral_batch.linteval.items.examples import make_all_examples
from coral_batch.models.base.checkpoint import load_tokenizer
from coral_batch.models.training.obtain import Wanted, obtain_adapters
from coral_batch.records.configuration import AdapterConfiguration, Knobs
from coral_batch.records.problem import Bug, Problem, Role, program_of
from coral_batch.records.rows import BASE, SubjectRow
from coral_batch.records.settings import Params
from coral_batch.report.claims import interval
from coral_batch.work.text import table

ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")
TEXTBOOK = AdapterConfiguration(8, 16, 0.0, tuple(sorted(ATTENTION)), use_dora=False)
GREEDY = Knobs(0.0, 1.0, 1, 1.0)
BUGS = 160


@dataclass(frozen=True)
class Arm:
    """A recipe.

    Attributes:
        bugs: injected bugs per program, besides its own.
        sources: sources of the training programs, as in corpus.sources.
        batch_size: examples per optimizer step.
        learning_rate: the peak learning rate.
        layers: number of upper layers with adapters; None for all.
        passes: passes over the examples.
        lint: bugs per program shown among lint errors, and examples of fixing such errors.
    """

    bugs: int
    sources: tuple[str, ...] = ("classics", "practice")
    batch_size: int = 1
    learning_rate: float = 5e-4
    layers: int | None = None
    passes: int = 1
    lint: int = 0


ARMS = {
    "seed": Arm(0, ("classics",), 4, 2e-4),
    "injected": Arm(3, ("classics",), 4, 2e-4),
    "steps": Arm(3, ("classics",)),
    "slow": Arm(1, learning_rate=2e-4),
    "steep": Arm(1),
    "more": Arm(2),
    "thirds": Arm(1, learning_rate=2e-4, layers=16),
    "default": Arm(1, learning_rate=2e-4, layers=12),
    "two": Arm(2, learning_rate=2e-4, layers=12),
    "four": Arm(4, learning_rate=2e-4, layers=12),
    "eight": Arm(8, ("classics", "practice", "drills"), learning_rate=2e-4, layers=12),
    "last": Arm(4, learning_rate=2e-4, layers=12, lint=1),
    "twice": Arm(1, learning_rate=2e-4, layers=12, passes=2),
    "drills": Arm(1, ("classics", "practice", "drills"), learning_rate=2e-4, layers=12),
}


@dataclass(frozen=True)
class Result:
    """An arm's result: bug -> outcome, and for how many bugs it found the line."""

    outcomes: dict[str, Outcome]
    found: int | None


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("arms", nargs="*", metavar="ARM", help=", ".join(ARMS))
    parser.add_argument("--on", choices=("test", "held_out"), default="test")
    parser.add_argument("--bugs", type=int, metavar="N", help=f"of the test programs; {BUGS}")
    arguments = parser.parse_args()
    if unknown := set(arguments.arms) - ARMS.keys():
        parser.error(f"no arm named {', '.join(sorted(unknown))}; there are {', '.join(ARMS)}")
    if arguments.on == "held_out" and arguments.bugs is not None:
        parser.error("--bugs is for the test programs; evaluation.bugs sets the held-out bugs")
    settings = params.load()
    wanted = {source for name in arguments.arms for source in ARMS[name].sources}
    if missing := wanted - settings.corpus.sources.keys():
        parser.error(f"no source named {', '.join(sorted(missing))} in corpus.sources")
    manifest, bugs = lake.read_rows("manifest", Role), lake.read_rows("bugs", Bug)
    problems = read_problems(lake, settings)
    if arguments.on == "held_out":
        shown = measured(problems, bugs, manifest, settings.evaluation)
    else:
        count = BUGS if arguments.bugs is None else arguments.bugs
        wide = replace(settings.validation, bugs=count)
        shown, _ = selected_on(select(problems, manifest, "test"), bugs, wide)
    subjects = [SubjectRow(BASE, None, None, {}, GREEDY)]
    source = {role.name: role.source for role in manifest}
    training = select(problems, manifest, "training")
    for name in arguments.arms:
        of_arm = [one for one in training if source[one.name] in ARMS[name].sources]
        subjects.append(_train(name, of_arm, bugs, settings))
    results: dict[str, Result] = {}
    for subject in subjects:
        results[subject.genome] = _measure(subject, shown, settings)
        print(_table(results), flush=True)
    for name, result in results.items():
        print(f"\n{name}")
        print(_parts(result.outcomes, bugs))
    _write(results, arguments.on)


def _train(name: str, problems: Sequence[Problem], bugs: Sequence[Bug], all_: Params) -> SubjectRow:
    """Train an arm's adapter and return its subject."""
    arm, base = ARMS[name], lake.path("base")
    tokenizer, docstring, compute = load_tokenizer(base), all_.prompt.docstring, all_.compute
    taught = replace(all_.examples, bugs=arm.bugs, lint=arm.lint)
    examples = make_all_examples(
        problems, bugs, taught, tokenizer, docstring, all_.seed, compute.workers
    )
    wanted = Wanted(TEXTBOOK, all_.seed, tuple(examples))
    training = replace(
        all_.training,
        passes=arm.passes,
        batch_size=arm.batch_size,
        learning_rate=arm.learning_rate,
        layers=arm.layers,
    )
    adapter = obtain_adapters(base, [wanted], training, Store(lake.STORE), compute.threads)[wanted]
    return SubjectRow(name, adapter.key, str(adapter.folder.absolute()), adapter.files, GREEDY)


def _measure(subject: SubjectRow, shown: Sequence[Problem], settings: Params) -> Result:
    """Sample an answer to each bug, and judge it by all cases of its program."""
    found = repairs_of([subject], shown, 1, settings)[subject.genome]
    lines = found.first_changes.get("line")
    return Result(found.outcomes, None if lines is None else round(sum(lines.values())))


def _table(results: dict[str, Result]) -> str:
    rows = []
    base = results[BASE]
    for name, result in results.items():
        paired = compare(base.outcomes, result.outcomes, 1, 0, "arms")
        count = len(result.outcomes)
        rows.append(
            (
                name,
                interval(paired.second),
                "" if result is base else interval(paired.difference, signed=True),
                "" if result.found is None else f"{result.found / count:.2f}",
            )
        )
    header = ("arm", "repaired", "less the base", "line found")
    return f"\n{count} bugs\n" + table(header, rows, left={"arm"})


def _parts(outcomes: Outcomes, bugs: Sequence[Bug]) -> str:
    """Return how many bugs an arm repairs, by difficulty and by kind."""
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


def _write(results: dict[str, Result], role: str) -> None:
    rows = [{"arm": name, "on": role, **asdict(result)} for name, result in results.items()]
    write_results(f"arms-{utc()}", {"machine": machine(), "rows": rows})


if __name__ == "__main__":
    main()
