"""What the training examples promise: the seed's four variants, asked as samples are asked."""

from __future__ import annotations

from dataclasses import replace

import pytest
from transformers import PreTrainedTokenizerBase

from coral_batch.corpus.split.roles import TEST, TRAINING
from coral_batch.errors import CoralError
from coral_batch.models.prompts.examples import INSTRUCTIONS, make_examples
from coral_batch.models.prompts.prompt import FENCE, chat_prompt, repair_prompt
from coral_batch.models.repairs.extraction import extract_code
from coral_batch.records.problem import Problem
from tests.tiny import make_tiny_completion_tokenizer, make_tiny_tokenizer

TOKENIZER = make_tiny_tokenizer()
LLAMA = make_tiny_completion_tokenizer()


def _problem(name: str) -> Problem:
    return Problem(
        name=name,
        buggy=f"def {name}(n):\n    return n - 1\n",
        reference=f"def {name}(n):\n    return n + 1\n",
        docstring="One more than n.",
        cases=(),
        tests=None,
        support={},
        origin="test",
        sha256="0" * 64,
    )


def test_every_training_problem_has_four_variants() -> None:
    examples = make_examples(map(_problem, TRAINING), TOKENIZER, docstring=True)
    assert len(examples) == 96
    assert len({example.id for example in examples}) == 96
    assert {example.problem for example in examples} == TRAINING
    assert [example.variant for example in examples[:4]] == [0, 1, 2, 3]
    assert examples[0].instruction == INSTRUCTIONS[0].format(name=examples[0].problem)
    assert examples == make_examples(map(_problem, sorted(TRAINING)), TOKENIZER, docstring=True)


@pytest.mark.parametrize("tokenizer", [TOKENIZER, LLAMA], ids=["chat", "completion"])
@pytest.mark.parametrize("docstring", [True, False])
def test_the_frame_is_the_one_that_samples_are_asked_with(
    docstring: bool, tokenizer: PreTrainedTokenizerBase
) -> None:
    problem = _problem("gcd")
    asked = chat_prompt(tokenizer, repair_prompt(problem, docstring))
    for example in make_examples([problem], tokenizer, docstring):
        start, frame = example.prompt.split(example.instruction)
        assert asked.startswith(start)
        assert asked.endswith(frame)
        assert (problem.docstring in frame) == docstring


@pytest.mark.parametrize("tokenizer", [TOKENIZER, LLAMA], ids=["chat", "completion"])
def test_the_answer_is_the_reference_in_a_closed_fence(tokenizer: PreTrainedTokenizerBase) -> None:
    problem = _problem("gcd")
    for example in make_examples([problem], tokenizer, docstring=True):
        assert example.prompt.endswith(FENCE)
        assert example.answer.endswith(f"\n```{tokenizer.eos_token}")
        assert extract_code(FENCE + example.answer) == problem.reference.strip()
        assert problem.reference not in example.prompt


@pytest.mark.parametrize("name", [*sorted(TEST), "breadth_first_search", "my_own"])
def test_nothing_but_training_problems_is_trained_on(name: str) -> None:
    with pytest.raises(CoralError, match=name):
        make_examples([_problem("gcd"), _problem(name)], TOKENIZER, docstring=True)


def test_buggy_and_reference_are_not_confused() -> None:
    problem = replace(_problem("gcd"), buggy="BUGGY\n", reference="FIXED\n")
    (example, *_) = make_examples([problem], TOKENIZER, docstring=False)
    assert (example.input, example.output) == ("BUGGY", "FIXED")
    assert "BUGGY" in example.prompt
    assert "FIXED" not in example.prompt
