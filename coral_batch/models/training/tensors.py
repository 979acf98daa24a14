"""Writing tensors to a file that everybody may read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import save_file

from coral_batch.errors import CoralError


def write_tensors(tensors: Mapping[str, torch.Tensor], file: Path, what: str) -> None:
    """Write tensors in safetensors' format, in the order of their names.

    Args:
        tensors: by name.
        file: to write; it is new.
        what: what they are, at the beginning of a sentence, for the message.

    Raises:
        CoralError: the disk does not take them.
    """
    plain = {name: tensor.contiguous() for name, tensor in sorted(tensors.items())}
    try:
        save_file(plain, file, metadata={"format": "pt"})
        file.chmod(0o644)  # safetensors writes files that only their owner can read
    except SafetensorError as error:
        raise CoralError(
            f"{what} could not be written ({error})", file=file, action="free some space"
        ) from error
