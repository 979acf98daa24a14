"""Training examples with lint errors, to be mended or to be left, which nobody is measured on."""

from __future__ import annotations

import ast
from difflib import ndiff

from coral_batch.corpus.code.edits import apply
from coral_batch.corpus.sources.rows import make_problem
from coral_batch.linteval.answers.extraction import code_of
from coral_batch.linteval.items import statements
from coral_batch.linteval.items.examples import (
    clean_problems,
    complaints,
    in_unclean_programs,
    make_lint_examples,
)
from coral_batch.linteval.items.item import feedback, instructions
from coral_batch.linteval.items.view import View
from coral_batch.models.prompts.examples import make_examples
from coral_batch.models.prompts.prompt import FENCE
from coral_batch.records.problem import Bug, Problem
from tests.linteval_sources import SNIPPETS
from tests.tiny import make_tiny_completion_tokenizer, make_tiny_tokenizer

TOKENIZER = make_tiny_tokenizer()
CODE = {one.source: one.code for one in SNIPPETS[:6]}
EVERY = {one.source: one.code for one in SNIPPETS[::3]}


def _problems(programs: dict[str, str] = CODE) -> list[Problem]:
    return [make_problem(name, name, code) for name, code in programs.items()]


def test_each_shows_a_programs_lint_errors_and_answers_with_the_clean_program() -> None:
    rows = make_lint_examples(_problems(), 2, TOKENIZER, 1, workers=1)
    assert [row.id for row in rows] == [f"{name}/lint-{n}" for name in sorted(CODE) for n in (1, 2)]
    for row, findings in zip(rows, complaints([row.input for row in rows]), strict=True):
        assert findings
        assert row.input in row.prompt
        assert feedback(findings) in row.prompt
        assert row.lint
        answer = row.answer.removesuffix(TOKENIZER.eos_token)
        assert code_of(answer) == f"\n{CODE[row.problem]}"
    assert not any(complaints([f"{row.output}\n" for row in rows]))
    assert [row.instruction for row in rows] == [instructions("en")[n % 10] for n in range(12)]


def test_lint_errors_are_only_put_where_the_program_stays_what_it_was() -> None:
    def texts(program: str) -> list[str]:
        codes = {"E721": statements.compared_types, "E731": statements.lambda_assignment}
        view = View(program)
        return [apply(program, site) for make in codes.values() for site in make(view)]

    assert texts("def f(x):\n    return isinstance(x, str)\n") == [
        "def f(x):\n    return type(x) == str\n",
        "def f(x):\n    answer = lambda: isinstance(x, str)\n    return answer()\n",
    ]
    assert texts("def f(*x):\n    print(isinstance(*x))\n    return x, 1\n") == []


def test_a_reference_with_lint_errors_of_its_own_is_no_answer() -> None:
    unclean = make_problem("unclean", "unclean", "def unclean(n):\n    return n+ 1\n")
    clean = clean_problems([*reversed(_problems()), unclean], workers=1)
    assert [problem.name for problem in clean] == sorted(CODE)
    assert make_lint_examples([], 1, TOKENIZER, 1, workers=1) == []


def test_a_completion_model_goes_on_in_the_fence_that_is_opened_for_it() -> None:
    llama = make_tiny_completion_tokenizer()
    for row in make_lint_examples(_problems(), 1, llama, 1, workers=1):
        assert row.prompt.endswith(FENCE)
        assert row.answer == CODE[row.problem] + "```" + llama.eos_token
        ast.parse(row.output)


def _bugs(programs: dict[str, str] = CODE) -> list[Bug]:
    """Return three bugs of each program; two change a line, one puts a line in."""
    return [
        Bug(f"{name}-{number}", name, "kind", 1, code, _with_bug(code, number), "F", 1.0)
        for name, code in programs.items()
        for number in (1, 2, 3)
    ]


def _with_bug(code: str, number: int) -> str:
    before, found, after = code.partition("return ")
    assert found
    indentation = before.rpartition("\n")[2]
    put_in = f"pass\n{indentation}return " if number == 3 else "return " + "not " * number
    return before + put_in + after


def _changed(one: str, other: str) -> list[str]:
    """Return the lines that only one of two programs has."""
    return [line for line in ndiff(one.split("\n"), other.split("\n")) if line[0] in "-+"]


def test_a_bug_in_a_program_with_lint_errors_differs_from_its_repair_by_the_bug_alone() -> None:
    bugs = _bugs(EVERY)
    spoiled = in_unclean_programs(bugs, _problems(EVERY), 3, 3, 1)
    with_repair = complaints([bug.reference for bug in spoiled])
    with_bug = complaints([bug.buggy for bug in spoiled])
    for found in zip(with_repair, with_bug, strict=True):
        assert found[0]
        assert {finding.code for finding in found[0]} == {finding.code for finding in found[1]}
    for before, after in zip(bugs, spoiled, strict=True):
        assert (after.id, after.problem) == (before.id, before.problem)
        assert ast.dump(ast.parse(after.buggy)) == ast.dump(ast.parse(before.buggy))
        lines = [_changed(bug.buggy, bug.reference) for bug in (before, after)]
        assert len(lines[0]) == len(lines[1])
        more = [len(bug.buggy) - len(bug.reference) for bug in (before, after)]
        assert more[0] == more[1]
    texts = [bug.reference for bug in spoiled]
    assert len(set(texts)) == len(texts)


def test_the_last_bugs_that_are_shown_get_lint_errors() -> None:
    spoiled = in_unclean_programs(_bugs(), _problems(), 2, 1, 1)
    changed = [bug.id for bug, now in zip(_bugs(), spoiled, strict=True) if bug != now]
    assert changed == [f"{name}-2" for name in CODE]
    assert in_unclean_programs(_bugs(), _problems(), 2, 0, 1) == _bugs()


def test_an_example_of_such_a_bug_answers_with_the_lint_errors_that_were_there() -> None:
    spoiled = in_unclean_programs(_bugs(), _problems(), 3, 1, 1)
    rows = make_examples(_problems(), spoiled, 3, TOKENIZER, docstring=True)
    found = complaints([f"{row.output}\n" for row in rows])
    unclean = {row.id for row, findings in zip(rows, found, strict=True) if findings}
    assert unclean == {f"{name}/2" for name in CODE}
    by_id = {bug.id: bug for bug in spoiled}
    for row in rows:
        assert row.bug is not None
        bug = by_id[row.bug]
        assert row.output == bug.reference.strip("\n")
        assert bug.buggy.strip("\n") in row.input
