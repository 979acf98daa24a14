"""A training example."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Example:
    """One row of training data.

    Attributes:
        id: ``PROBLEM/VARIANT``.
        problem: the problem's name.
        variant: its number among those of the problem, from 0.
        bug: id of the injected bug that is shown; None for the problem's own.
        instruction: the instruction, with the problem's name filled in.
        input: the buggy program as the model sees it.
        output: the reference program, without a final newline.
        prompt: what the model continues: the chat up to and including the opening fence. No loss
            is taken on it.
        answer: what it is trained to write: the code, the closing fence, the end of its turn or, of
            a completion model, of the text.
    """

    id: str
    problem: str
    variant: int
    bug: str | None
    instruction: str
    input: str
    output: str
    prompt: str
    answer: str
