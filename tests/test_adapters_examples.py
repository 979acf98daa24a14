"""What the training examples promise: the seed's four variants, asked as samples are asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import pytest
from transformers import PreTrainedTokenizerBase

from coral_batch.corpus.roles.coralx import TRAINING
from coral_batch.corpus.sources.rows import make_problem
from coral_batch.errors import CoralError
from coral_batch.models.prompts.examples import in_portions, make_examples, portion
from coral_batch.models.prompts.prompt import FENCE, chat_prompt, repair_prompt
from coral_batch.models.repairs.extraction import extract_code
from coral_batch.records.example import Example
from coral_batch.records.problem import Bug, Problem
from coral_batch.records.settings import Examples
from tests.one_bug import REFERENCE, bug_of
from tests.tiny import make_tiny_completion_tokenizer, make_tiny_tokenizer

TOKENIZER = make_tiny_tokenizer()
LLAMA = make_tiny_completion_tokenizer()
WORDINGS = (
    "Fix the bug in this Python function from {}:",
    "Debug and correct the following Python code for {}:",
    "The following function has a bug. Provide the corrected version:",
    "Analyze and fix the error in this {} implementation:",
)


def _problem(name: str) -> Problem:
    reference, buggy = REFERENCE.format(name=name), f"def {name}(n):\n    return n - 1\n"
    return make_problem(name, name, reference, buggy=buggy, docstring="One more than n.")


def _make(
    problems: Iterable[Problem], bugs: Sequence[Bug] = (), injected: int = 0
) -> list[Example]:
    return make_examples(problems, bugs, injected, TOKENIZER, docstring=True)


def test_coral_x_shows_every_problem_its_own_bug_in_four_variants() -> None:
    examples = _make(map(_problem, TRAINING), [bug_of(name, 1) for name in TRAINING])
    assert len({example.id for example in examples}) == len(examples) == 96
    assert {example.problem for example in examples} == TRAINING
    assert [example.variant for example in examples[:4]] == [0, 1, 2, 3]
    assert len({example.input for example in examples}) == 24
    assert {example.bug for example in examples} == {None}
    assert examples == _make(map(_problem, sorted(TRAINING)))


@pytest.mark.parametrize(
    ("own", "there", "injected", "shown"),
    [
        (True, 5, 2, [None, "gcd-1", "gcd-2"]),
        (True, 1, 3, [None, "gcd-1"]),
        (True, 0, 3, [None]),
        (False, 2, 3, ["gcd-1", "gcd-2"]),
    ],
)
def test_each_bug_of_a_program_is_shown_once(
    own: bool, there: int, injected: int, shown: list[str | None]
) -> None:
    bugs = [bug_of("gcd", number) for number in range(1, there + 1)]
    gcd = _problem("gcd") if own else replace(_problem("gcd"), buggy=None)
    examples = _make([gcd], [*bugs, bug_of("lis", 1)], injected)
    assert [example.bug for example in examples] == shown
    assert [example.variant for example in examples] == list(range(len(shown)))
    for example in examples:
        assert example.output == _problem("gcd").reference.strip()
        buggy = next((bug.buggy for bug in bugs if bug.id == example.bug), _problem("gcd").buggy)
        assert example.input.startswith(buggy.strip())


def test_instructions_take_turns_from_example_to_example() -> None:
    bugs = [bug_of("gcd", 1), bug_of("lis", 1), bug_of("lis", 2)]
    examples = _make([_problem("gcd"), _problem("lis")], bugs, 2)
    assert [example.id for example in examples] == ["gcd/0", "gcd/1", "lis/0", "lis/1", "lis/2"]
    for number, example in enumerate(examples):
        wording = WORDINGS[number % 4].format(example.problem)
        assert example.instruction == wording


@pytest.mark.parametrize("bugs", [[], [bug_of("gcd", 1)]])
def test_no_bug_to_train_on_is_told_with_the_setting_that_brings_some(bugs: list[Bug]) -> None:
    clean = replace(_problem("gcd"), buggy=None)
    assert {one.problem for one in _make([clean, _problem("lis")], bugs)} == {"lis"}
    with pytest.raises(CoralError, match=r"nothing to train on[\s\S]*examples\.bugs"):
        _make([clean], bugs)


@pytest.mark.parametrize("tokenizer", [TOKENIZER, LLAMA], ids=["chat", "completion"])
@pytest.mark.parametrize("docstring", [True, False])
def test_the_frame_is_that_of_samples_and_the_answer_the_reference_in_a_closed_fence(
    docstring: bool, tokenizer: PreTrainedTokenizerBase
) -> None:
    gcd = _problem("gcd")
    asked = chat_prompt(tokenizer, repair_prompt(gcd, docstring))
    for example in make_examples([gcd], [], 0, tokenizer, docstring):
        start, frame = example.prompt.split(example.instruction)
        assert asked.startswith(start)
        assert asked.endswith(frame)
        assert (gcd.docstring in frame) == docstring
        assert example.prompt.endswith(FENCE)
        assert example.answer.endswith(f"\n```{tokenizer.eos_token}")
        assert extract_code(FENCE + example.answer) == gcd.reference.strip()
        assert gcd.reference not in example.prompt


@pytest.mark.parametrize(("generations", "most"), [(1, 4), (2, 2), (3, 1)])
def test_fewer_portions_than_generations_are_refused(generations: int, most: int) -> None:
    examples = _make([_problem("gcd")])
    dealt = in_portions(examples, Examples(0, 0, most), generations, seed=1)
    assert sorted(dealt, key=str) == examples
    words = rf"examples.portion\n  found:    {most + 1}\n  expected: at most {most}:"
    with pytest.raises(CoralError, match=words):
        in_portions(examples, Examples(0, 0, most + 1), generations, seed=1)


def test_a_portion_of_more_examples_than_there_are_is_refused() -> None:
    with pytest.raises(CoralError, match=r"found:    5\n  expected: at most 4:"):
        portion(_make([_problem("gcd")]), Examples(0, 0, 5), 0)
