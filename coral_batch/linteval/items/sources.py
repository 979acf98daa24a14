"""The CodeLinterEval items that params.yaml names: their source read, and made into a data set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from coral_batch.errors import CoralError, reading
from coral_batch.linteval.items.build import Judge, adopt, build
from coral_batch.linteval.items.folder import read_folder
from coral_batch.linteval.items.mbpp import read_mbpp
from coral_batch.linteval.items.mutants import mutants
from coral_batch.linteval.items.official import read_codelintereval, read_prompts
from coral_batch.linteval.items.prompts import PROMPTS
from coral_batch.linteval.items.snippets import read_snippets
from coral_batch.records.items import PLACEHOLDERS, Candidate, DataSet, Dropped
from coral_batch.records.settings import Params

ITEMS = 2
"""Items that a bundled program gives."""


def make(settings: Params, judge: Judge) -> DataSet:
    """Build the data set, or read an official one.

    Args:
        settings: the run's linteval and seed; compute says how many processes lint.
        judge: runs programs on their tests.

    Raises:
        CoralError: the source cannot be read, or gives no item.
    """
    source, path = settings.linteval.source, Path(settings.linteval.path)
    if source == "official":
        # The stage depends on the path alone.
        return adopt(read_codelintereval(path, alone=True), path.name)
    dropped: list[Dropped] = []
    with reading(path):
        if source == "snippets":
            candidates = mutants(read_snippets(path), ITEMS, settings.seed)
        else:
            candidates, dropped = (read_mbpp if source == "mbpp" else read_folder)(path)
    return _build(candidates, dropped, settings, judge)


def _build(
    candidates: Sequence[Candidate], dropped: Sequence[Dropped], settings: Params, judge: Judge
) -> DataSet:
    prompts: Sequence[str] = PROMPTS[settings.linteval.language]
    whose = f"ours, {settings.linteval.language}"
    if settings.linteval.prompts is not None:
        file = Path(settings.linteval.prompts)
        prompts, whose = _published(file), file.name
    return build(candidates, prompts, judge, settings.compute.workers, dropped, whose)


def _published(file: Path) -> list[str]:
    """Read instructions that a user brings."""
    with reading(file):
        prompts = read_prompts(file)
    for number, prompt in enumerate(prompts):
        if missing := [one for one in PLACEHOLDERS if one not in prompt]:
            raise CoralError(
                "an instruction has no place for what it is about",
                file=file,
                field=f"prompts.{number}",
                found=prompt,
                expected=f"a text with {' and '.join(missing)}",
            )
    return prompts
