"""What is done with items: their prompt, a selection of them, and their results."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from coral_batch.records.items import PLACEHOLDERS, Inputs, Item

_PLACEHOLDER = re.compile("|".join(re.escape(placeholder) for placeholder in PLACEHOLDERS))


def fill(instruction: str, inputs: Inputs) -> str:
    """Return the prompt: both placeholders replaced in one pass, so that braces in code survive.

    The ends are stripped, as the official harness does (MERA_CODE's codelintereval.yaml,
    ``instruction.format(**inputs).strip()``).
    """
    values = {"{code}": inputs.code, "{feedback}": inputs.feedback}
    return _PLACEHOLDER.sub(lambda match: values[match.group()], instruction).strip()


def spread(items: Sequence[Item], count: int | None) -> list[Item]:
    """Return at most `count` items, evenly spread over the list; all of them for None."""
    count = len(items) if count is None else min(count, len(items))
    return [items[index * len(items) // count] for index in range(count)]


def with_outputs(items: Sequence[Item], successes: Sequence[tuple[int, bool]]) -> list[Item]:
    """Return the items that were answered, with their `outputs`.

    Args:
        items: the items.
        successes: id and success of each answer, an item's in the order of its samples.
    """
    outputs: dict[int, tuple[int, ...]] = {}
    for number, success in successes:
        outputs[number] = (*outputs.get(number, ()), int(success))
    return [
        replace(item, outputs=outputs[item.meta.id]) for item in items if item.meta.id in outputs
    ]
