"""The answers of one model to CodeLinterEval's items, each item being one entry of the store.

They are drawn as the benchmark publishes it: the item's text is the user's message, and the model
writes its turn as it likes, until it ends it. No fence is opened for it, unlike for repairs. Only a
completion model, which has no turn to end, gets one (see `coral_batch.generation.prompt`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from transformers import AutoTokenizer

from coral_batch.generation.drawing import Drawing, Subject, Work, draw
from coral_batch.generation.prompt import free_prompt
from coral_batch.linteval.answer import code_of
from coral_batch.linteval.item import Item, fill
from coral_batch.params import Params
from coral_batch.rows import DurationRow, LintSampleRow
from coral_batch.store import Store


def answer(
    subject: Subject, items: Sequence[Item], base: Path, settings: Params, store: Store
) -> tuple[list[LintSampleRow], list[DurationRow]]:
    """Draw `settings.linteval.samples` answers to every item.

    Args:
        subject: the base model or a genome, with the knobs to draw with.
        items: what to answer.
        base: folder of the base model.
        settings: linteval, candidates (the greatest rank) and seed of the run.
        store: where answers are kept.

    Returns:
        Rows by item and sample, and how long each item took.

    Raises:
        CoralError: as in `drawing.draw`.
    """
    tokenizer = AutoTokenizer.from_pretrained(base, local_files_only=True)
    prompts = {
        str(item.meta.id): free_prompt(tokenizer, fill(item.instruction, item.inputs))
        for item in items
    }
    works = [
        Work(name, subject.key, subject.folder, subject.knobs, {name: prompt})
        for name, prompt in prompts.items()
    ]
    drawing = Drawing(
        settings.linteval.samples,
        settings.linteval.max_new_tokens,
        settings.seed,
        max(settings.candidates.r),
        settings.compute.threads,
    )
    answers, durations = draw(works, drawing, base, store, "items")
    rows = [
        LintSampleRow(
            item=int(drawn.problem),
            sample=drawn.index,
            genome=subject.genome,
            adapter=subject.key,
            seed=drawn.seed,
            knobs=subject.knobs,
            prompt=prompts[drawn.problem],
            raw=drawn.text,
            code=code_of(drawn.text),
            prompt_tokens=drawn.prompt_tokens,
            new_tokens=drawn.tokens,
            finish=drawn.finish,
        )
        for of_item in answers
        for drawn in of_item
    ]
    return rows, durations
