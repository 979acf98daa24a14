"""What base model an exported adapter belongs to, and how anybody else gets the same weights.

An adapter fits the weights that it was trained on. A hub id with its commit names them; the
catalogue's are dequantised from a published GGUF file, which no id alone does; a local folder is
known by its files' hashes alone. Nothing is fetched or loaded here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from coral_batch.models.base.catalogue import CATALOGUE, Entry

FOLDER = "base"
"""Name that the model card gives to the base's folder, beside the card itself."""


class BaseCard(Protocol):
    """What the card of the base model has to say."""

    @property
    def name(self) -> str: ...
    @property
    def origin(self) -> str: ...
    @property
    def dtype(self) -> str: ...
    @property
    def licence(self) -> str | None: ...
    @property
    def revision(self) -> str | None: ...
    @property
    def source_sha256(self) -> str | None: ...
    @property
    def weights(self) -> str: ...
    @property
    def files(self) -> Mapping[str, str]: ...


@dataclass(frozen=True)
class Origin:
    """How to get a base model.

    Attributes:
        title: what it is called in a text.
        repository: the hub's repository that it comes from; None where there is none.
        id: what ``from_pretrained`` alone loads exactly this base by; None where nothing does.
        revision: the commit that belongs to the id; None likewise.
        words: Markdown that says which weights they are and where they are to be had.
        code: Python that loads them as `base`, run in the export's folder; imports come first.
        folder: Python that makes of `base` a folder to serve from; None where `served` needs none.
        served: what vLLM calls it by, with options.
        gguf: the GGUF file that it is, for llama.cpp; None where one has to be made.
    """

    title: str
    repository: str | None
    id: str | None
    revision: str | None
    words: str
    code: str
    folder: str | None
    served: str
    gguf: str | None


def origin(card: BaseCard) -> Origin:
    """Return how to get the base model of this card."""
    if card.origin == "catalogue":
        return _from_file(card, CATALOGUE[card.name])
    return _from_hub(card) if card.origin == "hub" else _from_folder(card)


def _from_file(card: BaseCard, entry: Entry) -> Origin:
    code = f"""\
import hashlib
from pathlib import Path

from huggingface_hub import hf_hub_download
from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

file = Path(hf_hub_download("{entry.repository}", "{entry.file}"))
digest = hashlib.sha256(file.read_bytes()).hexdigest()
assert digest == "{entry.sha256}"
base = AutoModelForCausalLM.from_pretrained(
    file.parent,
    gguf_file=file.name,
    quantization_config=GgufConfig(dequantize=True),
    dtype="{card.dtype}",
)
base.config.tie_word_embeddings = True
base.model.embed_tokens.weight = base.lm_head.weight
tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)"""
    words = f"""\
`{card.name}`: the file `{entry.file}` of the hub's repository `{entry.repository}`, dequantised to
{card.dtype}. Its SHA-256 is `{entry.sha256}`; any copy with it serves. Of its weights,
{card.weights}.

These are **not** the full-precision weights of the model that the file was made of, on which the
adapter was neither trained nor measured. What stands under *Use* loads the right ones. In a
checkout of coral-batch, `base.model: {card.name}` in params.yaml and `dvc repro base` make the same
weights as the folder `lake/base`."""
    return Origin(
        title=card.name,
        repository=entry.repository,
        id=None,
        revision=None,
        words=words,
        code=code,
        folder=f'base.save_pretrained("{FOLDER}")\ntokenizer.save_pretrained("{FOLDER}")',
        served=FOLDER,
        gguf=entry.file,
    )


def _from_hub(card: BaseCard) -> Origin:
    words = f"""\
`{card.name}` of the Hugging Face hub at commit `{card.revision}`: {card.weights}. The SHA-256 of
its files:

{_listed(card.files)}"""
    return Origin(
        title=card.name,
        repository=card.name,
        id=card.name,
        revision=card.revision,
        words=words,
        code=_code(f'"{card.name}", revision="{card.revision}"'),
        folder=None,
        served=f"{card.name} --revision {card.revision}",
        gguf=None,
    )


def _from_folder(card: BaseCard) -> Origin:
    words = f"""\
A local folder that was called `{card.name}`: {card.weights}. Where it can be downloaded is not
known here, and a model of the same name elsewhere may be another. Get these files from whoever
trained the adapter and put them into a folder `{FOLDER}` beside this card. `sha256sum -c` in that
folder checks them by this list:

{_listed(card.files)}"""
    return Origin(
        title=card.name,
        repository=None,
        id=None,
        revision=None,
        words=words,
        code=_code(f'"{FOLDER}"'),
        folder=None,
        served=FOLDER,
        gguf=None,
    )


def _code(which: str) -> str:
    return f"""\
from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer

base = AutoModelForCausalLM.from_pretrained({which}, dtype="auto")
tokenizer = AutoTokenizer.from_pretrained({which})"""


def _listed(files: Mapping[str, str]) -> str:
    """Return the files as `sha256sum` writes them."""
    lines = "\n".join(f"{digest}  {name}" for name, digest in sorted(files.items()))
    return f"```\n{lines}\n```"
