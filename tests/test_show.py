"""`coral show`: the audit of a generation, a genome and the base model."""

import io
import os
import re
import subprocess
import sys
import unicodedata
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from coral_batch import lake
from coral_batch.commands.show import bugs_view, generation_view, genome_view, model_view, show
from coral_batch.records.problem import Bug
from coral_batch.records.rows import SampleRow, SelectionRow
from coral_batch.search.best import NOBODY_PASSED
from tests.command import coral
from tests.errors import refused
from tests.report_lake import write_lake


@pytest.fixture(autouse=True)
def small_lake(workspace: Path) -> None:
    write_lake()


def test_unprintable_characters_are_escaped() -> None:
    command = [Path(sys.executable).parent / "coral", "show", "001", "001-00"]
    shown = subprocess.check_output(command, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert rb"\u2588\u2584\u2581" in shown


def test_a_generation_lists_genomes_configurations_and_fates() -> None:
    text = generation_view("001")
    assert "000-01 000-02  crossover+mutation  B3/S23" in text
    assert "001-00  01010101  DoRA    8     16     0.05  q v      0.6   0.95     50" in text
    assert "threshold" in text
    assert max(map(len, text.splitlines())) <= 100


def test_a_generation_shows_the_readings_if_they_decided() -> None:
    rows = lake.read_rows("selection", SelectionRow, "001")
    assert re.search("genome +fixed", generation_view("001"))
    lake.write_rows("selection", [replace(row, worth=row.read) for row in rows], "001")
    assert re.search("genome +read", generation_view("001"))


def test_a_genome_shows_its_origin_and_its_fate() -> None:
    text = genome_view("001", "001-00", None, colour=False)
    for part in (
        "          DoRA, r 8, alpha 16, dropout 0.05, on q v",
        "knobs     temperature 0.6, top-p 0.95, top-k 50, repetition penalty 1.05",
        "operator  crossover+mutation of 000-01, 000-02",
        "automaton B3/S23, grid seed 7, density 0.5000",
        "complexity 0.100, intensity 0.200, periodicity 0.300, convergence 0.400",
        "loss 2.500 to 0.750 (lowest 0.750) in 3 steps, 300 tokens\n          █▄▁",
        "gate      passed",
        "fitness   0.900 (a selection score)",
        "reading   50.0 %: P(right first change), mean",
        "step 0    step 1    step 2",
    ):
        assert part in text


def test_a_repair_shows_diff_verdicts_findings_and_scores() -> None:
    text = genome_view("001", "001-00", None, colour=False)
    for part in (
        "  | Fix sieve.",
        "    -    return n - 1\n    +    return n + 1\n",
        "  verdicts  2 PASS (isolation: seccomp+rlimits)",
        "case 1: FAIL\n      input     0\n      expected  1\n      got       -1",
        "flake8 1:1 E302 blank lines",
        "    bugfix    1.000  why bugfix",
        "finish fence, 20 new tokens, log-probability -2.00, fitness",
        "the same code as sample 0",
    ):
        assert part in text, part


def test_a_problem_shows_where_the_model_would_change_it() -> None:
    text = genome_view("001", "001-00", "wrap", colour=False)
    assert "in percent; 13 % that there is none\n" in text
    assert "   75 ████████   >     return n - 1\n" in text
    lake.write_rows("first_changes", [], "001")
    assert "first change, by" not in genome_view("001", "001-00", "wrap", colour=False)


def test_answers_without_a_model_are_shown() -> None:
    for name, title in (("empty", "An empty answer"), ("unchanged", "Each program unchanged")):
        text = model_view(lake.VALIDATION_BASE, name, "wrap", colour=False)
        assert text.startswith(title)
        assert "=== wrap ===" in text
        assert "knobs" not in text
        with refused("expected: one of base"):
            model_view(lake.EVALUATIONS["base"], name, None, colour=False)


def test_the_best_genome_is_shown_with_its_adapter() -> None:
    text = model_view(lake.EVALUATIONS["best"], None, "wrap", colour=False)
    assert text.startswith("The best genome, 001-00\n\nadapter   ")
    assert "          DoRA, r 8," in text


def test_a_genome_is_shown_with_its_line_of_descent() -> None:
    text = genome_view("001", "001-00", None, colour=False)
    assert "\ndescent   000-01 0.808, 001-00 0.900\n" in text
    assert "descent" not in genome_view("000", "000-01", None, colour=False)


def test_model_output_cannot_drive_the_terminal_or_pose_as_a_verdict() -> None:
    text = genome_view("000", "000-00", None, colour=False)
    assert "<U+001B>]0;owned<U+0007><U+001B>[2J<U+202E><U+2028><U+009B>31m" in text
    assert "got       -1<U+001B>[31m\\nverdicts 2 PASS" in text
    assert {c for c in text if unicodedata.category(c) in {"Cc", "Cf", "Zl"}} <= {"\n", "\t"}


def test_colour_is_for_terminals_without_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    def output(terminal: bool) -> str:
        stream = io.StringIO()
        monkeypatch.setattr(stream, "isatty", lambda: terminal)
        monkeypatch.setattr("sys.stdout", stream)
        show("001", "001-00")
        return stream.getvalue()

    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured = output(terminal=True)
    assert "\x1b[32m+    return n + 1\x1b[0m" in coloured
    assert "\x1b[31m-    return n - 1\x1b[0m" in coloured
    plain = output(terminal=False)
    assert "\x1b" not in plain
    monkeypatch.setenv("NO_COLOR", "1")
    assert output(terminal=True) == plain


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("001", "009-00"), "000-01, 001-00, 001-01"),
        (("001", "001-00", "gcd"), "sieve, wrap"),
        (("001", None, "wrap"), "coral show 001 GENOME --problem NAME"),
        (("bugs", "gcd", "wrap"), "coral show bugs gcd"),
        (("002", None), "file of the lake is missing"),
    ],
)
def test_unknown_names_are_reported(arguments: tuple[str | None, ...], message: str) -> None:
    with refused(message):
        show(*arguments)


