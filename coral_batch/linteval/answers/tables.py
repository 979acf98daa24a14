"""The answers of one model to CodeLinterEval's items, each item being one entry of the store.

They are drawn as the benchmark draws them: the item's text is the user's message, and the model
writes its turn as it likes, until it ends it. No fence is opened for it, unlike for repairs. Only a
completion model, which has no turn to end, gets one (see `coral_batch.models.prompts.prompt`).

Where answers have to change the code, each goes on inside an opened fence, from the item's code
with one change on (see `coral_batch.models.decoding.changes`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from coral_batch.linteval.answers.extraction import code_of
from coral_batch.linteval.items.item import fill
from coral_batch.models.base.checkpoint import load_tokenizer
from coral_batch.models.decoding.answer import Drawn
from coral_batch.models.decoding.changes import Original
from coral_batch.models.decoding.drawing import drawing_of, work_of
from coral_batch.models.prompts.prompt import chat_prompt, free_prompt
from coral_batch.records.configuration import knobs_at
from coral_batch.records.items import Item
from coral_batch.records.rows import DurationRow, LintSampleRow, SubjectRow
from coral_batch.records.settings import Params


def answer(
    subject: SubjectRow,
    items: Sequence[Item],
    base: Path,
    settings: Params,
    draw: Callable[..., tuple[list[Drawn], list[DurationRow]]],
) -> tuple[list[LintSampleRow], list[DurationRow]]:
    """Draw `settings.linteval.samples` answers to every item.

    Args:
        subject: the base model or a genome; its own knobs are not used, but `settings.linteval`'s.
        items: what to answer.
        base: folder of the base model.
        settings: linteval, candidates (the greatest rank) and seed of the run.
        draw: `coral_batch.models.decoding.drawing.draw` with its store.

    Returns:
        Rows by item and sample, and how long each item took.

    Raises:
        CoralError: as in `drawing.draw`.
    """
    tokenizer = load_tokenizer(base)
    lint = settings.linteval
    knobs = knobs_at(lint.temperature)
    required = lint.change == "required"
    prompt = chat_prompt if required else free_prompt
    by_name = {str(item.meta.id): item for item in items}
    prompts = {
        name: prompt(tokenizer, fill(item.instruction, item.inputs))
        for name, item in by_name.items()
    }
    works = []
    for name, item in by_name.items():
        code, originals = item.inputs.code, {}
        # Code without a final newline is changed by the fence that closes behind it.
        if required and code.endswith("\n"):
            originals[name] = Original(code.removesuffix("\n"), layout=True)
        works.append(work_of(name, subject, knobs, {name: prompts[name]}, originals))
    drawing = drawing_of(lint.samples, lint.max_new_tokens, settings)
    answers, durations = draw(works, drawing, base, "items")
    rows = [
        LintSampleRow(
            item=int(drawn.problem),
            sample=drawn.index,
            genome=subject.genome,
            adapter=subject.key,
            seed=drawn.seed,
            knobs=knobs,
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
