"""Compare the decoding engine with transformers' `model.generate` and continuous batching.

The engine samples for four genomes at once. Two peers use the same knobs and adapters (plain PEFT
on the same base): one genome at a time, with all its prompts and samples in a padded batch; and one
prompt and sample at a time, for two prompts of each genome. The first genome, a plain LoRA on two
layers per block, is also compared with transformers' continuous batching. Useful tokens are those
up to the one that closes the fence or ends the answer, inclusive. Adapters are untrained, with a
small random update; they cost as much as trained ones.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import ContinuousBatchingConfig, GenerationConfig

from benchmarks.table import ROOT, Row
from coral_batch.corpus.readers.quixbugs import read
from coral_batch.corpus.roles.coralx import role_of
from coral_batch.models.base.checkpoint import load_base
from coral_batch.models.base.device import decoding_rows
from coral_batch.models.decoding.answer import Unit
from coral_batch.models.decoding.engine import Engine
from coral_batch.models.decoding.fence import FenceTokens
from coral_batch.models.prompts.prompt import chat_prompt, repair_prompt
from coral_batch.records.configuration import Knobs
from coral_batch.seeding import derive_seed

BASE = ROOT / "lake/base"
SAMPLES, LIMIT = 4, 384  # per prompt, and tokens per sample
ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")
FEED_FORWARD = ("gate_proj", "up_proj", "down_proj")
# (target modules, rank, DoRA, temperature, repetition penalty) of each genome.
GENOMES = (
    (("q_proj", "v_proj"), 8, False, 0.6, 1.0),
    ((*ATTENTION, *FEED_FORWARD), 16, False, 0.8, 1.05),
    (ATTENTION, 8, True, 0.4, 1.0),
    (FEED_FORWARD, 4, False, 0.2, 1.0),
)


@dataclass(frozen=True)
class Measurement:
    """Useful tokens and seconds."""

    tokens: int
    seconds: float

    @property
    def rate(self) -> float:
        """Useful tokens per second."""
        return self.tokens / self.seconds


def measure() -> list[Row]:
    """Measure 4 genomes x 8 problems x 4 samples, with the engine and all peers."""
    loaded = load_base(BASE)
    prompts = {
        problem.name: chat_prompt(loaded.tokenizer, repair_prompt(problem, docstring=True))
        for problem in read(ROOT / "lake/raw/classics")[0]
        if role_of(problem.name) == "test"
    }
    texts = list(prompts.values())
    with tempfile.TemporaryDirectory() as folder:
        units = [
            make_adapter(loaded.model, number, Path(folder) / str(number), prompts)
            for number in range(len(GENOMES))
        ]
        del loaded
        engine = measure_engine(units)
        alone = measure_engine(units[:1])
        batches = [measure_generate(unit, [texts], SAMPLES) for unit in units]
        singles = [measure_generate(unit, [[text] for text in texts[:2]], 1) for unit in units]
        continuous = measure_continuous(units[0], texts)
    what = "decoding {} x 8 problems x 4 samples"
    rows = (
        ("4 genomes", engine, "generate, one genome", total(batches), 4),
        ("4 genomes", engine, "generate, one prompt", total(singles), 10),
        ("1 genome", alone, "generate, one genome", batches[0], None),
        ("1 genome", alone, "continuous, one genome", continuous, None),
    )
    return [
        Row(what.format(drawn), "useful tokens/s", ours.rate, peer, theirs.rate, at_least=target)
        for drawn, ours, peer, theirs, target in rows
    ]


def make_adapter(model: Any, number: int, folder: Path, prompts: dict[str, str]) -> Unit:
    """Write a PEFT adapter with a small random update, and return its unit."""
    targets, rank, dora, temperature, penalty = GENOMES[number]
    config = LoraConfig(
        r=rank,
        lora_alpha=16,
        target_modules=list(targets),
        use_dora=dora,
        task_type="CAUSAL_LM",
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(derive_seed(1, "benchmark", number))
        adapted = get_peft_model(model, config)
        with torch.no_grad():
            for name, parameter in adapted.named_parameters():
                if "lora_B" in name:
                    parameter.normal_(std=1e-3)
    adapted.save_pretrained(str(folder))
    adapted.unload()
    return Unit(str(number), folder, Knobs(temperature, 0.95, 50, penalty), prompts)


def measure_engine(units: Sequence[Unit]) -> Measurement:
    """Sample for all genomes in shared batches."""
    loaded = load_base(BASE)
    rows = decoding_rows(
        loaded.model.device, loaded.model.config, loaded.card.parameters, tokens=2 * LIMIT
    )
    engine = Engine(loaded.model, loaded.tokenizer, rows=rows)
    start = time.perf_counter()
    drawn = engine.generate(units, samples=SAMPLES, max_new_tokens=LIMIT, seed=1)
    tokens = sum(sample.tokens for _, answers in drawn for sample in answers.samples)
    return Measurement(tokens, time.perf_counter() - start)


def measure_generate(unit: Unit, batches: Sequence[Sequence[str]], samples: int) -> Measurement:
    """Sample for one genome with `model.generate`, one batch of prompts at a time."""
    model, tokenizer, ends = open_peer(unit)
    fence = FenceTokens(tokenizer)
    tokenizer.padding_side = "left"
    tokens = 0
    start = time.perf_counter()
    with torch.random.fork_rng(devices=[]), torch.inference_mode():
        torch.manual_seed(1)
        for batch in batches:
            inputs = tokenizer(
                list(batch), return_tensors="pt", padding=True, add_special_tokens=False
            ).to(model.device)
            output = model.generate(
                **inputs,
                do_sample=True,
                temperature=unit.knobs.temperature,
                top_p=unit.knobs.top_p,
                top_k=unit.knobs.top_k,
                repetition_penalty=unit.knobs.repetition_penalty,
                max_new_tokens=LIMIT,
                num_return_sequences=samples,
            )
            for row in output[:, inputs.input_ids.shape[1] :].tolist():
                tokens += useful(row, fence, ends)
    return Measurement(tokens, time.perf_counter() - start)


def total(parts: Sequence[Measurement]) -> Measurement:
    """Return the sum of several genomes' measurements."""
    return Measurement(sum(part.tokens for part in parts), sum(part.seconds for part in parts))


