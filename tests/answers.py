"""Drawing answers with an engine on a tiny model, and comparing them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from peft import LoraConfig, get_peft_model
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    LogitsProcessorList,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from coral_batch.models.decoding.answer import Drawn, Sample, Unit
from coral_batch.models.decoding.changes import Original
from coral_batch.models.decoding.engine import Engine
from coral_batch.models.prompts.prompt import chat_prompt
from coral_batch.records.configuration import Knobs

GREEDY = Knobs(0.0, 1.0, 1, 1.0)
WARM = Knobs(0.9, 0.95, 40, 1.05)
HOT = Knobs(50.0, 1.0, 600, 1.0)
TEXTS = {
    "short": "Fix it.",
    "long": "def function(values, n):\n    result = []\n    return result\n" * 3,
    "middle": "while left != right:\n    total += 1\n",
}
PROGRAM = "def function(values, n):\n    total = 1\n    return values"
REFERENCE = "def function(values, n):\n    total = n\n    return values"
ORIGINALS = dict.fromkeys(TEXTS, Original(PROGRAM, REFERENCE))
ALL = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def make_adapters(base: Path, root: Path) -> dict[str, Path]:
    """Make adapters of several kinds whose updates are large enough to change what is written."""
    folders = {}
    kinds = [
        ("lora", ["q_proj", "v_proj"], 4, False, None),
        ("wide", ALL, 16, False, None),
        ("dora", ALL, 8, True, None),
        ("upper lora", ["q_proj", "v_proj"], 4, False, [1]),
        ("upper dora", ALL, 8, True, [1]),
    ]
    for number, (name, targets, rank, dora, layers) in enumerate(kinds):
        torch.manual_seed(number)
        config = LoraConfig(
            r=rank,
            lora_alpha=2 * rank,
            target_modules=targets,
            use_dora=dora,
            layers_to_transform=layers,
            init_lora_weights=False,
            task_type="CAUSAL_LM",
        )
        model = get_peft_model(AutoModelForCausalLM.from_pretrained(base), config)
        with torch.no_grad():
            for key, parameter in model.named_parameters():
                if "magnitude" in key:
                    parameter.mul_(1 + 0.2 * torch.randn_like(parameter))
                elif "lora_" in key:
                    parameter.mul_(0.3)
        folders[name] = root / name
        model.save_pretrained(str(folders[name]))
    return folders


def transformers_probabilities(logits: torch.Tensor, knobs: Knobs, seen: list[int]) -> torch.Tensor:
    """Return the distribution of `model.generate` for one row, in its order of processors."""
    steps = [
        RepetitionPenaltyLogitsProcessor(knobs.repetition_penalty),
        TemperatureLogitsWarper(knobs.temperature),
        TopKLogitsWarper(knobs.top_k),
        TopPLogitsWarper(knobs.top_p),
    ]
    row = LogitsProcessorList(steps)(torch.tensor([seen]), logits[None].float())[0]
    return torch.softmax(row.double(), 0)


def open_engine(base: Path, dtype: torch.dtype = torch.float32, **settings: int) -> Engine:
    """Return an engine on the processor."""
    model = AutoModelForCausalLM.from_pretrained(base, dtype=dtype)
    return Engine(model, AutoTokenizer.from_pretrained(base), **settings)


def asked(engine: Engine, unit: Unit) -> Unit:
    """Return a unit whose texts are a user's messages as the engine's model is prompted."""
    prompts = {name: chat_prompt(engine.tokenizer, text) for name, text in unit.prompts.items()}
    return replace(unit, prompts=prompts)


def run(
    engine: Engine, *units: Unit, samples: int = 2, tokens: int = 24, seed: int = 1
) -> dict[str, Drawn]:
    """Return what comes of units whose prompts are a user's messages."""
    prompted = [asked(engine, unit) for unit in units]
    drawn = engine.generate(prompted, samples=samples, max_new_tokens=tokens, seed=seed)
    return {unit.name: found for unit, found in drawn}


def draw(
    engine: Engine,
    adapter: Path | None,
    knobs: Knobs,
    texts: dict[str, str] = TEXTS,
    originals: dict[str, Original] | None = None,
    **settings: int,
) -> list[Sample]:
    """Return the answers of a single unit."""
    unit = Unit("genome", adapter, knobs, texts, originals or {})
    return run(engine, unit, **settings)["genome"].samples


def agree(ours: Sequence[Sample], theirs: Sequence[Sample]) -> None:
    """Assert that answers are the same, and as likely up to rounding.

    They were drawn by products of other shapes, which round differently.
    """
    for one, other in zip(ours, theirs, strict=True):
        assert one.log_probability == pytest.approx(other.log_probability, rel=1e-4)
        assert replace(one, log_probability=other.log_probability) == other
