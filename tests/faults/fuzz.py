"""The fuzzer: change one file of a finished run, run a stage that reads it, see what it does.

A stage either accepts the file and finishes, or refuses it with a `CoralError` and leaves every
file as it was. Anything else is a defect: another exception, a refusal that changed something, a
file written outside the lake and the store.

``python -m tests.faults.fuzz --inputs 10000`` is the long form; it prints what was tried.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from coral_batch import lake, params
from coral_batch.adapters.examples import Example
from coral_batch.errors import CoralError
from coral_batch.progress import progress
from coral_batch.report.show import show
from coral_batch.report.text import table
from coral_batch.seeding import generator
from stages.adapters import adapters
from stages.automata import automata
from stages.base import base
from stages.best import best
from stages.corpus import corpus
from stages.examples import examples
from stages.features import features
from stages.findings import findings
from stages.population import population
from stages.report import report
from stages.samples import samples
from stages.scores import scores
from stages.selection import selection
from stages.split import split
from stages.verdicts import verdicts
from tests.faults.mutations import MUTATIONS
from tests.finished_lake import make_finished_lake

Stage = Callable[[], object]
LATER = "001"

# What a person can touch -> the stages that read it. The places are patterns of file names.
READERS: dict[str, tuple[Stage, ...]] = {
    "params.yaml": (params.load, population, best),
    "lake/raw/classics/python_programs/*.py": (corpus,),
    "lake/raw/classics/correct_python_programs/*.py": (corpus,),
    "lake/raw/classics/json_testcases/*.json": (corpus,),
    "lake/raw/classics/python_testcases/*.py": (corpus,),
    "tiny/*": (base,),
    "lake/base/*": (partial(samples, LATER), examples),
    "lake/corpus/problems.jsonl": (split, examples, partial(verdicts, LATER)),
    "lake/split/manifest.jsonl": (examples, partial(samples, LATER), partial(verdicts, LATER)),
    "lake/examples/examples.jsonl": (partial(adapters, LATER),),
    "lake/calibration/calibration.json": (partial(adapters, LATER),),
    "lake/generations/001/population.jsonl": (
        partial(automata, LATER),
        partial(selection, LATER),
        partial(show, LATER),
    ),
    "lake/generations/001/automata.npz": (partial(features, LATER), partial(show, LATER, "000-00")),
    "lake/generations/001/features.parquet": (partial(adapters, LATER),),
    "lake/generations/001/adapters.jsonl": (partial(samples, LATER), best, report),
    "lake/generations/001/adapters/*/*": (partial(samples, LATER), best),
    "lake/generations/001/adapter_durations.jsonl": (report,),
    "lake/generations/001/samples.jsonl": (
        partial(findings, LATER),
        partial(verdicts, LATER),
        partial(scores, LATER),
    ),
    "lake/generations/001/sample_durations.jsonl": (report,),
    "lake/generations/001/verdicts.parquet": (partial(scores, LATER),),
    "lake/generations/001/case_times.parquet": (partial(scores, LATER), report),
    "lake/generations/001/findings.parquet": (partial(scores, LATER),),
    "lake/generations/001/scores.parquet": (partial(selection, LATER), report),
    "lake/generations/001/selection.jsonl": (best, report, partial(show, LATER)),
    ".coral/store/*/*/index.json": (partial(samples, LATER), partial(adapters, LATER)),
    ".coral/store/*/*/files/*.json": (partial(samples, LATER), partial(adapters, LATER)),
    ".coral/verdicts.jsonl": (partial(verdicts, LATER),),
}


@dataclass
class Tally:
    """What became of the inputs: kind of file -> outcome -> count, and every defect."""

    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    defects: list[str] = field(default_factory=list)

    def add(self, kind: str, outcome: str) -> None:
        self.outcomes.setdefault(kind, Counter())[outcome] += 1

    def __str__(self) -> str:
        header = ("file", "inputs", "accepted", "refused", "tracebacks")
        counts = [*self.outcomes.items(), ("total", sum(self.outcomes.values(), Counter()))]
        rows = [
            (kind, str(count.total()), *(str(count[name]) for name in header[2:]))
            for kind, count in counts
        ]
        return table(header, [*rows[:-1], (), rows[-1]], left={"file"})


def fuzz(project: Path, inputs: int, seed: int) -> Tally:
    """Try `inputs` changed files in a finished project, which is the working directory."""
    tally = Tally()
    before = _snapshot(project)
    kinds = list(READERS)
    random = generator(seed, "fuzz")
    for number in progress(range(inputs), "fuzz", unit="input"):
        kind = kinds[number % len(kinds)]
        places = sorted(file for file in project.glob(kind) if file.is_file())
        file = places[int(random.integers(len(places)))]
        mutations = MUTATIONS.get(file.suffix, MUTATIONS[".py"])
        mutation = mutations[int(random.integers(len(mutations)))]
        original = before[file]
        changed = mutation(original, random)
        if changed is None or changed == original:
            continue
        stage = READERS[kind][int(random.integers(len(READERS[kind])))]
        _replace(file, changed)
        what = f"{file.relative_to(project)}, {mutation.__name__}, read by {_name(stage)}"
        outcome, problem = _outcome(stage)
        after = _snapshot(project)
        touched = {f for f in before.keys() | after.keys() if before.get(f) != after.get(f)} - {
            file
        }
        strays = [f for f in touched if f.relative_to(project).parts[0] not in {"lake", ".coral"}]
        kept = project / ".coral"
        written = [f for f in touched if kept not in f.parents]
        if outcome == "refused" and (written or not problem):
            problem += f"\nrefused, but changed {written}"
            outcome = "tracebacks"
        if strays:
            problem += f"\nwrote outside the lake: {strays}"
            outcome = "tracebacks"
        tally.add(kind, outcome)
        if outcome == "tracebacks":
            tally.defects.append(f"input {number}: {what}\n{problem}")
        for f in (*touched, file):
            if f in before:
                _replace(f, before[f])
            else:
                f.unlink()
    return tally


def cheapen() -> None:
    """Let the finished project train on 4 examples: a changed configuration costs little."""
    lake.write_rows("examples", lake.read_rows("examples", Example)[:4])
    for part in ("000", LATER):
        for stage in (automata, features, adapters, samples, verdicts, findings, scores, selection):
            stage(part)
    best()
    report()


def _outcome(stage: Stage) -> tuple[str, str]:
    streams = io.StringIO()
    try:
        with contextlib.redirect_stdout(streams), contextlib.redirect_stderr(streams):
            stage()
    except CoralError as error:
        return "refused", str(error)
    except BaseException:
        return "tracebacks", traceback.format_exc()
    return "accepted", ""


def _name(stage: Stage) -> str:
    if isinstance(stage, partial):
        return " ".join((stage.func.__name__, *map(str, stage.args)))
    return stage.__name__


def _snapshot(project: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in project.rglob("*") if file.is_file()}


def _replace(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    file.write_bytes(content)


@contextlib.contextmanager
def _project() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="coral-fuzz-") as folder:
        here = Path.cwd()
        os.chdir(folder)
        try:
            make_finished_lake(Path(folder))
            cheapen()
            yield Path(folder).resolve()
        finally:
            os.chdir(here)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    with _project() as place:
        result = fuzz(place, chosen.inputs, chosen.seed)
    print(result)
    for defect in result.defects:
        print(f"\n{defect}")
    raise SystemExit(1 if result.defects else 0)
