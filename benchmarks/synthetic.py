"""A synthetic lake of any size, made by the stages, whose costs are counted on the way.

Nothing is trained or drawn: adapters are a few bytes, and a sample is one of 8 programs a problem
(right, wrong, insecure, no Python), so that running and linting them, which depends on the programs
and not on the lake, costs little beside what depends on the rows. One worker; the automata's grid
is the default one.
"""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Callable
from pathlib import Path

from coral_batch import lake
from coral_batch.lake import params
from coral_batch.records.problem import Problem
from coral_batch.seeding import derive_seed
from stages.automata import automata
from stages.features import features
from stages.finals import finals
from stages.findings import findings
from stages.linteval_items import linteval_items
from stages.linteval_report import linteval_report
from stages.page import page
from stages.scores import scores
from stages.selection import selection
from stages.subjects import subjects
from stages.verdicts import verdicts
from tests.finished_lake import INSECURE, adapt, answer_items, begin, draw, train_again

VARIANTS = 2


Cost = tuple[float, int]
"""Seconds over all generations, and the peak of resident bytes."""


def begin_lake(generations: int, genomes: int, samples: int) -> None:
    """Make everything before the first generation's automata, in the working directory.

    Args:
        generations: how many there will be.
        genomes: in each.
        samples: of each genome for each problem.
    """
    settings = {
        "base.model": "tiny",
        "calibration.automata": 1728,
        "corpus.sources.snippets.exclude": [],
        "injection.each": 1,
        "examples.bugs": 0,
        "validation.bugs": 0,
        "validation.samples": samples,
        "evaluation.bugs": 0,
        "evolution.population": genomes,
        "evolution.survivors": genomes // 2,
        "evolution.screen": 1,  # a screen grows with the cube of the genomes, the lake does not
        "linteval.path": "lake/raw/items",
        "linteval.items": 3,
        "compute.workers": 1,
    }
    begin(Path.cwd(), settings, generations)


def make_generations(first: int, last: int) -> dict[str, Cost]:
    """Make generations, from `first` to the one before `last`.

    Returns:
        What their stages cost. Memory is the peak of this process, of which some 400 MiB are torch
        and transformers.
    """
    spent: dict[str, Cost] = {}
    for part in list(params.load().generations)[first:last]:
        _count(spent, automata, part)
        _count(spent, features, part)
        adapt(part)
        draw(part, _code)
        for stage in (verdicts, findings, scores, selection, page):
            _count(spent, stage, part)
    return spent


def make_baseline() -> None:
    """Make the base model's repairs."""
    subjects()
    _repair(lake.BASELINE)
    page(lake.BASELINE)


def make_finals() -> None:
    """Draw the best genomes by selection again."""
    finals()
    _repair(lake.FINALS)


def make_evaluations() -> None:
    """Make what the evidence needs besides, once the best genome is picked."""
    train_again()
    for part in lake.EVALUATIONS.values():
        _repair(part)


def make_linteval() -> None:
    """Make a small CodeLinterEval, which the first page needs besides."""
    linteval_items()
    answer_items()
    linteval_report()


def _repair(part: str) -> None:
    draw(part, _code)
    for stage in (verdicts, findings, scores):
        stage(part)


def _count(spent: dict[str, Cost], stage: Callable[[str], None], part: str) -> None:
    """Run a stage and add its cost to what it has spent so far."""
    # Forgets the peak so far: proc_pid_clear_refs(5).
    Path("/proc/self/clear_refs").write_text("5")
    start = time.perf_counter()
    stage(part)
    seconds = time.perf_counter() - start
    status = Path("/proc/self/status").read_text().splitlines()
    peak = next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM"))
    before = spent.get(stage.__name__, (0.0, 0))
    spent[stage.__name__] = (before[0] + seconds, max(before[1], peak))


def _code(problem: Problem, genome: str, sample: int) -> str:
    """Return a program of one of 4 kinds in one of `VARIANTS`; genomes differ in how often."""
    skill = derive_seed(1, "skill", genome) % 100
    dice = derive_seed(1, "dice", genome, problem.name, sample)
    kinds = (
        problem.reference,
        problem.buggy,
        INSECURE + problem.reference,
        problem.reference.replace("return", "retrun"),
    )
    kind = 0 if dice % 100 < skill else 1 + dice // 100 % 3
    return f"# variant {dice // 1000 % VARIANTS}\n{kinds[kind]}"


def run_quietly(work: Callable[..., object], folder: str, *arguments: object) -> object:
    """Call `work` in `folder`, and keep what it prints to itself."""
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
        return work(*arguments)
