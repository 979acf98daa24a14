"""What a genome becomes: an adapter configuration and generation knobs.

The heavy genes (`AdapterConfiguration`) decide which adapter is trained and key the store. The
light genes (`Knobs`) only affect generation and need no training.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AdapterConfiguration:
    """The heavy genes, in PEFT's `LoraConfig` terms.

    Attributes:
        r: rank of the update matrices, >= 1.
        lora_alpha: scaling numerator; the update is scaled by lora_alpha / r.
        lora_dropout: dropout probability on the adapter's input, in [0, 1).
        target_modules: names of the linear modules that get an adapter, sorted.
        use_dora: train DoRA (weight-decomposed) instead of plain LoRA.
    """

    r: int
    lora_alpha: int
    lora_dropout: float
    target_modules: tuple[str, ...]
    use_dora: bool


@dataclass(frozen=True)
class Knobs:
    """The light genes: how samples are drawn.

    Attributes:
        temperature: > 0 divides the logits; 0 means greedy decoding.
        top_p: nucleus mass kept, in (0, 1].
        top_k: number of candidates kept, >= 1.
        repetition_penalty: >= 1; divides positive and multiplies negative logits of tokens that
            the prompt or the answer already holds (Keskar et al. 2019, section 4.1).
    """

    temperature: float
    top_p: float
    top_k: int
    repetition_penalty: float


def knobs_at(temperature: float) -> Knobs:
    """Return knobs with this temperature and fixed other values."""
    return Knobs(temperature, top_p=1.0, top_k=50, repetition_penalty=1.0)
