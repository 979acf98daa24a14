"""Find the base checkpoint, convert it once to a Hugging Face folder, and load it from there.

A base is a name from the catalogue, a Hugging Face id or a local folder. It always becomes a folder
with config, safetensors weights, tokenizer and `card.json`, which holds its origin and the SHA-256
of every file. Without a chat template it is a completion model (see
`coral_batch.models.prompts.prompt`). Only safetensors is read, no pickle, and a checkpoint's own
code is never run.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import huggingface_hub
import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, GgufConfig
from transformers.utils import logging as transformers_logging

from coral_batch.errors import CoralError, reading
from coral_batch.lake.atomic import unfinished
from coral_batch.lake.hashes import check_files, folder_hashes
from coral_batch.models.base.catalogue import CATALOGUE, Entry
from coral_batch.models.base.device import compute_dtype, devices
from coral_batch.models.base.download import Unavailable, fetch, hub
from coral_batch.work.progress import progress, say

CARD = "card.json"
TIED = (
    "embedding and output head are one matrix, the output head of the GGUF's two: the original "
    "model ties them, and the head is quantised more finely"
)
UNCHANGED = "weights as published, file for file"
# The files to copy from a checkpoint folder; pickled weights and Python code are left out.
WANTED = (
    *("*.safetensors", "*.safetensors.index.json", "*config*.json", "*.jinja", "vocab.json"),
    *("tokenizer*.json", "tokenizer*.model", "merges.txt"),
    *("special_tokens_map.json", "added_tokens.json"),
)
# Mistral's copy of the weights in another layout; an adapter, which transformers would apply.
_UNREAD = ("consolidated", "adapter_")
_UNFIT = {
    "quantization_config": "quantised weights",
    "attn_logit_softcapping": "attention that caps its scores",
    "kv_lora_rank": "attention with compressed keys",
    **dict.fromkeys(("num_experts", "num_local_experts", "n_routed_experts"), "several experts"),
}
"""Setting in config.json -> what answers cannot be drawn with."""


_OWN: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
"""How transformers reads a folder: nothing is fetched, and no code of the folder runs."""


@dataclass(frozen=True)
class Card:
    """The origin and content of a base folder.

    Attributes:
        name: the model as params.yaml names it; only the name of a local folder.
        origin: ``catalogue``, ``hub`` or ``folder``.
        revision: commit of a Hugging Face id, else None.
        source_sha256: SHA-256 of the single source file, else None.
        licence: SPDX identifier, if known.
        parameters: number of distinct parameters.
        dtype: type of the stored weights, e.g. ``bfloat16``.
        weights: how the stored weights relate to the source.
        files: file name -> SHA-256 of each file of the folder, except `card.json`.
    """

    name: str
    origin: str
    revision: str | None
    source_sha256: str | None
    licence: str | None
    parameters: int
    dtype: str
    weights: str
    files: dict[str, str]

    @property
    def sha256(self) -> str:
        """One hash over all files, which identifies this base in keys."""
        return hashlib.sha256(json.dumps(self.files, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class BaseModel:
    """A loaded base: the model in evaluation mode without gradients, its tokenizer, its card."""

    model: Any
    tokenizer: Any
    card: Card


def materialise(model: str, revision: str | None, destination: Path, downloads: Path) -> Card:
    """Create a base folder.

    Args:
        model: a name from the catalogue, a Hugging Face id, or the path of a local folder.
        revision: commit, tag or branch of a Hugging Face id; None for the default branch.
        destination: the folder to create; an old one is replaced once the new one is complete.
        downloads: where downloads of catalogued checkpoints are kept and resumed.

    Raises:
        CoralError: unknown model, nothing reachable, wrong bytes, a checkpoint without safetensors
            weights or an end-of-text token, or the folder cannot be written.
    """
    with unfinished(destination) as folder:
        folder.mkdir()
        origin, entry, commit = origin_of(model), CATALOGUE.get(model), None
        if origin is None:
            raise CoralError(
                "unknown base model",
                field="base.model",
                found=model,
                expected=f"one of {', '.join(CATALOGUE)}, a Hugging Face id or an existing folder",
            )
        if origin != "hub" and revision is not None:
            raise CoralError(
                "a revision needs a Hugging Face id as base model",
                field="base.revision",
                found=revision,
                expected=f"null for the base model {model}",
            )
        source = place_of(model)
        if entry is not None:
            parameters, dtype = _convert(entry, fetch(entry, downloads), folder)
        else:
            if origin == "hub":
                source, commit = _snapshot(model, revision)
            parameters, dtype = _copy(source, folder)
        card = Card(
            name=source.resolve().name if origin == "folder" else model,
            origin=origin,
            revision=commit,
            source_sha256=None if entry is None else entry.sha256,
            licence=None if entry is None else entry.licence,
            parameters=parameters,
            dtype=dtype,
            weights=UNCHANGED if entry is None else TIED,
            files=folder_hashes(folder),
        )
        (folder / CARD).write_text(json.dumps(asdict(card), indent=2, sort_keys=True) + "\n")
    return card


def place_of(model: str) -> Path:
    """Return the path of a base that is a folder, as params.yaml names it."""
    try:
        return Path(model).expanduser()
    except RuntimeError:  # unknown user
        return Path(model)


def origin_of(model: str) -> str | None:
    """Return the origin, as in `Card`, of a base as params.yaml names it; None if unknown.

    Raises:
        CoralError: it is a path without read access.
    """
    if model in CATALOGUE:
        return "catalogue"
    with reading(place_of(model)):
        if place_of(model).is_dir():
            return "folder"
    named = re.fullmatch(r"[\w.-]+/[\w.-]+", model) and not model.startswith(".")
    return "hub" if named else None


def _size_and_type(folder: Path) -> tuple[int, str]:
    """Return the number of distinct parameters of a base folder's model and their type."""
    with _quiet(), torch.device("meta"):
        config = AutoConfig.from_pretrained(folder, **_OWN)
        model = AutoModelForCausalLM.from_config(config, trust_remote_code=False)
    parameters = sum(parameter.numel() for parameter in model.parameters())
    return parameters, str(config.dtype).removeprefix("torch.")


