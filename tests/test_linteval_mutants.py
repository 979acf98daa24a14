"""The lint errors that are put into clean programs: each appears, and changes no result."""

from __future__ import annotations

import ast
import json

import pytest

from coral_batch.linteval.items.complaints import complaints
from coral_batch.linteval.items.mutants import FAULTS, Fault, mutants, put_in
from coral_batch.linteval.items.view import View
from coral_batch.records.items import Candidate
from coral_batch.records.verdict import Program
from coral_batch.seeding import generator
from tests import REPOSITORY
from tests.linteval_sources import SNIPPETS, in_jail

CLASSICS = REPOSITORY / "lake/raw/classics/correct_python_programs"


def places(fault: Fault, most: int) -> list[tuple[Candidate, str]]:
    """Return programs with the fault put in: up to `most`, each of another snippet."""
    found = []
    for program in SNIPPETS:
        stream = generator(1, "test", program.source, fault.code)
        mutant = put_in(fault, program.code, stream)
        if mutant is not None and len(found) < most:
            found.append((program, mutant))
    return found


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.code)
def test_every_kind_of_lint_error_appears_where_it_is_put_in(fault: Fault) -> None:
    mutated = places(fault, 8)
    assert mutated
    found = complaints([mutant for _, mutant in mutated])
    for (program, mutant), findings in zip(mutated, found, strict=True):
        codes = {finding.code for finding in findings}
        assert fault.code in codes, f"{program.source}\n{mutant}"
        assert not codes & {"E999", "E902", "F821"}
        if fault.layout:
            assert ast.dump(ast.parse(mutant)) == ast.dump(ast.parse(program.code))


def test_every_kind_of_lint_error_keeps_what_the_program_does() -> None:
    programs = [
        Program(
            f"{fault.code} {program.source}",
            program.function or "",
            mutant,
            program.cases,
            None,
            {},
        )
        for fault in FAULTS
        for program, mutant in places(fault, 3 if fault.layout else 8)
    ]
    for program, verdicts in zip(programs, in_jail(programs, workers=2), strict=True):
        wrong = [verdict for verdict in verdicts if verdict.kind != "PASS"]
        assert not wrong, f"{program.id}: {wrong[0]}\n{program.code}"


def test_the_snippets_are_small_clean_and_none_of_the_training_problems() -> None:
    assert len(SNIPPETS) == 60
    assert not any(complaints([snippet.code for snippet in SNIPPETS]))
    for snippet in SNIPPETS:
        assert 4 <= len(snippet.code.splitlines()) <= 25, snippet.source
        assert len(snippet.cases) >= 4
    assert not {snippet.source for snippet in SNIPPETS} & {file.stem for file in CLASSICS.iterdir()}


def test_the_view_of_a_program_counts_characters() -> None:
    view = View('word = "größe"; size = len(word)  # ☃\nlast = size\n')
    assert [view.text(node) for node in view.tree.body] == [
        'word = "größe"',
        "size = len(word)",
        "last = size",
    ]


def test_the_least_program_has_as_many_versions_as_can_be_asked_for() -> None:
    schema = json.loads((REPOSITORY / "schemas/params.schema.json").read_text())
    most = schema["properties"]["examples"]["properties"]["lint"]["maximum"]
    codes = [version.code for version in mutants([Candidate("least", "pass\n")], most, 1)]
    assert len({"pass\n", *codes}) == most + 1
