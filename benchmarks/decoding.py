"""Compare the decoding engine with transformers' `model.generate`, side by side in one run.

    python -m benchmarks.decoding [--base FOLDER] [--genomes N] [--samples N] [--layers N]

The engine draws all samples of all genomes. Two peers draw with the same knobs and adapters (plain
PEFT on the same base): a genome at a time, all its prompts and samples in one padded batch; and one
prompt and sample at a time, for a few prompts of each genome. The first genome, a plain LoRA on two
layers a block, is drawn once more alone, beside transformers' continuous batching. Useful tokens
are those up to and with the one that closes the fence or ends the answer. Adapters are untrained
ones with a small random update, which cost what trained ones cost; with `--layers` they are in as
many upper layers alone, so that the engine reads each prompt through the others once for all.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
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

ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")
FEED_FORWARD = ("gate_proj", "up_proj", "down_proj")
# (target modules, rank, DoRA, temperature, repetition penalty) of each genome, in turn.
GENOMES = (
    (("q_proj", "v_proj"), 8, False, 0.6, 1.0),
    ((*ATTENTION, *FEED_FORWARD), 16, False, 0.8, 1.05),
    (ATTENTION, 8, True, 0.4, 1.0),
    (FEED_FORWARD, 4, False, 0.2, 1.0),
)


@dataclass(frozen=True)
class Measurement:
    """One way of decoding: useful tokens, seconds, and what was done in them."""

    way: str
    genomes: Sequence[str]
    answers: int
    tokens: int
    seconds: float

    @property
    def rate(self) -> float:
        """Useful tokens a second."""
        return self.tokens / self.seconds


def make_adapter(model: Any, number: int, folder: Path, layers: int | None) -> Unit:
    """Write a PEFT adapter whose update is small and random, and say how it is to be used."""
    targets, rank, dora, temperature, penalty = GENOMES[number % len(GENOMES)]
    depth = model.config.num_hidden_layers
    config = LoraConfig(
        r=rank,
        lora_alpha=16,
        target_modules=list(targets),
        use_dora=dora,
        layers_to_transform=None if layers is None else list(range(depth - layers, depth)),
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
    return Unit(str(number), folder, Knobs(temperature, 0.95, 50, penalty))


def measure_engine(
    base: Path, units: Sequence[Unit], prompts: dict[str, str], samples: int, limit: int
) -> tuple[Measurement, dict[str, Any]]:
    """Draw every genome's samples in shared batches."""
    loaded = load_base(base)
    rows = decoding_rows(
        loaded.model.device, loaded.model.config, loaded.card.parameters, tokens=2 * limit
    )
    engine = Engine(loaded.model, loaded.tokenizer, rows=rows)
    start = time.perf_counter()
    drawn = [
        sample
        for _, answers in engine.generate(
            units, prompts, samples=samples, max_new_tokens=limit, seed=1
        )
        for sample in answers.samples
    ]
    seconds = time.perf_counter() - start
    tokens = sum(sample.tokens for sample in drawn)
    return (
        Measurement("engine", [unit.name for unit in units], len(drawn), tokens, seconds),
        asdict(engine.timings),
    )


def measure_generate(
    base: Path, unit: Unit, batches: Sequence[Sequence[str]], samples: int, limit: int, way: str
) -> Measurement:
    """Draw one genome's samples with `model.generate`, a batch of prompts at a time."""
    model, tokenizer, ends = open_peer(base, unit)
    fence = FenceTokens(tokenizer)
    tokenizer.padding_side = "left"
    answers = tokens = 0
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
                max_new_tokens=limit,
                num_return_sequences=samples,
            )
            for row in output[:, inputs.input_ids.shape[1] :].tolist():
                tokens += useful(row, fence, ends)
                answers += 1
    return Measurement(way, [unit.name], answers, tokens, time.perf_counter() - start)


def total(parts: Sequence[Measurement]) -> Measurement:
    """One way's measurements of several genomes, one after the other, as one."""
    return Measurement(
        parts[0].way,
        [name for part in parts for name in part.genomes],
        sum(part.answers for part in parts),
        sum(part.tokens for part in parts),
        sum(part.seconds for part in parts),
    )


