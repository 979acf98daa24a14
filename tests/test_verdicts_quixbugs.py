"""Every verdict on a QuixBugs checkout equals that of QuixBugs' own suite.

Needs a checkout: CORAL_QUIXBUGS=/path/to/QuixBugs python -m pytest tests/test_verdicts_quixbugs.py
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from coral_batch.corpus.readers.quixbugs import read
from coral_batch.records.settings import Verdicts
from coral_batch.records.verdict import Program
from coral_batch.verdicts.pool import judge

CHECKOUT = os.environ.get("CORAL_QUIXBUGS", "")
SECONDS = 4

# Gives each test a limit and writes name -> outcome of its tests, in order.
PLUGIN = f"""
import json, os, pytest, signal
class Late(BaseException):
    pass
def late(*arguments):
    raise Late
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    signal.signal(signal.SIGALRM, late)
    signal.alarm({SECONDS})
    yield
    signal.alarm(0)
outcomes = {{}}
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if report.when == "call" or report.skipped:
        name = item.path.stem.removeprefix("test_")
        outcomes.setdefault(name, []).append(report.outcome)
def pytest_sessionfinish():
    with open(os.environ["OUTCOMES"], "w") as file:
        json.dump(outcomes, file)
"""


@pytest.mark.skipif(not CHECKOUT, reason="needs CORAL_QUIXBUGS=/path/to/a/checkout/of/QuixBugs")
@pytest.mark.parametrize("correct", [False, True], ids=["buggy", "correct"])
def test_every_verdict_equals_that_of_quixbugs_own_suite(tmp_path: Path, correct: bool) -> None:
    (tmp_path / "outcomes_plugin.py").write_text(PLUGIN)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "outcomes_plugin"]
    command += ["-p", "no:cacheprovider", "python_testcases", *["--correct"] * correct]
    environment = os.environ | {
        "PYTHONPATH": str(tmp_path),
        "OUTCOMES": str(tmp_path / "outcomes.json"),
    }
    subprocess.run(command, cwd=CHECKOUT, env=environment, stdout=subprocess.DEVNULL, check=False)
    outcomes = json.loads((tmp_path / "outcomes.json").read_text())

    programs = [
        Program(p.name, p.reference if correct else p.buggy, p.cases, p.tests, p.support)
        for p in read(Path(CHECKOUT))[0]
    ]
    settings = Verdicts(SECONDS, 3 * SECONDS, 512, ("seccomp",))
    differences = []
    compared = 0
    for program, row in zip(programs, judge(programs, settings), strict=True):
        for verdict, outcome in zip(row, outcomes[program.function], strict=True):
            if outcome != "skipped":
                compared += 1
                if (verdict.kind == "PASS") != (outcome == "passed"):
                    differences.append((program.function, outcome, verdict))
    assert differences == []
    assert compared > 250
