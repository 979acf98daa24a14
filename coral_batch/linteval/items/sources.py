"""The CodeLinterEval items that params.yaml names: their source read, and made into a data set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from coral_batch.errors import reading
from coral_batch.linteval.items.build import Judge, adopt, build
from coral_batch.linteval.items.folder import read_folder
from coral_batch.linteval.items.mbpp import read_mbpp
from coral_batch.linteval.items.mutants import mutants
from coral_batch.linteval.items.official import read_codelintereval
from coral_batch.linteval.items.prompts import PROMPTS
from coral_batch.linteval.items.snippets import read_snippets
from coral_batch.records.items import Candidate, DataSet, Dropped, Item, ItemTests
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


def remake(
    items: Sequence[Item],
    tests: Sequence[ItemTests],
    dropped: Sequence[Dropped],
    settings: Params,
    judge: Judge,
) -> DataSet:
    """Build a data set whose source is gone again, from its items' own code and solutions.

    Args:
        items: its items.
        tests: their tests, in the same order.
        dropped: what was dropped.
        settings: as in `make`.
        judge: as in `make`.
    """
    if settings.linteval.source == "official":
        return adopt(items, Path(settings.linteval.path).name)
    candidates = [
        Candidate(
            of.source, one.inputs.code, one.meta.canonical_code, of.function, of.cases, of.tests
        )
        for one, of in zip(items, tests, strict=False)
    ]
    return _build(candidates, dropped, settings, judge)


def _build(
    candidates: Sequence[Candidate], dropped: Sequence[Dropped], settings: Params, judge: Judge
) -> DataSet:
    prompts = PROMPTS[settings.linteval.language]
    return build(candidates, prompts, judge, settings.compute.workers, dropped)