def measure_continuous(unit: Unit, texts: Sequence[str]) -> Measurement:
    """Sample for one genome with transformers' continuous batching."""
    model, tokenizer, ends = open_peer(unit)
    fence = FenceTokens(tokenizer)
    prompts = [tokenizer(text, add_special_tokens=False)["input_ids"] for text in texts]
    requests = [prompt for prompt in prompts for _ in range(SAMPLES)]
    page = 256
    pages = len(requests) * -(-(max(map(len, prompts)) + LIMIT) // page)
    start = time.perf_counter()
    peer: Any = model.base_model.model
    outputs = peer.generate_batch(
        requests,
        generation_config=GenerationConfig(
            do_sample=True,
            temperature=unit.knobs.temperature,
            top_p=unit.knobs.top_p,
            top_k=unit.knobs.top_k,
            repetition_penalty=unit.knobs.repetition_penalty,
            max_new_tokens=LIMIT,
            eos_token_id=sorted(ends),
            pad_token_id=tokenizer.pad_token_id,
        ),
        continuous_batching_config=ContinuousBatchingConfig(
            page_size=page,
            num_blocks=pages,
            max_batch_tokens=512,
            use_cuda_graph=model.device.type == "cuda",
            seed=1,
        ),
        warmup=False,
    )
    tokens = sum(useful(output.generated_tokens, fence, ends) for output in outputs.values())
    return Measurement(tokens, time.perf_counter() - start)


def open_peer(unit: Unit) -> tuple[PeftModel, Any, set[int]]:
    """Return a genome's PEFT model, its tokenizer and its end-of-turn tokens."""
    loaded = load_base(BASE)
    model = PeftModel.from_pretrained(loaded.model, str(unit.adapter)).eval()
    ends = model.generation_config.eos_token_id
    return model, loaded.tokenizer, set(ends if isinstance(ends, list) else [ends])


def useful(tokens: Sequence[int], fence: FenceTokens, ends: set[int]) -> int:
    """Count the tokens up to the one that ends the answer, inclusive."""
    backticks = 0
    for count, token in enumerate(tokens, start=1):
        backticks = fence.run(backticks, token)
        if backticks == FenceTokens.CLOSED or token in ends:
            return count
    return len(tokens)