def measure_continuous(
    base: Path, unit: Unit, texts: Sequence[str], samples: int, limit: int
) -> Measurement:
    """Draw one genome's samples with transformers' continuous batching."""
    model, tokenizer, ends = open_peer(base, unit)
    fence = FenceTokens(tokenizer)
    prompts = [tokenizer(text, add_special_tokens=False)["input_ids"] for text in texts]
    requests = [prompt for prompt in prompts for _ in range(samples)]
    page = 256
    pages = len(requests) * -(-(max(map(len, prompts)) + limit) // page)
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
            max_new_tokens=limit,
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
    seconds = time.perf_counter() - start
    return Measurement("continuous, one genome", [unit.name], len(outputs), tokens, seconds)


def open_peer(base: Path, unit: Unit) -> tuple[PeftModel, Any, set[int]]:
    """Return a genome's model as PEFT opens it, its tokenizer and the tokens that end its turn."""
    loaded = load_base(base)
    model = PeftModel.from_pretrained(loaded.model, str(unit.adapter)).eval()
    ends = model.generation_config.eos_token_id
    return model, loaded.tokenizer, set(ends if isinstance(ends, list) else [ends])


def useful(tokens: Sequence[int], fence: FenceTokens, ends: set[int]) -> int:
    """Count the tokens up to and with the one that ends the answer."""
    backticks = 0
    for count, token in enumerate(tokens, start=1):
        backticks = fence.run(backticks, token)
        if backticks == FenceTokens.CLOSED or token in ends:
            return count
    return len(tokens)


@dataclass(frozen=True)
class Comparison:
    """All ways of decoding, measured in one run.

    Attributes:
        engine: all genomes with the engine.
        alone: the first genome with the engine.
        batches: `model.generate`, a genome each.
        singles: the same, a prompt at a time.
        continuous: the first genome with continuous batching.
        timings: what the engine spent on all genomes.
    """

    engine: Measurement
    alone: Measurement
    batches: list[Measurement]
    singles: list[Measurement]
    continuous: Measurement
    timings: dict[str, Any]


def measure() -> list[Row]:
    """Draw 4 genomes x 8 problems x 4 samples, beside both ways of calling `model.generate`."""
    found = compare(ROOT / "lake/base", 4, 4, 384, 2)
    batch, single = total(found.batches), total(found.singles)
    what, unit = "decoding 4 genomes x 8 problems x 4 samples", "useful tokens/s"
    one = "decoding 1 genome x 8 problems x 4 samples"
    return [
        Row(what, unit, found.engine.rate, batch.way, batch.rate, at_least=4),
        Row(what, unit, found.engine.rate, single.way, single.rate, at_least=10),
        *(
            Row(one, unit, found.alone.rate, peer.way, peer.rate)
            for peer in (found.batches[0], found.continuous)
        ),
    ]


def compare(
    base: Path,
    genomes: int,
    samples: int,
    limit: int,
    single_prompts: int,
    layers: int | None = None,
) -> Comparison:
    """Measure the engine and its peers on the test problems of the bundled corpus."""
    problems = read(ROOT / "lake/raw/classics", "classics")[0]
    loaded = load_base(base)
    prompts = {
        problem.name: chat_prompt(loaded.tokenizer, repair_prompt(problem, docstring=True))
        for problem in problems
        if role_of(problem.name) == "test"
    }
    texts = list(prompts.values())
    few = [[text] for text in texts[:single_prompts]]
    with tempfile.TemporaryDirectory() as folder:
        units = [
            make_adapter(loaded.model, number, Path(folder) / str(number), layers)
            for number in range(genomes)
        ]
        del loaded
        engine, timings = measure_engine(base, units, prompts, samples, limit)
        alone, _ = measure_engine(base, units[:1], prompts, samples, limit)
        batches = [
            measure_generate(base, unit, [texts], samples, limit, "generate, one genome")
            for unit in units
        ]
        singles = [
            measure_generate(base, unit, few, 1, limit, "generate, one prompt") for unit in units
        ]
        continuous = measure_continuous(base, units[0], texts, samples, limit)
    return Comparison(engine, alone, batches, singles, continuous, timings)


def main() -> None:
    """Run other sizes from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--base", type=Path, default=ROOT / "lake/base")
    parser.add_argument("--genomes", type=int, default=4)
    parser.add_argument("--samples", type=int, default=4)
    parser.add_argument("--max-new-tokens", type=int, default=384)
    parser.add_argument("--single", type=int, default=2, help="prompts of the one-at-a-time peer")
    parser.add_argument("--layers", type=int, help="upper layers with adapters; all by default")
    parser.add_argument("--threads", type=int, default=None)
    arguments = parser.parse_args()
    if arguments.threads:
        torch.set_num_threads(arguments.threads)
    found = compare(
        arguments.base,
        arguments.genomes,
        arguments.samples,
        arguments.max_new_tokens,
        arguments.single,
        arguments.layers,
    )
    print(
        f"{'way':<22}{'genomes':>10}{'answers':>8}{'tokens':>8}{'s':>8}{'tokens/s':>10}{'ratio':>7}"
    )
    peers = [*found.batches, total(found.batches), *found.singles, total(found.singles)]
    for ours, ways in (
        (found.engine, [found.engine, *peers]),
        (found.alone, [found.alone, found.batches[0], found.continuous]),
    ):
        for way in ways:
            print(
                f"{way.way:<22}{','.join(way.genomes):>10}{way.answers:>8}{way.tokens:>8}"
                f"{way.seconds:>8.1f}{way.rate:>10.1f}{ours.rate / way.rate:>7.1f}"
            )
    print(f"engine: {found.timings}")


if __name__ == "__main__":
    main()
