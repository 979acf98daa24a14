"""The repairs of a part of the lake; each genome's are one entry of the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from coral_batch.models.base.checkpoint import load_tokenizer
from coral_batch.models.decoding import drawing
from coral_batch.models.decoding.answer import Sample
from coral_batch.models.decoding.changes import CLOSING, ROOM, Original, copy_of
from coral_batch.models.prompts.prompt import FENCE, buggy_program, chat_prompt, repair_prompt
from coral_batch.models.repairs.extraction import extract_code
from coral_batch.records.configuration import Knobs
from coral_batch.records.problem import Problem
from coral_batch.records.rows import FLOORS, DurationRow, FirstChangeRow, SampleRow, SubjectRow
from coral_batch.records.settings import Params


def sample(
    subjects: Sequence[SubjectRow],
    problems: Sequence[Problem],
    read: Sequence[Problem],
    samples: int,
    base: Path,
    settings: Params,
) -> tuple[list[SampleRow], list[FirstChangeRow], list[DurationRow]]:
    """Sample repairs of every problem with every subject.

    Args:
        subjects: genomes, or the base model; those with equal adapter and knobs are sampled once.
        problems: the problems to repair.
        read: problems that are only prefilled, if repairs must change the program.
        samples: repairs per problem.
        base: folder of the base model.
        settings: prompt, sampling (token limit, whether repairs must change the program, number of
            candidates), maximum rank and seed of the run.

    Returns:
        Rows by subject, problem and index; each subject's first look at each problem, if repairs
        must change the program; and each subject's duration.

    Raises:
        CoralError: as in `drawing.draw`.
    """
    required = settings.sampling.change == "required"
    read = read if required else ()
    shown = [*problems, *read]
    prompts = _prompts(shown, load_tokenizer(base), settings)
    originals = {problem.name: _original(problem) for problem in shown if required}
    looked_at = [problem.name for problem in read]
    works = [drawing.work_of(one.genome, one, prompts, originals, looked_at) for one in subjects]
    how = drawing.drawing_of(samples, settings.sampling.max_new_tokens, settings)
    answers, durations = drawing.draw(works, how, base, "genomes")
    rows = [
        _row(subject.genome, subject.knobs, one, prompts)
        for subject, drawn in zip(subjects, answers, strict=True)
        for one in drawn.samples
    ]
    looks = [
        FirstChangeRow(subject.genome, **vars(look))
        for subject, drawn in zip(subjects, answers, strict=True)
        for look in drawn.looks
    ]
    return rows, looks, durations


def too_long(problems: Sequence[Problem], base: Path, settings: Params) -> list[str]:
    """Return the names of the problems whose references exceed the token limit of repairs."""
    tokenizer = load_tokenizer(base)
    prompts = _prompts(problems, tokenizer, settings)
    names = []
    for problem in problems:
        original, limit = _original(problem), settings.sampling.max_new_tokens
        copied, needed = (
            len(copy_of(tokenizer, prompts[problem.name], one).tokens)
            for one in (original, Original(problem.reference.strip("\n")))
        )
        if settings.sampling.change == "required":
            limit = original.limit(copied, limit)
        if needed > limit:
            names.append(problem.name)
    return names


def _prompts(problems: Sequence[Problem], tokenizer: Any, settings: Params) -> dict[str, str]:
    return {
        problem.name: chat_prompt(tokenizer, repair_prompt(problem, settings.prompt.docstring))
        for problem in problems
    }


def _original(problem: Problem) -> Original:
    return Original(buggy_program(problem), problem.reference.strip("\n"), room=ROOM)


def floors(
    problems: Sequence[Problem], knobs: Knobs, base: Path, settings: Params
) -> list[SampleRow]:
    """Return the answers of `FLOORS`, one repair per problem, in the form of samples.

    Their scores show what a trivial answer gets. `knobs` are those of the base model, with which
    they are compared; nothing is sampled.
    """
    tokenizer = load_tokenizer(base)
    prompts = _prompts(problems, tokenizer, settings)
    rows = []
    for name in FLOORS:
        for problem in problems:
            raw = f"{FENCE}{buggy_program(problem)}{CLOSING}" if name == "unchanged" else ""
            tokens = tokenizer(prompts[problem.name], add_special_tokens=False)["input_ids"]
            drawn = Sample(problem.name, 0, raw, len(tokens), 0, 0, 0, "fence", 0.0)
            row = _row(name, knobs, drawn, prompts)
            rows.append(replace(row, log_probability=None))
    return rows


def _row(genome: str, knobs: Knobs, drawn: Sample, prompts: Mapping[str, str]) -> SampleRow:
    return SampleRow(
        genome=genome,
        problem=drawn.problem,
        sample=drawn.index,
        knobs=knobs,
        prompt=prompts[drawn.problem],
        raw=drawn.text,
        code=extract_code(drawn.text),
        prompt_tokens=drawn.prompt_tokens,
        new_tokens=drawn.tokens,
        copied_tokens=drawn.copied,
        redrawn=drawn.redrawn,
        finish=drawn.finish,
        log_probability=drawn.log_probability,
    )
