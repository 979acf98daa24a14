"""Draw one model's answers to CodeLinterEval's items; each item is one entry of the store.

Answers are drawn as in the benchmark: the item's text is the user's message, and the model writes
until it ends its turn. Unlike for repairs, the prompt opens no fence. Only a completion model,
which has no turns, gets one (see `coral_batch.models.prompts.prompt`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from coral_batch.linteval.answers.extraction import code_of
from coral_batch.linteval.items.item import fill
from coral_batch.models.base.checkpoint import load_tokenizer
from coral_batch.models.decoding import drawing
from coral_batch.models.prompts.prompt import free_prompt
from coral_batch.records.configuration import knobs_at
from coral_batch.records.items import Item
from coral_batch.records.rows import DurationRow, LintSampleRow, SubjectRow
from coral_batch.records.settings import Params


def answer(
    subject: SubjectRow,
    items: Sequence[Item],
    base: Path,
    settings: Params,
) -> tuple[list[LintSampleRow], list[DurationRow]]:
    """Draw `settings.linteval.samples` answers to every item.

    Args:
        subject: the base model or a genome; `settings.linteval` replaces its knobs.
        items: what to answer.
        base: folder of the base model.
        settings: linteval, candidates (the greatest rank) and seed of the run.

    Returns:
        Rows by item and sample, and how long each item took.

    Raises:
        CoralError: as in `drawing.draw`.
    """
    tokenizer = load_tokenizer(base)
    lint = settings.linteval
    subject = replace(subject, knobs=knobs_at(lint.temperature))
    prompts = {
        str(item.meta.id): free_prompt(tokenizer, fill(item.instruction, item.inputs))
        for item in items
    }
    works = [drawing.work_of(name, subject, {name: text}) for name, text in prompts.items()]
    how = drawing.drawing_of(lint.samples, lint.max_new_tokens, settings)
    answers, durations = drawing.draw(works, how, base, "items")
    rows = [
        LintSampleRow(
            item=int(drawn.problem),
            sample=drawn.index,
            genome=subject.genome,
            adapter=subject.key,
            knobs=subject.knobs,
            prompt=prompts[drawn.problem],
            raw=drawn.text,
            code=code_of(drawn.text, lint.stop),
            prompt_tokens=drawn.prompt_tokens,
            new_tokens=drawn.tokens,
            finish=drawn.finish,
        )
        for of_item in answers
        for drawn in of_item.samples
    ]
    return rows, durations
