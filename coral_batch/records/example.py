"""A training example."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Example:
    """One row of training data.

    Attributes:
        id: ``PROBLEM/VARIANT``, or ``PROBLEM/lint-NUMBER``.
        problem: the problem's name.
        variant: its number among the examples of the problem and task, from 0.
        bug: id of the injected bug; None for the problem's own bug; `id` for lint errors.
        instruction: the instruction, with the problem's name filled in; for lint errors with the
            placeholders of `coral_batch.records.items.PLACEHOLDERS`.
        input: the program to be corrected as the model sees it.
        output: the reference program, without a final newline; with lint errors if the bug is shown
            among lint errors.
        prompt: the text that the model continues: the chat up to and including the opening fence
            or, for lint errors, up to the model's turn. The loss leaves it out.
        answer: the text that the model learns to write: the rest of its turn, which is the code in
            its fence, and the end of the turn or, for a completion model, of the text.
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

    @property
    def lint(self) -> bool:
        """Whether the task is to fix lint errors, not a bug."""
        return self.bug == self.id
