"""Bugs in the jail: what is kept, what is dropped, and that endless programs end."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from coral_batch import lake
from coral_batch.corpus.injection.counting import HANGS, counted, hangs
from coral_batch.corpus.injection.trials import TRIED, Rows, inject, outcomes
from coral_batch.errors import CoralError
from coral_batch.lake import params
from coral_batch.records.problem import Bug, Problem
from coral_batch.records.settings import Injection
from coral_batch.records.verdict import Program, Verdict
from coral_batch.verdicts import pool
from stages import bugs as stage
from tests import REPOSITORY
from tests.errors import refused
from tests.injectable import bundled, problem_of
from tests.programs import SETTINGS
from tests.readers import SETTINGS as PATIENT
from tests.readers import read
from tests.repairable import write
from tests.rows import role_row

INJECTION = Injection(each=6, lines=50_000, partial=True)
LIMITS = replace(SETTINGS, cpu_seconds=1.0)
NAMES = ("gcd", "kth", "sieve", "flatten", "breadth_first_search", "to_number")
CHOSEN = [problem for problem in bundled() if problem.name in NAMES]

# The edit of `while i < n` that deletes `i += 1` never ends, and so do others.
ENDLESS = problem_of(
    "def f(n):\n    i = total = 0\n    while i < n:\n        total += i\n        i += 1\n"
    "    return total\n",
    [((0,), 0), ((1,), 0), ((5,), 10)],
)


def judge(programs: Sequence[Program]) -> list[list[Verdict]]:
    return pool.judge(programs, LIMITS, workers=1)


def judged(
    code: str, cases: Sequence[tuple[tuple, object]], lines: int | None = 1_000
) -> list[Verdict]:
    """Return the verdicts on a program whose lines are counted; on it as it is without `lines`."""
    problem = problem_of(code, cases)
    text = code if lines is None else counted(code, lines)
    (verdicts,) = judge([Program("f", text, problem.cases, None, {})])
    return verdicts


def injected(
    problems: Sequence[Problem], settings: Injection = INJECTION, seed: int = 1
) -> tuple[Rows, list[Bug]]:
    return inject(problems, settings, seed, judge)


def trial_of(bug: Bug, trials: Rows) -> dict[str, Any]:
    digest = hashlib.sha256(bug.buggy.encode()).hexdigest()
    (trial,) = (row for row in trials if row["sha256"] == digest)
    assert (trial["kind"], trial["line"]) == (bug.kind, bug.line)
    assert (trial["problem"], trial["outcomes"]) == (bug.problem, bug.outcomes)
    return trial


@cache
def made() -> tuple[Rows, list[Bug]]:
    return injected(CHOSEN)


def test_a_bug_fails_some_cases_passes_others_and_does_so_uncounted_as_well() -> None:
    _, bugs = made()
    by_name = {problem.name: problem for problem in CHOSEN}
    programs = [
        Program(one.function, bug.buggy, one.cases, one.tests, one.support)
        for bug in bugs
        for one in [by_name[bug.problem]]
    ]
    for bug, verdicts in zip(bugs, judge(programs), strict=True):
        assert outcomes(verdicts) == bug.outcomes
        assert set(bug.outcomes) in ({"P", "F"}, {"P", "E"}, {"P", "F", "E"})
        assert bug.failed == pytest.approx(sum(one != "P" for one in bug.outcomes) / len(verdicts))
        assert bug.reference == by_name[bug.problem].reference
        assert bug.buggy != bug.reference


def test_bugs_are_numbered_in_the_order_of_the_candidates_and_no_more_than_wanted() -> None:
    trials, bugs = made()
    for problem in CHOSEN:
        own = [bug for bug in bugs if bug.problem == problem.name]
        assert [bug.id for bug in own] == [f"{problem.name}-{n + 1}" for n in range(len(own))]
        assert len(own) == INJECTION.each
        rows = [row for row in trials if row["problem"] == problem.name]
        assert [row["number"] for row in rows] == list(range(len(rows)))
        assert len(rows) - 1 <= TRIED * INJECTION.each
        assert (rows[0]["kind"], set(rows[0]["outcomes"])) == ("reference", {"P"})
        places = [trial_of(bug, trials)["number"] for bug in own]
        assert places == sorted(set(places))


def test_no_kind_has_much_more_than_its_share() -> None:
    bugs = made()[1]
    kinds = Counter(bug.kind for bug in bugs)
    assert len(kinds) > 12
    assert max(kinds.values()) <= len(bugs) / 4


def test_a_bug_that_does_the_same_on_the_same_line_as_another_is_dropped() -> None:
    # `n >= 2` and `n > 1` are two trees that do the same.
    problem = problem_of(
        "def f(n):\n    return n > 2\n", [((1,), False), ((2,), False), ((5,), True)]
    )
    rows, bugs = injected([problem])
    assert [row["outcomes"] for row in rows].count("PFP") > 1
    assert [bug.outcomes for bug in bugs].count("PFP") == 1
    trials, several = made()
    effects = [(bug.problem, bug.line, trial_of(bug, trials)["effect"]) for bug in several]
    assert len(set(effects)) == len(effects)
    assert len({effect[:2] for effect in effects}) < len(effects)


def test_bugs_that_fail_everything_are_kept_where_that_is_wanted() -> None:
    problem = problem_of("def f(a, b):\n    return a + b\n", [((1, 2), 3), ((5, 7), 12)])
    _, partial_only = injected([problem])
    _, every = injected([problem], replace(INJECTION, partial=False))
    assert all("P" in bug.outcomes for bug in partial_only)
    assert any("P" not in bug.outcomes for bug in every)


def test_candidates_that_hang_are_no_bugs_and_hang_the_same_every_time() -> None:
    rows, bugs = injected([ENDLESS], replace(INJECTION, each=20, lines=200))
    hanging = [row for row in rows if "H" in row["outcomes"]]
    assert all(re.fullmatch("[PFE]*H+", row["outcomes"]) for row in hanging)
    assert len(hanging) > 3
    assert not any("H" in bug.outcomes for bug in bugs)
    assert injected([ENDLESS], replace(INJECTION, each=20, lines=200)) == (rows, bugs)
    # None of them got as far as the limit of the jail.
    assert {letter for row in rows for letter in row["outcomes"]} <= set("PFEH")


def test_whatever_is_endless_hangs_from_then_on() -> None:
    for body in (
        "    try:\n        while n:\n            n += 1\n    except Exception:\n        return 0\n",
        "    while n:\n        yield n\n",
        "    return [x for x in iter(lambda: n, 0)]\n",
        "    def g():\n        while n:\n            pass\n    g()\n",
    ):
        verdicts = judged(f"def f(n):\n{body}", [((1,), 5), ((0,), 0), ((2,), 5)], 500)
        assert [verdict.detail for verdict in verdicts] == [HANGS] * 3, body


def test_a_program_that_would_catch_its_end_is_ended_by_its_exit() -> None:
    for handler in ("    except:\n        pass\n", "    finally:\n        return f(n)\n"):
        code = f"def f(n):\n    try:\n        while n:\n            n += 1\n{handler}    return n\n"
        verdicts = judged(code, [((1,), 5), ((2,), 5)])
        assert all(hangs(verdict.detail) for verdict in verdicts)
        assert outcomes(verdicts) == "HH"


def test_counting_changes_no_other_verdict() -> None:
    for code, detail in {
        "def f(n):\n    return f(n + 1)\n": "RecursionError: maximum recursion depth exceeded",
        "def f(n):\n    raise ValueError(n)\n": "ValueError: 1",
        "def f(n):\n    return n\n": "returned 1",
    }.items():
        (counted_one,) = judged(code, [((1,), 5)], 100_000)
        (as_it_is,) = judged(code, [((1,), 5)], None)
        assert counted_one.detail.startswith(detail)
        assert (counted_one.kind, counted_one.detail) == (as_it_is.kind, as_it_is.detail)


def test_a_counted_program_loads_however_it_begins() -> None:
    for start in (
        '"""A docstring."""\nfrom __future__ import annotations; import math\n',
        "# a comment\n\n",
        "import functools\n@functools.cache\n",
    ):
        code = f"{start}def f(n):\n    while n > 1:\n        n -= 1\n    return n\n"
        assert outcomes(judged(code, [((5,), 1), ((0,), 0)])) == "PP"
        assert outcomes(judged(code, [((5,), 1), ((10**9,), 1)])) == "PH"


def test_a_reference_that_fails_its_tests_is_refused() -> None:
    problem = problem_of("def f(n):\n    return n + 1\n", [((1,), 2), ((2,), 4)])
    words = ("fails its own case", "problem f, case 1", "FAIL returned 3", "PASS with 4")
    with refused(*words, "correct the corpus", "also problem g, case 1: FAIL returned 3"):
        injected([problem, CHOSEN[0], replace(problem, name="g")])


def test_a_bug_of_its_own_that_no_test_detects_is_refused() -> None:
    code = "def f(n):\n    return n + 1\n"
    problem = replace(problem_of(code, [((1,), 2)]), buggy="def f(n):\n    return 1 + n\n")
    with refused("passes all tests", problem.name, "exclude"):
        injected([problem])


def test_a_reference_that_hangs_is_refused_and_the_parameter_named() -> None:
    lines = replace(INJECTION, lines=20)
    with refused("raise injection.lines in params.yaml", "problem f, case 2", "at most 20 lines"):
        injected([ENDLESS], lines)
    endless = problem_of("def f(n):\n    while n:\n        pass\n", [((0,), None), ((1,), 1)])
    with pytest.raises(CoralError, match="problem f, case 1"):
        injected([endless])


def test_a_reference_that_takes_too_long_in_few_lines_is_refused_with_the_limit() -> None:
    slow = problem_of("def f(n):\n    return sum(range(n)) * 0\n", [((1,), 0), ((10**9,), 0)])
    with refused("takes too long", "problem f, case 1", "at most 1 s of CPU time", "exclude"):
        injected([slow])


def test_a_problem_with_a_bug_of_its_own_keeps_that_alone_where_its_reference_runs_too_long() -> (
    None
):
    own = replace(ENDLESS, buggy=ENDLESS.reference.replace("+= i", "+= 1"))
    assert injected([own], replace(INJECTION, lines=20))[1] == []
    assert injected([own])[1]
    with pytest.raises(CoralError, match="fails its own case"):  # in a case before that
        injected([replace(own, cases=(replace(own.cases[0], expected=1), *own.cases))])


def test_the_stage_writes_both_tables_and_says_what_it_made(
    workspace: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = params.load(REPOSITORY / "params.yaml")
    excluded = replace(CHOSEN[0], name="excluded", cases=(), tests="def (")
    problems = [*CHOSEN[:3], excluded]
    roles = ("training", "test", "held_out", "excluded")
    manifest = [role_row(*pair) for pair in zip(problems, roles, strict=True)]
    first, *others = settings.corpus.sources
    lake.write_rows("problems", problems, first)
    for name in others:
        other = replace(excluded, name=f"{name}_excluded")
        lake.write_rows("problems", [other], name)
        manifest.append(role_row(other, "excluded"))
    lake.write_rows("manifest", manifest)
    monkeypatch.setattr(pool, "judge", partial(_in_this_process, pool.judge))
    stage.bugs()
    rows, bugs = lake.read_frame("bug_trials"), lake.read_rows("bugs", Bug)
    assert {bug.problem for bug in bugs} == {problem.name for problem in problems[:3]}
    tried = rows.height - 3
    assert capsys.readouterr().out == f"{len(bugs)} bugs of 3 programs, from {tried} candidates\n"


def _in_this_process(judge, programs, settings, workers, journal):
    return judge(programs, settings, 1, journal)


HALVED = '''"""How often a number can be halved."""


def times(number):
    """Return it.

    >>> times(8)
    3
    """
    count = 0
    while _even(number) and number > 1:
        number = number // 2
        count += 1
    return count


def _even(number):
    return number % 2 == 0
'''


def test_each_bug_of_a_project_is_in_the_function_under_test(tmp_path: Path) -> None:
    """One that never ends is found by counting lines."""
    tests = "from halved import times\n\n\ndef test_odd():\n    assert times(12) == 2\n"
    write(tmp_path, {"halved.py": HALVED, "test_halved.py": tests})
    problems, _ = read("folder", tmp_path)
    judging = partial(pool.judge, settings=PATIENT, workers=1)
    injection = replace(params.load().injection, each=8)
    rows, bugs = inject(problems, injection, 0, judging)
    assert {bug.problem for bug in bugs} == {"halved_times", "halved__even"}
    helper = HALVED[HALVED.index("def _even") :]
    assert all(helper in bug.buggy for bug in bugs if bug.problem == "halved_times")
    assert any("H" in row["outcomes"] for row in rows)
    assert {row["outcomes"] for row in rows if row["number"]} & {"F", "FP", "PF", "FF"}