def read_card(folder: Path) -> Card:
    """Read a base folder's card without checking its files.

    Raises:
        CoralError: the card is missing or invalid.
    """
    file = folder / CARD
    try:
        return Card(**json.loads(file.read_text()))
    except FileNotFoundError as error:
        raise CoralError(
            "the base model is missing", file=file, action="run `dvc repro base`"
        ) from error
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise CoralError(
            f"the base model's card cannot be read ({error})",
            file=file,
            action="delete the folder and run `dvc repro base`",
        ) from error


def load_base(
    folder: Path, dtype: torch.dtype | None = None, device: torch.device | None = None
) -> BaseModel:
    """Check every file of a base folder against its card and load it.

    Args:
        folder: a folder that `materialise` made.
        dtype: compute type; None for the device's fast one, `compute_dtype`.
        device: the device; None for the first of `devices`.

    Raises:
        CoralError: a file is missing, does not match its SHA-256 on the card, or is not on it.
    """
    card = check_base(folder)
    device = device or devices()[0]
    with _quiet():
        model: Any = AutoModelForCausalLM.from_pretrained(
            folder,
            dtype=dtype or compute_dtype(device),
            use_safetensors=True,
            **_OWN,
        )
        tokenizer = AutoTokenizer.from_pretrained(folder, **_OWN)
    model.requires_grad_(False)
    return BaseModel(model.to(device).eval(), tokenizer, card)


def check_base(folder: Path, *, weights: bool = True) -> Card:
    """Check all files of a base folder against its card, or all but the weights; return the card.

    Raises:
        CoralError: a file is missing, does not match its SHA-256 on the card, or is not on it.
    """
    card, action = read_card(folder), "delete the folder and run `dvc repro base`"
    files = {
        name: sha256
        for name, sha256 in card.files.items()
        if weights or not name.endswith(".safetensors")
    }
    check_files(folder, files, "the base model's card", action)
    # transformers would also read extra files, such as another chat template.
    for file in sorted(folder.iterdir()):
        if file.name not in {*card.files, CARD}:
            raise CoralError(
                "a file of the base model is not on its card",
                file=file,
                expected=f"{CARD} and {', '.join(sorted(card.files))}",
                action=action,
            )
    return card


