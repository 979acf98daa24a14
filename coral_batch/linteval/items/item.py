"""Write the feedback and prompt of items, choose items, add their results."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from coral_batch.records.finding import Finding
from coral_batch.records.items import PLACEHOLDERS, Inputs, Item

_PROMPTS = Path(__file__).with_name("prompts")
_PLACEHOLDER = re.compile("|".join(re.escape(placeholder) for placeholder in PLACEHOLDERS))


def feedback(findings: Iterable[Finding]) -> str:
    """Write findings as the benchmark does: ``E302: expected 2 blank lines, found 1 in 3 line``."""
    return "".join(f"{found.code}: {found.message} in {found.line} line\n" for found in findings)


def instructions(language: str) -> list[str]:
    """Return our ten instructions in a language; each asks for one fenced block.

    They have the form of a data set's own. The first Russian one is exactly the benchmark's
    published example; the others rephrase it.
    """
    content = json.loads((_PROMPTS / f"{language}.json").read_text(encoding="utf-8"))
    found: list[str] = content["prompts"]
    return found


def fill(instruction: str, inputs: Inputs) -> str:
    """Return the prompt: both placeholders replaced in one pass, so that braces in code survive.

    Both ends are stripped, as in the official harness (MERA_CODE's codelintereval.yaml,
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
        successes: id and success of each answer, per item in the order of its samples.
    """
    outputs: dict[int, tuple[int, ...]] = {}
    for number, success in successes:
        outputs[number] = (*outputs.get(number, ()), int(success))
    return [
        replace(item, outputs=outputs[item.meta.id]) for item in items if item.meta.id in outputs
    ]
