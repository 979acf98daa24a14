"""Training examples of lint errors: programs to be written clean, which nobody is measured on."""

from __future__ import annotations

import ast
from functools import cache

from coral_batch.corpus.sources.problems import make_problem
from coral_batch.linteval.answers.extraction import code_of
from coral_batch.linteval.items.build import DEFAULT_FLAKE8, feedback
from coral_batch.linteval.items.examples import make_lint_examples
from coral_batch.linteval.items.prompts import PROMPTS
from coral_batch.models.prompts.prompt import FENCE
from coral_batch.records.example import Example
from coral_batch.records.problem import Problem
from tests.linteval_sources import SNIPPETS
from tests.tiny import make_tiny_completion_tokenizer, make_tiny_tokenizer

TOKENIZER = make_tiny_tokenizer()
CODE = {one.source: one.code for one in SNIPPETS[:6]}


def _problems() -> list[Problem]:
    return [make_problem(name, name, code, "test") for name, code in CODE.items()]


@cache
def _made(each: int = 2, seed: int = 1) -> list[Example]:
    return make_lint_examples(_problems(), each, TOKENIZER, seed, workers=1)


def test_each_shows_a_programs_lint_errors_and_answers_with_the_clean_program() -> None:
    rows = _made()
    assert [row.id for row in rows] == [f"{name}/lint-{n}" for name in sorted(CODE) for n in (1, 2)]
    for row in rows:
        findings = DEFAULT_FLAKE8(row.input)
        assert findings
        assert row.input in row.prompt
        assert feedback(findings) in row.prompt
        assert row.lint
        answer = row.answer.removesuffix(TOKENIZER.eos_token)
        assert code_of(answer) == f"\n{CODE[row.problem]}"
        assert not DEFAULT_FLAKE8(code_of(answer))


def test_the_instructions_take_turns_and_are_none_of_the_default_run() -> None:
    used = [row.instruction for row in _made()]
    assert used == [PROMPTS["en"][n % 10] for n in range(12)]
    assert not set(used) & set(PROMPTS["ru"])


def test_a_reference_with_lint_errors_of_its_own_is_no_answer() -> None:
    unclean = make_problem("unclean", "unclean", "def unclean(n):\n    return n+ 1\n", "test")
    rows = make_lint_examples([*_problems(), unclean], 2, TOKENIZER, 1, workers=1)
    assert {row.problem for row in rows} == set(CODE)
    assert make_lint_examples([unclean], 1, TOKENIZER, 1, workers=1) == []


def test_none_are_made_where_none_are_asked_for() -> None:
    assert _made(0) == []


def test_the_seed_decides_which_errors() -> None:
    again = make_lint_examples(reversed(_problems()), 2, TOKENIZER, 1, workers=2)
    assert again == _made()
    others = {row.input for row in _made(seed=2)}
    assert len(others & {row.input for row in _made()}) < 3


def test_a_completion_model_goes_on_in_the_fence_that_is_opened_for_it() -> None:
    llama = make_tiny_completion_tokenizer()
    for row in make_lint_examples(_problems(), 1, llama, 1, workers=1):
        assert row.prompt.endswith(FENCE)
        assert row.answer == CODE[row.problem] + "```" + llama.eos_token
        ast.parse(row.output)
