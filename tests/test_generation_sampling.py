"""Sampling means what transformers' processors mean, and a row depends on itself alone."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from coral_batch.errors import CoralError
from coral_batch.models.decoding.sampling import next_tokens
from coral_batch.records.configuration import Knobs
from tests.answers import transformers_probabilities


def our_frequencies(logits: torch.Tensor, knobs: Knobs, seen: list[int], draws: int) -> np.ndarray:
    """How often each token comes out for evenly spaced uniform numbers: exact to 1 / draws."""
    uniforms = (np.arange(draws) + 0.5) / draws
    rows = logits[None].repeat(draws, 1)
    tokens, _ = next_tokens(rows, [knobs] * draws, [seen] * draws, uniforms.tolist())
    return np.bincount(tokens, minlength=len(logits)) / draws


KNOBS = st.builds(
    Knobs,
    temperature=st.sampled_from([0.2, 0.7, 1.0, 2.0]),
    top_p=st.sampled_from([0.3, 0.9, 0.95, 1.0]),
    top_k=st.integers(1, 60),
    repetition_penalty=st.sampled_from([1.0, 1.05, 1.5]),
)


def test_logits_that_are_not_finite_are_refused():
    logits = torch.zeros(2, 20_000)
    logits[1, 7] = float("nan")
    with pytest.raises(CoralError, match="outputs are not finite"):
        next_tokens(logits, [Knobs(0.6, 1.0, 50, 1.0)] * 2, [[], []], [0.5, 0.5])


@settings(max_examples=50)
@given(KNOBS, st.integers(0, 2**32 - 1), st.sampled_from([40, 3000, 20_000]), st.booleans())
def test_the_distribution_is_that_of_transformers(knobs, seed, vocabulary, rounded):
    torch.manual_seed(seed)
    logits = torch.randn(vocabulary) * 3
    if rounded:
        logits = logits.bfloat16()
    seen = [*range(0, vocabulary, 7), int(logits.argmax())]
    draws = 200
    expected = transformers_probabilities(logits, knobs, seen).numpy()
    found = our_frequencies(logits, knobs, list(dict.fromkeys(seen)), draws)
    if rounded:  # bf16 logits tie often, and which of two equal ones top-p keeps is arbitrary
        expected, found = np.sort(expected), np.sort(found)
    assert np.abs(found - expected).max() < 1.5 / draws


@pytest.mark.parametrize("value", [0.0, -3.5])
def test_equal_logits_are_all_kept(value):
    logits = torch.full((300,), value)
    found = our_frequencies(logits, Knobs(1.0, 1.0, 5, 1.0), [], 3000)
    assert np.allclose(found, 1 / 300, atol=1 / 3000)