def test_failed_thresholds_are_shown() -> None:
    rows = lake.read_rows("selection", SelectionRow, "001")
    failed = [
        replace(row, passed=False, failed=("style",), shortfall=0.1, rank=None, survived=False)
        for row in rows[1:]
    ]
    lake.write_rows("selection", [rows[0], *failed], "001")
    text = generation_view("001")
    assert "0.915!" in text
    assert "!: below the threshold" in text
    text = genome_view("001", "001-00", None, colour=False)
    assert "gate      failed on style; shortfall 0.100" in text
    assert "rank      none: it did not pass the gate" in text
    assert NOBODY_PASSED not in text
    nobody = [replace(row, nobody_passed=True) for row in (rows[0], *failed)]
    lake.write_rows("selection", nobody, "001")
    for view in (generation_view("001"), genome_view("001", "001-00", None, colour=False)):
        assert NOBODY_PASSED in view
        assert "selected" not in view  # in some searches the lot decides who is


def test_a_failure_common_to_all_cases_is_shown_once() -> None:
    verdicts = lake.read_frame("verdicts", "001").with_columns(
        kind=pl.lit("UNPARSEABLE"), detail=pl.lit("invalid syntax")
    )
    lake.write_frame("verdicts", verdicts, "001")
    text = genome_view("001", "001-00", "sieve", colour=False)
    assert "2 cases, case 0 to case 1: UNPARSEABLE\n      detail    invalid syntax" in text
    assert "expected" not in text


def test_a_test_function_is_named_instead_of_a_case() -> None:
    verdicts = lake.read_frame("verdicts", "001").with_columns(test=pl.lit("test_successor"))
    lake.write_frame("verdicts", verdicts, "001")
    text = genome_view("001", "001-00", "sieve", colour=False)
    assert "test_successor: FAIL\n      detail" in text


def test_an_answer_without_code_is_marked() -> None:
    samples = lake.read_rows("samples", SampleRow, lake.VALIDATION_BASE)
    lake.write_rows("samples", [replace(row, code="") for row in samples], lake.VALIDATION_BASE)
    text = model_view(lake.VALIDATION_BASE, None, "wrap", colour=False)
    assert "no code; the raw answer is in samples.jsonl" in text


def bug(problem: str, number: int, kind: str, buggy: str, outcomes: str) -> Bug:
    reference = "def f(n):\n    return n + 1\n"
    failed = 1 - outcomes.count("P") / len(outcomes)
    change = (2, reference, buggy)
    return Bug(f"{problem}-{number}", problem, kind, *change, outcomes, failed)


def write_bugs() -> None:
    wrong = "def f(n):\n    return n - 1\n"
    hostile = "def f(n):\n    return n + '\x1b[2J'\n"
    rows = [
        bug("sieve", 1, "arithmetic", wrong, "PFFE"),
        bug("sieve", 2, "variable", hostile, "PPPF"),
        bug("sieve", 3, "arithmetic", wrong, "PPFF"),
        bug("wrap", 1, "index", wrong, "FP"),
    ]
    lake.write_rows("bugs", rows)


def test_the_programs_are_listed_with_their_injected_bugs() -> None:
    write_bugs()
    lines = bugs_view(None, colour=False).splitlines()
    assert lines[0] == "4 bugs of 2 programs"
    assert "sieve       3    0.50  arithmetic 2, variable" in lines
    assert "wrap        1    0.50  index" in lines
    assert "arithmetic     2" in lines


def test_the_bugs_of_a_program_are_shown_as_diffs_with_verdicts() -> None:
    write_bugs()
    text = bugs_view("sieve", colour=False)
    assert "--- sieve-1, arithmetic, line 2 ---\n  PFFE: 3 of 4 cases fail\n" in text
    assert "    --- reference\n    +++ sieve-1\n" in text
    assert "    -    return n + 1\n    +    return n - 1" in text
    assert "return n + '<U+001B>[2J'" in text
    assert "wrap" not in text
    assert "\x1b[31m-    return n + 1\x1b[0m" in bugs_view("sieve", colour=True)


def test_the_command_line_takes_a_generation_a_genome_and_a_problem() -> None:
    shown = coral("show", "001", "001-00", "--problem", "wrap")
    assert shown.returncode == 0
    assert shown.stdout == genome_view("001", "001-00", "wrap", colour=False) + "\n"
    assert coral("show", "validation/base").returncode == 0
    assert coral("show", "017").returncode == 2
    write_bugs()
    assert coral("show", "bugs", "wrap").stdout == bugs_view("wrap", False) + "\n"
