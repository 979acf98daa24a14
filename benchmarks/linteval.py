"""Compare scoring CodeLinterEval answers with one flake8 process per answer, as in its own scorer.

There are 1,200 different answers, ten for each of 120 items: alternately the item's code and its
canonical solution, each with a unique extra line. The flake8 processes run one after another, on
fewer answers; we extrapolate their rate. Both ways must agree on which answers pass.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from benchmarks.table import ROOT, Row
from coral_batch.lake import params
from coral_batch.linteval.answers.extraction import code_of
from coral_batch.linteval.items.mutants import mutants
from coral_batch.linteval.items.sources import read_snippets
from coral_batch.linteval.scores.tables import lint_codes, score_samples
from coral_batch.records.items import Answer, Inputs, Item, ItemTests, Meta
from coral_batch.verdicts.pool import judge

_ITEMS = 120
_SAMPLES = 10
_PROCESSES = 40


def measure() -> list[Row]:
    """Compute official scores with one and two workers, and strict ones with tests in the jail."""
    snippets, _ = read_snippets(ROOT / "lake/raw/snippets")
    candidates = mutants(snippets, each=2, seed=1)[:_ITEMS]
    items = [
        Item("{feedback}{code}", Inputs(one.code, "-"), (), Meta(number, one.canonical or one.code))
        for number, one in enumerate(candidates)
    ]
    tests = [
        ItemTests(number, one.source, one.function, one.cases, one.tests)
        for number, one in enumerate(candidates)
    ]
    samples = [_answer(item, number) for item in items for number in range(_SAMPLES)]
    codes = [sample.code for sample in samples]

    start = time.perf_counter()
    theirs = [_passes(code) for code in codes[:_PROCESSES]]
    separate = _PROCESSES / (time.perf_counter() - start)
    rates = {}
    for workers in (1, 2):
        start = time.perf_counter()
        _, published = lint_codes(codes, workers)
        rates[workers] = len(codes) / (time.perf_counter() - start)
        ours = [not findings for findings in published[:_PROCESSES]]
        if ours != theirs:
            raise RuntimeError(f"flake8 disagrees: {ours} and {theirs}")

    settings = params.load(ROOT / "params.yaml").verdicts
    start = time.perf_counter()
    in_jail = partial(judge, settings=settings, workers=2)
    score_samples(samples, items, tests, in_jail, 2)
    both = len(codes) / (time.perf_counter() - start)
    return [
        Row("linteval, official, one core", "answers/s", rates[1], "a process", separate, 30),
        Row("linteval, official, two workers", "answers/s", rates[2], "one process", separate, 30),
        Row("linteval, strict too, two workers", "answers/s", both, "one process", separate),
    ]


def _answer(item: Item, number: int) -> Answer:
    code = (item.inputs.code, item.meta.canonical_code)[number % 2].rstrip("\n")
    text = f"```python\n{code}\n\n\nversion = {_SAMPLES * item.meta.id + number}\n```"
    return Answer("base", item.meta.id, number, code_of(text))


def _passes(code: str) -> bool:
    with tempfile.NamedTemporaryFile("w", suffix=".py", encoding="utf-8") as file:
        file.write(code)
        file.flush()
        command = [sys.executable, "-m", "flake8", "--isolated", str(Path(file.name))]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
