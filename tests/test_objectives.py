"""Objectives: CORAL-X's formulas to the digit, their reasons, and the means over a genome."""

import ast
from dataclasses import astuple, replace
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coral_batch.lake.schemas import FOLDER
from coral_batch.objectives import formulas
from coral_batch.objectives.aggregate import aggregate, fitness
from coral_batch.objectives.score import JUDGES, score
from coral_batch.records.finding import CRASH, FAILURES, TIMEOUT, TOO_LONG, Finding, failure
from coral_batch.records.settings import OBJECTIVES, Scores
from coral_batch.records.verdict import Kind

CODE = "def f(x):\n    return x"
WEIGHTS = Scores(bugfix=0.30, security=0.25, syntax=0.20, style=0.15, runtime=0.10)
ZERO = Scores(0.0, 0.0, 0.0, 0.0, 0.0)


def test_an_objective_is_named_where_it_is_judged_and_among_the_settings_and_in_no_schema():
    assert tuple(JUDGES) == OBJECTIVES
    for name in OBJECTIVES:
        naming = {file.name for file in FOLDER.glob("*.json") if f'"{name}"' in file.read_text()}
        # `objectives.runtime`: which of the two runtime objectives
        assert naming <= {"params.schema.json"}


def style_findings(n: int) -> list[Finding]:
    return [Finding("flake8", "E302", "expected 2 blank lines", line, 1) for line in range(n)]


def security_findings(**counts: int) -> list[Finding]:
    return [
        Finding("bandit", "B101", "issue", 1, 1, severity, "HIGH")
        for severity, count in counts.items()
        for _ in range(count)
    ]


# An objective, what it is judged by, and its score.
FORMULAS = [
    ("bugfix", {"verdicts": ["PASS"] * 9}, 1.0),
    ("bugfix", {"verdicts": ["PASS"] * 7 + ["FAIL", "TIMEOUT"]}, 7 / 9),
    ("bugfix", {"verdicts": ["FAIL"] * 8 + ["ERROR"]}, 0.2),
    ("bugfix", {"verdicts": ["UNPARSEABLE"] * 3}, 0.2),
    *(
        ("style", {"findings": style_findings(violations)}, expected)
        for violations, expected in [(0, 0.97), (1, 0.75), (2, 0.7), (10, 0.3), (16, 0), (99, 0)]
    ),
    ("security", {}, 1.0),
    ("security", {"findings": security_findings(MEDIUM=1)}, 0.9),
    ("security", {"findings": security_findings(HIGH=1, MEDIUM=2, LOW=1)}, 0.5),
    ("security", {"findings": security_findings(HIGH=4)}, 0.0),
    ("runtime", {"code": "x = 1"}, 0.7),
    ("runtime", {"code": "x = y[::-1]"}, 0.8),
    ("runtime", {"code": "for a in x:\n for b in x:\n  for c in x: pass"}, 0.6),
    ("runtime", {"code": "for a in x:\n for b in x: pass"}, 0.7),
]


@pytest.mark.parametrize(("objective", "judged_by", "expected"), FORMULAS)
def test_an_objective_follows_its_formula(objective, judged_by, expected):
    scored = score(**{"code": CODE, "verdicts": ["PASS"], "findings": []} | judged_by)
    assert getattr(scored.scores, objective) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("pass", 0),
        ("for a in x:\n while a: pass", 2),
        ("for a in x: pass\nelse:\n for b in x: pass", 1),
        ("for a in x:\n y = [b for b in a]", 2),
        ("[c for a in x for b in a for c in b]", 3),
        ("while any(a for a in x): pass", 2),
        ("for a in x:\n def f():\n  for b in x: pass", 1),
        ("for a in x:\n if a:\n  try:\n   for b in x: pass\n  finally: pass", 2),
        ("async def f():\n async for a in x:\n  for b in a: pass", 2),
    ],
)
def test_nested_loops_counts_what_runs_inside_a_loop(code, expected):
    assert formulas.nested_loops(ast.parse(code)) == expected


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ([(0.5, 0.5)], 0.9),
        ([(1.0, 0.5)] * 2, 0.45),
        ([(4.0, 0.4)], 0.09),
        ([(0.002, 0.0)], 0.45),  # a short time counts as 1 ms
        ([], 0.0),
    ],
)
def test_measured_runtime_is_the_speed_relative_to_the_reference(times, expected):
    assert formulas.runtime_measured(times) == pytest.approx(expected)