def load_tokenizer(folder: Path) -> Any:
    """Check all files of a base folder but the weights against its card; load the tokenizer.

    Raises:
        CoralError: a file is missing, does not match its SHA-256 on the card, or is not on it.
    """
    check_base(folder, weights=False)
    with _quiet():
        return AutoTokenizer.from_pretrained(folder, **_OWN)


def _convert(entry: Entry, gguf: Path, folder: Path) -> tuple[int, str]:
    """Convert a GGUF file to a folder; return its `_size_and_type`."""
    steps = progress(None, f"base {entry.name}", total=3, units="steps")
    # The GGUF reader shows its own progress bar on stderr, terminal or not.
    with steps, _quiet(), redirect_stderr(io.StringIO()):
        model = AutoModelForCausalLM.from_pretrained(
            gguf.parent,
            gguf_file=gguf.name,
            quantization_config=GgufConfig(dequantize=True),
            dtype=torch.bfloat16,
        )
        steps.update()
        tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
        steps.update()
        if not model.config.tie_word_embeddings:
            model.config.tie_word_embeddings = True
            model.model.embed_tokens.weight = model.lm_head.weight
        try:
            model.save_pretrained(folder)
            tokenizer.save_pretrained(folder)
        except OSError:
            raise
        except Exception as error:  # safetensors and tokenizers have their own errors
            raise CoralError(
                "the base model cannot be written",
                file=folder,
                found=str(error),
                action="free some space, then run again",
            ) from error
        for file in folder.iterdir():
            file.chmod(0o644)  # safetensors writes files that only their owner can read
        steps.update()
    return _size_and_type(folder)


def _snapshot(model: str, revision: str | None) -> tuple[Path, str]:
    """Download a hub repository to the user's hub cache; return its folder and commit."""
    try:
        with hub():
            commit = huggingface_hub.HfApi().model_info(model, revision=revision, timeout=10).sha
            say(f"base {model}: fetching it from the hub")
            folder = huggingface_hub.snapshot_download(
                model,
                revision=commit,
                allow_patterns=[*WANTED],
                ignore_patterns=[f"{one}*" for one in _UNREAD],
            )
    except Unavailable as error:
        raise CoralError(
            f"the base model could not be fetched from the hub ({error})",
            found=model if revision is None else f"{model} at {revision}",
            expected="a reachable Hugging Face id",
            action="run again to resume, or name a local folder",
        ) from error
    return Path(folder), str(commit)


def _copy(source: Path, folder: Path) -> tuple[int, str]:
    """Copy a base's files; return its `_size_and_type`."""
    # Not hard links: editing the user's folder would then change the lake.
    for file in [file for pattern in WANTED for file in source.glob(pattern)]:
        if file.name.startswith(_UNREAD):
            continue
        try:
            shutil.copyfile(file, folder / file.name)
        except OSError as error:
            raise CoralError(
                "the base model cannot be copied",
                file=file,
                found=error.strerror,
                action="grant read access or free some space, then run again",
            ) from None
    if not list(folder.glob("*.safetensors")):
        raise CoralError(
            "the base model has no safetensors weights",
            file=source,
            expected="*.safetensors files (pickled weights are not read)",
        )
    try:
        found = _size_and_type(folder)
        with _quiet():
            tokenizer = AutoTokenizer.from_pretrained(folder, **_OWN)
    except Exception as error:  # transformers may raise anything on foreign files
        raise CoralError(
            f"the base model cannot be opened ({' '.join(str(error).split())})",
            file=source,
            expected="a causal language model supported by transformers, with its tokenizer",
        ) from error
    known = json.loads((folder / "config.json").read_text())
    for setting, words in _UNFIT.items():
        if known.get(setting):
            raise CoralError(
                "coral-batch cannot generate with this base model",
                file=source,
                found=f"{words} ({setting} in config.json)",
                action="take another base model",
            )
    if tokenizer.eos_token is None:
        raise CoralError(
            "the base model's tokenizer has no end-of-text token",
            file=source,
            expected="an eos_token in tokenizer_config.json: adapters are trained to write it",
        )
    return found


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence transformers' progress bars and notices; the caller shows its own bar."""
    verbosity = transformers_logging.get_verbosity()
    bars = transformers_logging.is_progress_bar_enabled()
    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    try:
        yield
    finally:
        transformers_logging.set_verbosity(verbosity)
        if bars:
            transformers_logging.enable_progress_bar()
