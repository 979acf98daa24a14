"""The model card of an exported adapter, for the Hugging Face hub.

The card identifies the base weights: by a hub id and commit, by a published GGUF file that they are
dequantised from (catalogue), or by the hashes of a local folder's files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from huggingface_hub import ModelCardData

from coral_batch.evidence.summary import Evidence
from coral_batch.models.base.catalogue import CATALOGUE
from coral_batch.records.configuration import AdapterConfiguration, Knobs
from coral_batch.report import claims
from coral_batch.report.page.render import environment
from coral_batch.report.roles import with_training
from coral_batch.search.best import REFUSED

if TYPE_CHECKING:
    from coral_batch.models.base.checkpoint import Card

GGUF_ADAPTER = "adapter.gguf"

Form = Literal["peft", "merged", "gguf"]
"""PEFT's folder, the merged model, or the file `GGUF_ADAPTER` for llama.cpp."""

# Values of vLLM's --max-lora-rank.
_RANKS = (8, 16, 32, 64, 128, 256, 512)


@dataclass(frozen=True)
class Exported:
    """The genome whose adapter is exported.

    Attributes:
        passed: it passed the gate of its generation, or for the best genome of the last one.
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
    """The training of an adapter.

    Attributes:
        examples: SHA-256 of the table `examples`.
        origins: of the problems in these examples.
        shown: what the examples of a problem are, in words.
        settings: name in params.yaml -> value of each hyperparameter and of the seed.
        ancestors: number of genomes from which the adapter descends.
        learnt: number of different examples that it and they learned from.
    """

    examples: str
    origins: Sequence[str]
    shown: Sequence[str]
    settings: dict[str, Any]
    ancestors: int
    learnt: int


def model_card(exported: Exported, trained: Trained, base: Card, form: Form) -> str:
    """Return README.md: front matter for the hub, then base, data, scores, configuration, licence.

    Args:
        exported: the genome.
        trained: its adapter's training.
        base: the base model's card.
        form: of the export.
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
    # Markdown needs no escaping.
    template = environment(Path(__file__).parent).get_template("model_card.md.jinja")
    return template.render(
        front=front.to_yaml(),
        exported=exported,
        trained=trained,
        base=base,
        entry=entry,
        form=form,
        configuration=asdict(exported.configuration) | trained.settings | asdict(exported.knobs),
        rank=next((rank for rank in _RANKS if rank >= exported.configuration.r), None),
        gguf_adapter=GGUF_ADAPTER,
        refused=REFUSED,
        claims=claims,
        with_training=with_training,
    )