def test_measured_runtime_counts_only_the_cases_that_passed():
    times = [(1.0, 0.5), (5.0, 0.5)]
    scored = score(CODE, ["PASS", "TIMEOUT"], [], times=times)
    assert scored.scores.runtime == pytest.approx(0.45)
    assert score(CODE, ["FAIL", "FAIL"], [], times=times).scores.runtime == 0.0
    heuristic = score(CODE, ["PASS", "TIMEOUT"], []).scores
    assert heuristic == replace(scored.scores, runtime=0.7)


def test_code_that_does_not_parse_scores_zero_in_everything():
    verdicts = ["UNPARSEABLE"] * 3
    assert score("def f(:", verdicts, []).scores == ZERO
    assert score("def f(:", verdicts, [], times=[(0, 0)] * 3).scores == ZERO


@pytest.mark.parametrize("code", [CRASH, TIMEOUT, TOO_LONG])
@pytest.mark.parametrize("tool", ["flake8", "bandit"])
def test_code_that_kills_or_stalls_a_linter_scores_zero(tool, code):
    scored = score(CODE, ["PASS"], [failure(tool, code, "why")])
    assert scored.scores == ZERO
    assert code in scored.reasons["bugfix"]


@pytest.mark.parametrize("code", sorted(FAILURES))
def test_a_linter_that_did_not_finish_never_scores_as_clean(code):
    assert score(CODE, ["PASS"], [failure("flake8", code, "why")]).scores.style == 0.0
    assert score(CODE, ["PASS"], [failure("bandit", code, "why")]).scores.security == 0.0


def test_reasons_say_why():
    findings = [
        Finding("flake8", "E302", "", 1, 1),
        Finding("flake8", "E225", "", 2, 1),
        Finding("flake8", "E302", "", 3, 1),
        *security_findings(HIGH=1),
    ]
    reasons = score(CODE, ["PASS"] * 7 + ["FAIL", "TIMEOUT"], findings).reasons
    assert reasons["bugfix"] == "7 of 9 cases pass: FAIL, TIMEOUT"
    assert reasons["style"] == "3 findings: E225, 2 x E302"
    assert reasons["security"] == "1 finding: B101 HIGH"
    assert reasons["syntax"] == "parses"
    assert score("def f(:", ["UNPARSEABLE"], []).reasons["style"] == "does not parse"


verdict_lists = st.lists(st.sampled_from(get_args(Kind)), min_size=1, max_size=12)
codes = st.sampled_from(
    [CODE, "def f(:", "", "x = y[::-1]", "[a for b in c for d in b for a in d]"]
)


@given(codes | st.text(max_size=60), verdict_lists, *map(st.integers, (0,) * 3, (30, 8, 30)))
def test_scores_stay_in_the_unit_interval(code, verdicts, violations, high, medium):
    findings = style_findings(violations) + security_findings(HIGH=high, MEDIUM=medium)
    scores = np.array(astuple(score(code, verdicts, findings).scores))
    assert ((scores >= 0) & (scores <= 1)).all()
    assert 0 <= fitness(scores, WEIGHTS) <= 1


def test_every_problem_weighs_the_same_however_many_samples_it_has():
    genomes = ["b", "b", "b", "a", "a"]
    problems = ["p", "p", "q", "p", "q"]
    rows = np.array([[0.0] * 5, [1.0] * 5, [1.0] * 5, [0.2] * 5, [0.4] * 5])
    names, means = aggregate(genomes, problems, rows)
    assert names == ["a", "b"]
    np.testing.assert_allclose(means, [[0.3] * 5, [0.75] * 5])


def test_fitness_is_the_seeds_weighted_sum():
    objectives = np.array([[1.0, 1.0, 0.9, 0.97, 0.7], [0.0] * 5])
    np.testing.assert_allclose(fitness(objectives, WEIGHTS), [0.3 + 0.25 + 0.18 + 0.1455 + 0.07, 0])


def test_weights_that_sum_to_a_little_more_than_1_make_nobody_fitter_than_1():
    assert fitness(np.ones((1, 5)), replace(WEIGHTS, bugfix=0.3000000008)) == [1.0]


@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 4), st.integers(0, 2**32), st.randoms())
def test_means_ignore_the_order_of_rows_and_match_plain_loops(g, p, s, seed, shuffler):
    keys = [(f"g{i}", f"p{j}") for i in range(g) for j in range(p) for _ in range(s)]
    rows = np.random.Generator(np.random.PCG64(seed)).random((len(keys), 5))
    order = list(range(len(keys)))
    shuffler.shuffle(order)
    names, means = aggregate([keys[i][0] for i in order], [keys[i][1] for i in order], rows[order])
    assert names == [f"g{i}" for i in range(g)]
    np.testing.assert_allclose(means, rows.reshape(g, p, s, 5).mean(axis=2).mean(axis=1))
