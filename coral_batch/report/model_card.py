"""The model card of an exported adapter, as the Hugging Face hub reads it.

An adapter fits the weights that it was trained on. A hub id with its commit names them; the
catalogue's are dequantised from a published GGUF file, which no id alone does; a local folder is
known by its files' hashes alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from huggingface_hub import ModelCardData
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from coral_batch.evidence.summary import Evidence
from coral_batch.models.base.catalogue import CATALOGUE
from coral_batch.records.configuration import AdapterConfiguration, Knobs
from coral_batch.report.claims import TITLES, conclusion, paired_cells
from coral_batch.report.roles import with_training
from coral_batch.search.best import REFUSED

if TYPE_CHECKING:
    from coral_batch.models.base.checkpoint import Card

GGUF_ADAPTER = "adapter.gguf"

Form = Literal["peft", "merged", "gguf"]
"""What is exported: PEFT's folder, the whole model, or the file `GGUF_ADAPTER` for llama.cpp."""

# The greatest ranks that vLLM can be told to make room for.
_RANKS = (8, 16, 32, 64, 128, 256, 512)


@dataclass(frozen=True)
class Exported:
    """The genome whose adapter is exported.

    Attributes:
        passed: it passed the gate of its generation.
        evidence: only of a run's best genome.
    """

    genome: str
    generation: str
    configuration: AdapterConfiguration
    knobs: Knobs
    fitness: float
    passed: bool
    evidence: Evidence | None


@dataclass(frozen=True)
class Trained:
    """What an adapter was trained on and with.

    Attributes:
        table: file name of the table of training examples.
        examples: its SHA-256.
        origins: where the problems come from that these show.
        shown: what they show of a problem, in words.
        seed: of the training.
        settings: name -> value of the hyperparameters, as params.yaml calls them.
    """

    table: str
    examples: str
    origins: Sequence[str]
    shown: Sequence[str]
    seed: object
    settings: Mapping[str, Any]


def model_card(exported: Exported, trained: Trained, base: Card, form: Form) -> str:
    """Return README.md: front matter for the hub, then base, data, scores, configuration, licence.

    Args:
        exported: the genome.
        trained: its adapter's training.
        base: the base model's card.
        form: what lies beside the card.
    """
    entry = CATALOGUE[base.name] if base.origin == "catalogue" else None
    front = ModelCardData(
        base_model=entry.repository if entry else base.name if base.origin == "hub" else None,
        library_name={"peft": "peft", "merged": "transformers", "gguf": None}[form],
        pipeline_tag="text-generation",
        tags=[
            *(["gguf", "llama-cpp"] if form == "gguf" else []),
            "dora" if exported.configuration.use_dora else "lora",
            *("code", "program-repair", "python", "coral-batch"),
        ],
        license=None if base.licence is None else base.licence.lower(),
    )
    # No page: Markdown is not escaped.
    templates = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return templates.get_template("model_card.md.jinja").render(
        front=front.to_yaml(),
        exported=exported,
        trained=trained,
        base=base,
        entry=entry,
        form=form,
        configuration={
            **asdict(exported.configuration),
            **trained.settings,
            "seed": trained.seed,
            **asdict(exported.knobs),
        },
        rank=next((rank for rank in _RANKS if rank >= exported.configuration.r), None),
        gguf_adapter=GGUF_ADAPTER,
        refused=REFUSED,
        titles=TITLES,
        cells=paired_cells,
        conclusion=conclusion,
        with_training=with_training,
    )
