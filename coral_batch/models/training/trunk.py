"""Compute the adapted layers' inputs once per example and keep them in the store.

An entry holds a few examples, so that a killed run loses little and processes share the work. An
example's states do not depend on the others in its entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open

from coral_batch.errors import CoralError
from coral_batch.lake.hashes import code_sha256
from coral_batch.lake.store import Store
from coral_batch.models.base.checkpoint import BaseModel, Card
from coral_batch.models.base.device import arithmetic
from coral_batch.models.prompts import tokens
from coral_batch.models.prompts.examples import examples_sha256
from coral_batch.models.training.encoding import encode, entering
from coral_batch.models.training.tensors import write_tensors
from coral_batch.records.example import Example

KIND = "trunks"
FILE = "states.safetensors"
EXAMPLES = 8
"""Examples per entry; for the 0.5B base model, 5 MB in bf16."""
DECISIVE = ("../base/layers.py", "encoding.py")
"""The files that decide the adapted layers' inputs, relative to this folder."""


def parts(examples: Sequence[Example]) -> list[Sequence[Example]]:
    """Split examples into entries."""
    return [examples[at : at + EXAMPLES] for at in range(0, len(examples), EXAMPLES)]


def determinants(card: Card, part: Sequence[Example], below: int) -> dict[str, Any]:
    """Everything that the bytes of an entry depend on, as JSON values.

    Args:
        card: the base model's card.
        part: the entry's examples.
        below: the number of layers below the adapted ones.
    """
    here = Path(__file__).parent
    sources = [*(here / name for name in DECISIVE), Path(tokens.__file__)]
    return {
        "base": card.sha256,
        "examples": examples_sha256(part),
        "below": below,
        "code": code_sha256(sources),
        "versions": {name: version(name) for name in ("torch", "transformers", "tokenizers")},
        "arithmetic": arithmetic(),
    }


def compute(base: BaseModel, part: Sequence[Example], below: int, store: Store) -> None:
    """Run the lower layers on an entry's examples, and store the result."""
    known = determinants(base.card, part, below)
    store.put(KIND, known, partial(_write, base, part, below))


def read(base: Card, examples: Sequence[Example], below: int, store: Store) -> list[torch.Tensor]:
    """Return each example's (tokens, features) states, in order, memory-mapped from the store.

    Raises:
        CoralError: the store lacks an entry.
    """
    states = []
    for part in parts(examples):
        entry = store.get(KIND, determinants(base, part, below))
        if entry is None:
            raise CoralError(
                "the adapted layers' inputs are missing in the store",
                file=store.root / KIND,
                action="run the stage again, and do not prune the store meanwhile",
            )
        with safe_open(entry / FILE, framework="pt") as file:
            states += [file.get_tensor(str(number)) for number in range(len(part))]
    return states


def _write(base: BaseModel, part: Sequence[Example], below: int, folder: Path) -> None:
    states = {
        str(number): entering(base.model, encode(example, base.tokenizer), below)
        for number, example in enumerate(part)
    }
    write_tensors(states, folder / FILE, "The adapted layers' inputs")
