"""What the bundled exercises promise: clean small programs, and cases that they pass."""

from __future__ import annotations

import copy
import dataclasses
import json
from itertools import combinations
from typing import Any

import pytest

from coral_batch.corpus.split.overlap import similarity
from coral_batch.lake import params
from coral_batch.linteval.items.build import DEFAULT_FLAKE8
from coral_batch.linteval.items.snippets import read_snippets
from coral_batch.records.items import Candidate
from coral_batch.records.verdict import Program
from coral_batch.verdicts.pool import judge
from tests import REPOSITORY

EXERCISES = REPOSITORY / "lake/raw/exercises"
PROGRAMS = {exercise.source: exercise for exercise in read_snippets(EXERCISES)}
OTHERS = {
    file.stem: file.read_text(encoding="utf-8")
    for corpus in ("classics", "snippets")
    for file in (REPOSITORY / "lake/raw" / corpus / "correct_python_programs").glob("*.py")
}

every_program = pytest.mark.parametrize(
    "exercise", [PROGRAMS[name] for name in sorted(PROGRAMS)], ids=sorted(PROGRAMS)
)


def function(exercise: Candidate) -> Any:
    """Return the function of an exercise."""
    space: dict[str, Any] = {}
    exec(compile(exercise.code, exercise.source, "exec"), space)
    return space[exercise.source]


def test_there_are_seventy_two_and_each_has_its_cases() -> None:
    assert len(PROGRAMS) == 72
    files = {file.stem for file in (EXERCISES / "json_testcases").iterdir()}
    assert files == PROGRAMS.keys()


@every_program
def test_a_program_is_small_and_clean_and_says_what_it_does(exercise: Candidate) -> None:
    assert 8 <= len(exercise.code.splitlines()) <= 30
    assert DEFAULT_FLAKE8(exercise.code) == []
    docstring = function(exercise).__doc__
    assert docstring is not None
    assert docstring.rstrip().endswith(".")


@every_program
def test_cases_are_eight_to_twelve_and_distinct(exercise: Candidate) -> None:
    inputs = {json.dumps(case.inputs) for case in exercise.cases}
    assert len(inputs) == len(exercise.cases)
    assert 8 <= len(inputs) <= 12


@every_program
def test_results_are_json_values_as_they_are_and_arguments_stay(exercise: Candidate) -> None:
    run = function(exercise)
    for case in exercise.cases:
        inputs = copy.deepcopy(case.inputs)
        result = run(*inputs)
        assert json.loads(json.dumps(result)) == result  # a tuple or an odd key would change
        assert json.dumps(result) == json.dumps(case.expected)
        assert inputs == case.inputs


def test_every_program_passes_its_cases_in_the_jail() -> None:
    programs = [
        Program(name, name, exercise.code, exercise.cases, None, {})
        for name, exercise in PROGRAMS.items()
    ]
    settings = params.load(REPOSITORY / "params.yaml").verdicts
    # Which layers of isolation there are is the jail's own promise; the exercises need none.
    settings = dataclasses.replace(settings, require=())
    for program, verdicts in zip(programs, judge(programs, settings, workers=1), strict=True):
        wrong = [verdict for verdict in verdicts if verdict.kind != "PASS"]
        assert not wrong, f"{program.id}: {wrong[0]}"


@pytest.mark.slow
def test_no_exercise_is_among_the_classics_or_the_snippets() -> None:
    assert not PROGRAMS.keys() & OTHERS.keys()
    alike = [
        (name, other)
        for name, exercise in PROGRAMS.items()
        for other, code in OTHERS.items()
        if similarity(exercise.code, code) >= 0.8
    ]
    assert alike == []


@pytest.mark.slow
def test_no_two_exercises_are_alike() -> None:
    alike = [
        (one.source, other.source)
        for one, other in combinations(PROGRAMS.values(), 2)
        if similarity(one.code, other.code) >= 0.8
    ]
    assert alike == []
