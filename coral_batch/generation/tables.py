"""The repairs of a whole part of the lake, a genome's being one entry of the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from coral_batch.adapters.base import load_tokenizer
from coral_batch.corpus.problem import Problem
from coral_batch.generation.drawing import Drawing, Subject, Work, draw
from coral_batch.generation.engine import Sample
from coral_batch.generation.extraction import extract_code
from coral_batch.generation.prompt import chat_prompt, repair_prompt
from coral_batch.params import Params
from coral_batch.rows import DurationRow, SampleRow
from coral_batch.store import Store


def sample(
    subjects: Sequence[Subject],
    problems: Sequence[Problem],
    base: Path,
    settings: Params,
    store: Store,
) -> tuple[list[SampleRow], list[DurationRow]]:
    """Draw `settings.sampling.samples` repairs of every problem with every subject.

    Args:
        subjects: genomes, or the base model; those with equal adapter and knobs are drawn once.
        problems: what to repair.
        base: folder of the base model.
        settings: prompt, sampling, candidates (the greatest rank) and seed of the run.
        store: where samples are kept.

    Returns:
        Rows by subject, problem and index, and how long each subject took.

    Raises:
        CoralError: as in `drawing.draw`.
    """
    tokenizer = load_tokenizer(base)
    prompts = {
        problem.name: chat_prompt(tokenizer, repair_prompt(problem, settings.prompt.docstring))
        for problem in problems
    }
    works = [Work(one.genome, one.key, one.folder, one.knobs, prompts) for one in subjects]
    drawing = Drawing(
        settings.sampling.samples,
        settings.sampling.max_new_tokens,
        settings.seed,
        max(settings.candidates.r),
        settings.compute.threads,
    )
    answers, durations = draw(works, drawing, base, store, "genomes")
    rows = [
        _row(subject, one, prompts)
        for subject, drawn in zip(subjects, answers, strict=True)
        for one in drawn
    ]
    return rows, durations


def _row(subject: Subject, drawn: Sample, prompts: Mapping[str, str]) -> SampleRow:
    return SampleRow(
        genome=subject.genome,
        problem=drawn.problem,
        sample=drawn.index,
        seed=drawn.seed,
        knobs=subject.knobs,
        prompt=prompts[drawn.problem],
        raw=drawn.text,
        code=extract_code(drawn.text),
        prompt_tokens=drawn.prompt_tokens,
        new_tokens=drawn.tokens,
        finish=drawn.finish,
    )
