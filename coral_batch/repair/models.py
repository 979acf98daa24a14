"""The model that repairs: the base model, a genome of the run, or an adapter in a PEFT folder.

Each answer starts with one of the likeliest first changes of the program (docs/how-it-works.md) and
goes on greedily.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from coral_batch import lake
from coral_batch.errors import CoralError, reading
from coral_batch.lake import strictjson
from coral_batch.lake.hashes import found_sha256
from coral_batch.lake.store import key_of
from coral_batch.models.base.checkpoint import load_tokenizer, read_card
from coral_batch.models.decoding.changes import ROOM, Original
from coral_batch.models.decoding.drawing import draw_in_turn, drawing_of, work_of
from coral_batch.models.prompts.prompt import chat_prompt
from coral_batch.records.configuration import Knobs, knobs_at
from coral_batch.records.rows import BASE, BestRow, SubjectRow
from coral_batch.records.settings import Params
from coral_batch.repair.adapters import check_best, check_origin, find_adapter, generation_of
from coral_batch.repair.released import (
    BEST,
    CONFIGURATION,
    RELEASED,
    WEIGHTS,
    is_release,
    read_release,
)
from coral_batch.verdicts.functions import read_utf8
from coral_batch.work.progress import say

FEWEST_ROWS = 16
"""Smallest decoding batch. Batches are as small as possible, since a user waits: a step of 16 takes
40 % of the time of a step of 64."""

_PROMPT = "the function"
_FORMS = f"`{BASE}`, `{BEST}`, `{RELEASED}`, a genome such as 001-01, or a PEFT folder"


@dataclass(frozen=True)
class Adapter:
    """An adapter on the base model; without a key, the base model itself.

    Attributes:
        key: its key in the store.
        folder: its PEFT folder, as in `Work`.
        files: SHA-256 of its files, likewise.
        rank: its rank if it can exceed the run's, else 0.
        knobs: how a released adapter's answers are sampled.
        name: its name in messages.
    """

    key: str | None = None
    folder: Path | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    rank: int = 0
    knobs: Knobs | None = None
    name: str = "the base model without an adapter"

    def subject(self, genome: str, knobs: Knobs) -> SubjectRow:
        """Return it with knobs, as a table names a model."""
        folder = None if self.folder is None else str(self.folder.absolute())
        return SubjectRow(genome, self.key, folder, dict(self.files), knobs)


def drawer(model: str, settings: Params) -> Callable[[str, str, int], Iterator[str]]:
    """Return a `coral_batch.repair.Draw` with a model.

    Args:
        model: `BASE`, `BEST`, `RELEASED`, GENOME or a PEFT folder.
        settings: ranks, threads and seed.

    Raises:
        CoralError: there is no such model, or no base model in the lake.
    """
    base = lake.path("base")
    adapter = _adapter(model, base, settings)
    say(f"repairing with {adapter.name}")
    tokenizer = load_tokenizer(base)

    def answers(prompt: str, program: str, count: int) -> Iterator[str]:
        program = program.strip("\n")
        tokens = len(tokenizer(program, add_special_tokens=False)["input_ids"]) + ROOM
        drawing = drawing_of(count, tokens, settings)
        rows = max(FEWEST_ROWS, 1 << (count - 1).bit_length())
        drawing = replace(drawing, rank=max(drawing.rank, adapter.rank), rows=rows)
        prompts = {_PROMPT: chat_prompt(tokenizer, prompt)}
        # At temperature 0 each answer starts with a different one of the likeliest first changes.
        subject = adapter.subject(model, knobs_at(0.0))
        work = work_of(model, subject, prompts, {_PROMPT: Original(program)})
        with closing(draw_in_turn(work, drawing, base)) as samples:
            yield from (sample.text for sample in samples)

    return answers


def _adapter(model: str, base: Path, settings: Params) -> Adapter:
    """Find an adapter of a base model; `base` is its folder."""
    card = read_card(base)
    if model == BASE:
        return Adapter()
    if model == BEST:
        return _best(card.sha256)
    with reading(Path(model)):
        is_folder = Path(model).is_dir()
    if re.fullmatch(lake.GENOME, model) and not is_folder:
        generation = generation_of(model, settings.generations, "--model")
        return _genome(generation, model, card.sha256)
    if not is_folder:
        raise CoralError(
            "no such model, nor a folder of this name",
            field="--model",
            found=model,
            expected=f"{_FORMS}; a folder has {CONFIGURATION} and {WEIGHTS}",
        )
    return read_peft_folder(Path(model), card.sha256)


def _best(base: str) -> Adapter:
    if not lake.path("best").exists():
        raise CoralError(
            "the run has no best genome",
            file=lake.path("best"),
            action=f"run `dvc repro`, or choose another --model: {_FORMS}",
        )
    best = lake.read_document("best", BestRow)
    found = _genome(best.generation, best.genome, base)
    check_best(best, found.key)
    return replace(found, name=f"the best genome of the run, {best.genome}")


def _genome(part: str, genome: str, base: str) -> Adapter:
    row, card, folder = find_adapter(part, genome)
    check_origin(card, "base", base)
    name = f"genome {genome}"
    return Adapter(card.key, folder, card.files, rank=row.configuration.r, name=name)


def read_peft_folder(folder: Path, base: str) -> Adapter:
    """Read an adapter from a PEFT folder.

    Args:
        folder: the folder, with a configuration and safetensors weights.
        base: SHA-256 of the base model, which a released adapter must belong to.

    Raises:
        CoralError: there is no adapter, its configuration cannot be read, or as in `read_release`.
    """
    check_peft_folder(folder)
    release = read_release(folder, base) if is_release(folder) else None
    file = folder / CONFIGURATION
    known = strictjson.parse(read_utf8(file), file)
    if not isinstance(known, dict) or not isinstance(known.get("r"), int):
        raise CoralError("the adapter has no rank", file=file, field="r", expected="an integer")
    files = {name: found_sha256(folder / name) for name in (CONFIGURATION, WEIGHTS)}
    knobs = None if release is None else release.knobs
    called = f"the {'released ' if release else ''}adapter in {folder}"
    return Adapter(key_of(files), folder, files, known["r"], knobs, called)


def check_peft_folder(folder: Path) -> None:
    """Raise `CoralError` unless a folder has an adapter's two files."""
    with reading(folder):
        missing = [name for name in (CONFIGURATION, WEIGHTS) if not (folder / name).is_file()]
    if missing:
        raise CoralError(
            "the folder has no adapter",
            file=folder,
            found=f"no {missing[0]}",
            expected=f"a PEFT folder, with {CONFIGURATION} and {WEIGHTS}",
        )
