"""What bundled exercises, practice programs and drills promise: small, clean, cases."""

from __future__ import annotations

import copy
import dataclasses
import json
import sys
from collections.abc import Mapping
from itertools import combinations
from types import FrameType
from typing import Any, NamedTuple

import pytest

from coral_batch.corpus.split.overlap import measure_overlaps, similarity
from coral_batch.lake import params
from coral_batch.linteval.items.complaints import complaints
from coral_batch.linteval.items.snippets import read_snippets
from coral_batch.records.items import Candidate
from coral_batch.records.problem import Problem
from coral_batch.records.verdict import Program
from coral_batch.verdicts.pool import judge
from tests import REPOSITORY

RAW = REPOSITORY / "lake/raw"


class Promise(NamedTuple):
    """What the README of a corpus says: programs; lines, cases, lines run for a case of each."""

    programs: int
    lines: range
    cases: range
    run: int


PROMISES = {
    "exercises": Promise(72, range(8, 31), range(8, 13), 20_000),
    "practice": Promise(128, range(6, 21), range(6, 11), 5_000),
    "drills": Promise(128, range(6, 21), range(6, 11), 5_000),
}
PROGRAMS = {name: {one.source: one for one in read_snippets(RAW / name)} for name in PROMISES}
CODES = {
    corpus: {
        file.stem: file.read_text(encoding="utf-8")
        for file in (RAW / corpus / "correct_python_programs").glob("*.py")
    }
    for corpus in ("classics", "snippets", *PROMISES)
}

every_corpus = pytest.mark.parametrize("corpus", list(PROMISES))
every_program = pytest.mark.parametrize(
    ("corpus", "name"), [(corpus, name) for corpus in PROMISES for name in sorted(PROGRAMS[corpus])]
)


def function(program: Candidate) -> Any:
    """Return the function of a program."""
    space: dict[str, Any] = {}
    exec(compile(program.code, program.source, "exec"), space)
    return space[program.source]


@every_corpus
def test_there_are_as_many_as_promised_and_each_has_its_cases(corpus: str) -> None:
    assert len(PROGRAMS[corpus]) == PROMISES[corpus].programs
    files = {file.stem for file in (RAW / corpus / "json_testcases").iterdir()}
    assert files == PROGRAMS[corpus].keys() == CODES[corpus].keys()


@every_corpus
def test_flake8_finds_nothing_in_the_programs(corpus: str) -> None:
    codes = [program.code for program in PROGRAMS[corpus].values()]
    assert not any(complaints(codes))


@every_program
def test_a_program_is_small_and_says_what_it_does(corpus: str, name: str) -> None:
    program = PROGRAMS[corpus][name]
    assert len(program.code.splitlines()) in PROMISES[corpus].lines
    docstring = function(program).__doc__
    assert docstring is not None
    assert docstring.rstrip().endswith(".")


@every_program
def test_cases_are_as_many_as_promised_and_distinct(corpus: str, name: str) -> None:
    program = PROGRAMS[corpus][name]
    inputs = {json.dumps(case.inputs) for case in program.cases}
    assert len(inputs) == len(program.cases)
    assert len(inputs) in PROMISES[corpus].cases


@every_program
def test_results_are_json_values_as_they_are_and_arguments_stay(corpus: str, name: str) -> None:
    program = PROGRAMS[corpus][name]
    run = function(program)
    for case in program.cases:
        inputs = copy.deepcopy(case.inputs)
        result = run(*inputs)
        assert json.loads(json.dumps(result)) == result  # a tuple or an odd key would change
        assert json.dumps(result) == json.dumps(case.expected)
        assert inputs == case.inputs


@every_program
def test_a_case_runs_fewer_lines_than_promised(corpus: str, name: str) -> None:
    program = PROGRAMS[corpus][name]
    run, lines = function(program), 0

    def count(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        return count if frame.f_code.co_filename == name else None

    before = sys.gettrace()
    for case in program.cases:
        lines, inputs = 0, copy.deepcopy(case.inputs)
        sys.settrace(count)
        try:
            run(*inputs)
        finally:
            sys.settrace(before)
        assert 0 < lines < PROMISES[corpus].run


@every_corpus
def test_every_program_passes_its_cases_in_the_jail(corpus: str) -> None:
    programs = [
        Program(name, name, one.code, one.cases, None, {}) for name, one in PROGRAMS[corpus].items()
    ]
    settings = params.load(REPOSITORY / "params.yaml").verdicts
    # Which layers of isolation there are is the jail's own promise; these programs need none.
    settings = dataclasses.replace(settings, require=())
    for program, verdicts in zip(programs, judge(programs, settings, workers=1), strict=True):
        wrong = [verdict for verdict in verdicts if verdict.kind != "PASS"]
        assert not wrong, f"{program.id}: {wrong[0]}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("corpus", "other"),
    [(one, other) for one, other in combinations(CODES, 2) if other in PROMISES],
)
def test_no_program_is_like_one_of_another_corpus(corpus: str, other: str) -> None:
    assert not CODES[corpus].keys() & CODES[other].keys()
    assert pairs_alike(CODES[corpus], CODES[other]) == []


@pytest.mark.slow
@every_corpus
def test_no_two_programs_of_a_corpus_are_alike(corpus: str) -> None:
    pairs = combinations(CODES[corpus].items(), 2)
    alike = [(one, two) for (one, a), (two, b) in pairs if similarity(a, b) >= 0.8]
    assert alike == []


def pairs_alike(codes: Mapping[str, str], others: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return pairs of one program of each that are alike, for each program the likest at least."""
    problems = [
        Problem(name, name, None, code, "", (), None, {}, "", "", role, "")
        for role, of_role in (("test", codes), ("training", others))
        for name, code in of_role.items()
    ]
    rows = measure_overlaps(problems)
    return [(row.evaluation, row.other) for row in rows if row.similarity >= 0.8]
