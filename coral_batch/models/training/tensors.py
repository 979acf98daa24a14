"""Write tensors to a file that all users may read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import save_file

from coral_batch.errors import CoralError


def write_tensors(tensors: Mapping[str, torch.Tensor], file: Path, what: str) -> None:
    """Write tensors in safetensors format, sorted by name.

    Args:
        tensors: name -> tensor.
        file: a new file.
        what: the tensors' description, capitalised, for the message.

    Raises:
        CoralError: the file cannot be written.
    """
    plain = {name: tensor.contiguous() for name, tensor in sorted(tensors.items())}
    try:
        save_file(plain, file, metadata={"format": "pt"})
        file.chmod(0o644)  # safetensors makes files that only the owner can read
    except SafetensorError as error:
        raise CoralError(
            f"{what} could not be written ({error})", file=file, action="free some space"
        ) from error
