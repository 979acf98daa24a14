"""What bundled exercises, practice programs and drills promise: small, clean, cases."""

import copy
import dataclasses
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest

from coral_batch.corpus.injection.counting import counted
from coral_batch.corpus.sources.rows import make_problem
from coral_batch.corpus.split.overlap import measure_overlaps
from coral_batch.lake import params
from coral_batch.linteval.items.examples import complaints
from coral_batch.linteval.items.sources import read_snippets
from coral_batch.records.items import Candidate
from coral_batch.records.verdict import Program
from coral_batch.verdicts.pool import judge
from tests import REPOSITORY
from tests.rows import role_row

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
    "unseen": Promise(128, range(8, 31), range(8, 13), 5_000),
}
PROGRAMS = {name: {one.source: one for one in read_snippets(RAW / name)[0]} for name in PROMISES}
CODES = {
    corpus: {
        file.stem: file.read_text(encoding="utf-8")
        for file in (RAW / corpus / "correct_python_programs").glob("*.py")
    }
    for corpus in ("classics", "snippets", *PROMISES)
}

every_corpus = pytest.mark.parametrize("corpus", list(PROMISES))
EVERY_PROGRAM = [(PROMISES[corpus], one) for corpus, of in PROGRAMS.items() for one in of.values()]


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


def test_a_program_is_small_and_clean_and_says_what_it_does() -> None:
    assert not any(complaints([program.code for _, program in EVERY_PROGRAM]))
    for promise, program in EVERY_PROGRAM:
        assert len(program.code.splitlines()) in promise.lines, program.source
        docstring = function(program).__doc__
        assert docstring is not None, program.source
        assert docstring.rstrip().endswith("."), program.source


def test_cases_are_as_many_as_promised_and_distinct() -> None:
    for promise, program in EVERY_PROGRAM:
        inputs = {json.dumps(case.inputs) for case in program.cases}
        assert len(inputs) == len(program.cases), program.source
        assert len(inputs) in promise.cases, program.source


def test_results_are_json_values_as_they_are_and_arguments_stay() -> None:
    for _, program in EVERY_PROGRAM:
        run = function(program)
        for case in program.cases:
            inputs = copy.deepcopy(case.inputs)
            result = run(*inputs)
            assert json.loads(json.dumps(result)) == result  # a tuple or an odd key would change
            assert json.dumps(result) == json.dumps(case.expected), program.source
            assert inputs == case.inputs, program.source


@every_corpus
def test_every_program_passes_its_cases_within_the_promised_lines(corpus: str) -> None:
    lines = PROMISES[corpus].run  # of a case; all together run no more
    programs = [
        Program(name, counted(one.code, lines), one.cases, None, {})
        for name, one in PROGRAMS[corpus].items()
    ]
    settings = params.load(REPOSITORY / "params.yaml").verdicts
    # Which layers of isolation there are is the jail's own promise; these programs need none.
    settings = dataclasses.replace(settings, require=())
    for program, verdicts in zip(programs, judge(programs, settings, workers=1), strict=True):
        wrong = [verdict for verdict in verdicts if verdict.kind != "PASS"]
        assert not wrong, f"{program.function}: {wrong[0]}"


@pytest.mark.long
@every_corpus
def test_no_program_is_like_another_of_its_corpus_or_of_one_before(corpus: str) -> None:
    own = CODES[corpus]
    for others in list(CODES.values())[: list(CODES).index(corpus)]:
        assert not own.keys() & others.keys()
        assert pairs_alike(others, own) == []
    for bit in range(len(own).bit_length()):  # any two are in different halves for some bit
        halves: tuple[dict[str, str], dict[str, str]] = ({}, {})
        for place, (name, code) in enumerate(own.items()):
            halves[place >> bit & 1][name] = code
        assert pairs_alike(*halves) == []


def pairs_alike(codes: Mapping[str, str], others: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return pairs of one program of each that are alike, for each program the likest at least."""
    made = {name: make_problem(name, name, code) for name, code in {**codes, **others}.items()}
    manifest = [
        role_row(one, "test" if name in codes else "training") for name, one in made.items()
    ]
    rows = measure_overlaps(list(made.values()), manifest)
    return [(row.evaluation, row.other) for row in rows if row.similarity >= 0.8]
