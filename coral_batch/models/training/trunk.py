"""What enters the adapted layers, computed once for each example and kept in the store.

A few examples are an entry, so that a run that is killed loses little, and processes share the
work. An example's states do not depend on which others are in its entry.
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
"""Examples of an entry: of the 0.5B base model, 5 MB in bf16."""
DECISIVE = ("../base/layers.py", "encoding.py")
"""The files that decide what enters the adapted layers, as seen from this folder."""


def parts(examples: Sequence[Example]) -> list[Sequence[Example]]:
    """Cut examples into those of an entry each."""
    return [examples[at : at + EXAMPLES] for at in range(0, len(examples), EXAMPLES)]


def determinants(card: Card, part: Sequence[Example], below: int) -> dict[str, Any]:
    """Everything that the bytes of an entry depend on, as JSON values.

    Args:
        card: the base model's.
        part: the entry's examples.
        below: how many layers there are below the adapted ones.
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
    """Run the lower layers on the examples of an entry, and put it into the store."""
    known = determinants(base.card, part, below)
    store.put(KIND, known, partial(_write, base, part, below))


def read(base: Card, examples: Sequence[Example], below: int, store: Store) -> list[torch.Tensor]:
    """Return each example's (tokens, features) states, in order, mapped from the store's files.

    Raises:
        CoralError: the store lacks an entry.
    """
    states = []
    for part in parts(examples):
        entry = store.get(KIND, determinants(base, part, below))
        if entry is None:
            raise CoralError(
                "what enters the adapted layers is no longer in the store",
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
    write_tensors(states, folder / FILE, "What enters the adapted layers")
