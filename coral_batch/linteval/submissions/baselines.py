"""Answers that no model gave: what a score means is seen beside them."""

from __future__ import annotations

from collections.abc import Sequence

from coral_batch.linting.fixing import fix
from coral_batch.records.items import Item

NAMES = ("unchanged", "ruff", "autopep8", "canonical", "empty")


def baselines(items: Sequence[Item], workers: int | None) -> dict[str, dict[int, list[str]]]:
    """Return name (of `NAMES`) -> item -> its one answer, bare code without a fence.

    ``unchanged``: the item's code; ``ruff`` and ``autopep8``: what these make of it; ``canonical``:
    its canonical code, where every item has one; ``empty``: nothing.

    Args:
        items: the items.
        workers: processes; None for one a core.

    Raises:
        CoralError: ruff does not run.
    """
    codes = [item.inputs.code for item in items]
    answers = {
        "unchanged": codes,
        "ruff": fix(codes, workers, ("ruff",)),
        "autopep8": fix(codes, workers, ("autopep8",)),
        "canonical": [item.meta.canonical_code for item in items],
        "empty": [""] * len(items),
    }
    if not all(answers["canonical"]):
        del answers["canonical"]
    return {
        name: {item.meta.id: [text] for item, text in zip(items, texts, strict=True)}
        for name, texts in answers.items()
    }
