"""The lint errors that are put into clean programs: each appears where it is put."""

from __future__ import annotations

import ast
from itertools import islice

from coral_batch.linteval.items.examples import complaints
from coral_batch.linteval.items.mutants import FAULTS, Fault, put_in
from coral_batch.records.items import Candidate
from coral_batch.seeding import generator
from tests import REPOSITORY
from tests.linteval_sources import SNIPPETS

CLASSICS = REPOSITORY / "lake/raw/classics/correct_python_programs"


def places(fault: Fault, most: int) -> list[tuple[Candidate, str]]:
    """Return programs with the fault put in: up to `most`, each of another snippet."""
    streams = (generator(1, "test", program.source, fault.code) for program in SNIPPETS)
    mutants = (
        (program, mutant)
        for program, stream in zip(SNIPPETS, streams, strict=True)
        if (mutant := put_in(fault, program.code, stream)) is not None
    )
    return list(islice(mutants, most))


def test_every_kind_of_lint_error_appears_where_it_is_put_in() -> None:
    mutated = [(fault, *place) for fault in FAULTS for place in places(fault, 4)]
    assert {fault.code for fault, *_ in mutated} == {fault.code for fault in FAULTS}
    found = complaints([mutant for *_, mutant in mutated], 2)
    for (fault, program, mutant), findings in zip(mutated, found, strict=True):
        codes = {finding.code for finding in findings}
        assert fault.code in codes, f"{program.source}\n{mutant}"
        assert not codes & {"E999", "E902", "F821"}
        if fault.layout:
            assert ast.dump(ast.parse(mutant)) == ast.dump(ast.parse(program.code))


def test_the_snippets_are_small_clean_and_none_of_the_training_problems() -> None:
    assert len(SNIPPETS) == 60
    assert not any(complaints([snippet.code for snippet in SNIPPETS]))
    for snippet in SNIPPETS:
        assert 4 <= len(snippet.code.splitlines()) <= 25, snippet.source
        assert len(snippet.cases) >= 4
    assert not {snippet.source for snippet in SNIPPETS} & {file.stem for file in CLASSICS.iterdir()}
