"""A training example."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Example:
    """One row of training data.

    Attributes:
        id: ``PROBLEM/VARIANT``, or ``PROBLEM/lint-NUMBER``.
        problem: the problem's name.
        variant: its number among those of the problem and task, from 0.
        bug: id of the injected bug that is shown; None for the problem's own; `id` where lint
            errors are.
        instruction: the instruction, with the problem's name filled in; of an example of lint
            errors with the placeholders of `coral_batch.records.items.PLACEHOLDERS`.
        input: the program to be corrected as the model sees it.
        output: the reference program, without a final newline; it has lint errors where a bug is
            shown among some.
        prompt: what the model continues: the chat up to and including the opening fence or, where
            lint errors are shown, up to the model's turn. No loss is taken on it.
        answer: what it is trained to write: the rest of its turn, which is the code in its fence,
            and the end of the turn or, of a completion model, of the text.
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
        """Whether lint errors are to be mended, and no bug."""
        return self.bug == self.id
