"""The samples of a whole part of the lake: from the store where they were drawn before, else drawn.

A genome's samples are one entry of the store, kept as soon as its last sample is done, so a run
that is killed loses at most the genomes in flight. The base model is loaded only when something
has to be drawn.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from transformers import AutoTokenizer

from coral_batch import seeding
from coral_batch.adapters.base import arithmetic, load_base, read_card
from coral_batch.corpus.problem import Problem
from coral_batch.evolution.configuration import Knobs
from coral_batch.generation.engine import Engine, Sample, Unit
from coral_batch.generation.extraction import extract_code
from coral_batch.generation.prompt import chat_prompt, repair_prompt
from coral_batch.params import Params
from coral_batch.progress import progress
from coral_batch.rows import DurationRow, SampleRow
from coral_batch.store import Store

KIND = "samples"
FILE = "samples.json"
ROWS = 64
SLOTS = 4


@dataclass(frozen=True)
class Subject:
    """What samples are drawn with.

    Attributes:
        genome: id of the genome, or `coral_batch.rows.BASE`.
        key: key of its adapter; None for the base model alone.
        folder: the adapter's PEFT folder; None likewise.
        knobs: how its samples are drawn.
    """

    genome: str
    key: str | None
    folder: Path | None
    knobs: Knobs


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
        CoralError: the base model is not what its card says, an adapter cannot be used, or a
            prompt does not fit the model.
    """
    if settings.compute.threads is not None:
        torch.set_num_threads(settings.compute.threads)
    tokenizer = AutoTokenizer.from_pretrained(base, local_files_only=True)
    prompts = {
        problem.name: chat_prompt(tokenizer, repair_prompt(problem, settings.prompt.docstring))
        for problem in problems
    }
    common = _determinants(base, prompts, settings)
    known = {
        subject.genome: {**common, "adapter": subject.key, "knobs": asdict(subject.knobs)}
        for subject in subjects
    }
    entries = {subject.genome: store.get(KIND, known[subject.genome]) for subject in subjects}
    reused = {genome: entry is not None for genome, entry in entries.items()}
    missing = [subject for subject in subjects if entries[subject.genome] is None]
    seconds = dict.fromkeys(entries, 0.0)
    for subject, drawn, took in _draw(missing, prompts, base, settings):
        entries[subject.genome] = store.put(KIND, known[subject.genome], partial(_write, drawn))
        seconds[subject.genome] = took
    rows: list[SampleRow] = []
    for subject in subjects:
        entry = entries[subject.genome]
        assert entry is not None
        rows += [_row(subject, drawn, prompts) for drawn in _read(entry / FILE)]
    durations = [DurationRow(genome, seconds[genome], reused[genome]) for genome in entries]
    return rows, durations


def _draw(
    subjects: Sequence[Subject], prompts: Mapping[str, str], base: Path, settings: Params
) -> Iterator[tuple[Subject, list[Sample], float]]:
    """Yield each subject with its samples and the seconds since the one before it."""
    if not subjects:
        return
    loaded = load_base(base)
    engine = Engine(
        loaded.model, loaded.tokenizer, rows=ROWS, adapters=SLOTS, rank=max(settings.candidates.r)
    )
    by_name = {subject.genome: subject for subject in subjects}
    units = [Unit(subject.genome, subject.folder, subject.knobs) for subject in subjects]
    sampling = settings.sampling
    start = time.perf_counter()
    generated = engine.generate(
        units,
        prompts,
        samples=sampling.samples,
        max_new_tokens=sampling.max_new_tokens,
        seed=settings.seed,
    )
    for unit, drawn in progress(generated, "samples", total=len(units), unit="genome"):
        now = time.perf_counter()
        yield by_name[unit.name], drawn, now - start
        start = now


def _determinants(base: Path, prompts: Mapping[str, str], settings: Params) -> dict[str, Any]:
    """Everything that the samples of any subject depend on, besides its adapter and knobs."""
    sources = [*sorted(Path(__file__).parent.glob("*.py")), Path(str(seeding.__file__))]
    return {
        "base": read_card(base).sha256,
        "prompts": _digest(json.dumps(prompts, sort_keys=True)),
        "samples": settings.sampling.samples,
        "max_new_tokens": settings.sampling.max_new_tokens,
        "seed": settings.seed,
        "engine": {"rows": ROWS, "adapters": SLOTS, "rank": max(settings.candidates.r)},
        "code": _digest("".join(file.read_text() for file in sources)),
        "versions": {name: version(name) for name in ("torch", "transformers", "tokenizers")},
        "arithmetic": arithmetic(),
    }


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


def _write(drawn: Sequence[Sample], folder: Path) -> None:
    text = json.dumps([asdict(one) for one in drawn], indent=1) + "\n"
    (folder / FILE).write_text(text, encoding="utf-8")


def _read(file: Path) -> list[Sample]:
    return [Sample(**one) for one in json.loads(file.read_text(encoding="utf-8"))]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
