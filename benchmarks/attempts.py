"""`coral repair` on held-out bugs: how many it repairs by attempts, and how many repairs are right.

    python -m benchmarks.attempts [MODEL ...] [--every 4] [--samples 16] [--rounds 2]

A model is what `coral repair --model` takes; `base` comes first in any case. Beside its likeliest
first changes each draws as many plain samples, which may leave the program as it is, in one round,
at temperature 0.8, top-p 0.95 and top-k 50.

A bug is a file, and every second of its cases, from the first on, is a test that is shown; the
others are hidden, and say whether what passes the shown ones is right. Bugs that fail no shown case
are left out, and so are those without cases. Of the other held-out bugs of params.yaml
(`evaluation`) the first is taken, and every so many further on. Intervals are over their programs.
Answers are kept in the store, so that a run that was stopped goes on where it was; the lake must
have its base, bugs and split (`dvc repro bugs base`).

A held-out set is looked at once a model: what comes out is to be written down and not tuned on.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tqdm import tqdm

from benchmarks.table import machine, utc, write_results
from coral_batch import lake
from coral_batch.corpus.split.reading import read_problems
from coral_batch.corpus.split.shown import measured
from coral_batch.evidence.paired import Outcome, Paired, compare
from coral_batch.lake import params
from coral_batch.models.repairs.extraction import extract_code
from coral_batch.records.bug import Bug
from coral_batch.records.configuration import Knobs
from coral_batch.records.problem import Case, Problem, Role
from coral_batch.records.rows import BASE
from coral_batch.records.settings import Verdicts
from coral_batch.repair import repair
from coral_batch.repair.models import drawer
from coral_batch.repair.repairing import Draw
from coral_batch.repair.tests import read_case_tests
from coral_batch.report.claims import interval
from coral_batch.verdicts.functions import read_source, with_answer
from coral_batch.work.text import table

PLAIN = Knobs(temperature=0.8, top_p=0.95, top_k=50, repetition_penalty=1.0)


@dataclass(frozen=True)
class Attempts:
    """What came of a bug.

    Attributes:
        round: in which it was repaired, from 1; 0 where it was not.
        attempt: which answer of the round repaired it, from 1; 0 likewise.
        right: whether the repair passes the hidden cases.
    """

    round: int
    attempt: int
    right: bool


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--every", type=int, default=4)
    parser.add_argument("--samples", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    settings = params.load()
    manifest, bugs = lake.read_rows("manifest", Role), lake.read_rows("bugs", Bug)
    shown = measured(read_problems(lake, settings), bugs, manifest, settings.evaluation)
    with tempfile.TemporaryDirectory() as scratch:
        files = [_written(problem, Path(scratch)) for problem in shown if len(problem.cases) > 1]
        chosen = [file for file in files if _fails(file, settings.verdicts)][:: arguments.every]
        results: dict[str, dict[str, Attempts]] = {}
        for model in dict.fromkeys([BASE, *arguments.models]):
            for name, knobs, rounds in [
                (model, None, arguments.rounds),
                (f"{model}, plain samples", PLAIN, 1),
            ]:
                draw = drawer(model, settings, knobs)
                results[name] = {
                    file.parent.name: _attempted(
                        file, arguments.samples, rounds, settings.verdicts, draw
                    )
                    for file in tqdm(chosen, name, mininterval=10)
                }
                print(_table(results, arguments.samples), flush=True)
    _write(results)


def _written(problem: Problem, folder: Path) -> Path:
    """Write a bug as a user has it, in a folder of its name; return the file."""
    file = folder / problem.name / f"{problem.function}.py"
    file.parent.mkdir()
    file.write_text(problem.buggy or "", encoding="utf-8")
    _write_cases(file.with_name("shown.jsonl"), problem.cases[::2])
    _write_cases(file.with_name("hidden.jsonl"), problem.cases[1::2])
    return file


def _write_cases(file: Path, cases: Sequence[Case]) -> None:
    lines = [json.dumps([case.inputs, case.expected]) for case in cases]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _fails(file: Path, limits: Verdicts) -> bool:
    """Whether a file fails some of its shown cases."""
    source = read_source(file)
    shown = read_case_tests(source, file.with_name("shown.jsonl"), file.stem, limits)
    return bool(shown.failures(source))


def _attempted(file: Path, samples: int, rounds: int, limits: Verdicts, draw: Draw) -> Attempts:
    """Let a bug be repaired, as `coral repair` does it."""
    asked: list[Sequence[str]] = []

    def recorded(prompt: str, program: str, count: int, /) -> Sequence[str]:
        asked.append(list(draw(prompt, program, count)))
        return asked[-1]

    cases = file.with_name("shown.jsonl")
    found = repair(file, cases, file.stem, samples=samples, rounds=rounds, draw=recorded)
    if found.outcome != "repaired":
        return Attempts(0, 0, False)
    candidates = [
        with_answer(found.source, file.stem, extract_code(answer)) for answer in asked[-1]
    ]
    hidden = read_case_tests(found.best, file.with_name("hidden.jsonl"), file.stem, limits)
    passes = not hidden.failures(found.best)
    return Attempts(found.rounds, 1 + candidates.index(found.best), passes)


def _table(results: dict[str, dict[str, Attempts]], samples: int) -> str:
    """Return the shares repaired, with those that are wrong, and how they differ from the first."""
    counts = [count for count in (1, 4, 16, 64) if count <= samples]
    shares, differences = [], []
    first = next(iter(results.values()))
    for model, of_model in results.items():
        repaired = [name for name, one in of_model.items() if one.round]
        wrong = _outcomes({name: not of_model[name].right for name in repaired})
        pairs = [_compared(_within(first, count), _within(of_model, count)) for count in counts]
        pairs.append(_compared(_within(first), _within(of_model)))
        cells = [interval(pair.second) for pair in pairs]
        cells.append(interval(_compared(wrong, wrong).first) if wrong else "")
        shares.append((model, *cells))
        differences.append((model, *(interval(pair.difference, signed=True) for pair in pairs)))
    header = ("model", *map(str, counts), "all rounds")
    parts = [
        f"\n{len(first)} bugs, repaired within so many attempts",
        table((*header, "of these wrong"), shares, left={"model"}),
    ]
    if len(differences) > 1:
        parts += ["\nthe same, less the first row's", table(header, differences[1:], {"model"})]
    return "\n".join(parts)


def _within(of_model: dict[str, Attempts], attempts: int | None = None) -> dict[str, Outcome]:
    """Return which bugs were repaired within some attempts of the first round; None: at all."""
    return _outcomes(
        {
            name: one.round > 0 if attempts is None else one.round == 1 and one.attempt <= attempts
            for name, one in of_model.items()
        }
    )


def _outcomes(of_bugs: dict[str, bool]) -> dict[str, Outcome]:
    return {name: Outcome(1, int(so)) for name, so in of_bugs.items()}


def _compared(first: dict[str, Outcome], second: dict[str, Outcome]) -> Paired:
    return compare(first, second, 1, 0, "attempts")


def _write(results: dict[str, dict[str, Attempts]]) -> None:
    rows = {
        model: {name: asdict(one) for name, one in of_model.items()}
        for model, of_model in results.items()
    }
    write_results(f"attempts-{utc()}", {"machine": machine(), "bugs": rows})


if __name__ == "__main__":
    main()
