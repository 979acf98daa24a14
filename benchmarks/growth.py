"""Measure how the time of training and decoding grows with population, samples and generations.

    python -m benchmarks growth

A tiny model with random weights stands in for the base, so that what is measured is the growth,
not the model: every genome of every generation is trained on four examples, and answers three
prompts. One of the three sizes grows at a time, from a common start. Each row compares the largest
with the start's time taken as often; above 1 would be worse than linear.

The points go to benchmarks/results/growth-population.csv, growth-samples.csv and
growth-generations.csv, which DVC plots:

    dvc plots show benchmarks/results/growth-population.csv -x population -y seconds
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from transformers import AutoTokenizer

from benchmarks.table import ROOT, Row
from coral_batch.lake.store import Store
from coral_batch.models.base.checkpoint import materialise
from coral_batch.models.decoding.drawing import Drawing, Work, draw
from coral_batch.models.prompts.prompt import chat_prompt
from coral_batch.models.training.obtain import obtain_adapters
from coral_batch.records.configuration import AdapterConfiguration, Knobs
from coral_batch.records.example import Example
from coral_batch.records.settings import Training
from tests.tiny import make_tiny_base

START = {"population": 2, "samples": 16, "generations": 1}
FACTORS = (1, 2, 4, 8)
TRAINING = Training(
    passes=1,
    batch_size=2,
    learning_rate=1e-3,
    warmup_steps=1,
    weight_decay=0.0,
    max_grad_norm=1.0,
    layers=None,
)
KNOBS = Knobs(0.9, 0.95, 40, 1.0)


def measure() -> list[Row]:
    """Grow each size in turn."""
    rows = []
    results = ROOT / "benchmarks/results"
    results.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        tiny = make_tiny_base(folder / "tiny")
        materialise(str(tiny), None, folder / "base", folder / "downloads")
        run(folder, "warm", **START)
        for size, start in START.items():
            seconds, lines = [], [f"{size},seconds"]
            for factor in FACTORS:
                sizes = START | {size: start * factor}
                seconds.append(run(folder, f"{size}-{factor}", **sizes))
                lines.append(f"{sizes[size]},{seconds[-1]:.3f}")
            what, often = f"time of {FACTORS[-1]} times the {size}", FACTORS[-1] * seconds[0]
            peer = f"{FACTORS[-1]} times the time of {start}"
            rows.append(Row(what, "s", seconds[-1], peer, often, at_most=1.1))
            (results / f"growth-{size}.csv").write_text("\n".join(lines) + "\n")
    return rows


def run(folder: Path, name: str, *, population: int, samples: int, generations: int) -> float:
    """Train and draw with an empty store, and return the seconds it took."""
    base, store = folder / "base", Store(folder / "stores" / name)
    tokenizer = AutoTokenizer.from_pretrained(base)
    prompts = {
        str(number): chat_prompt(tokenizer, f"Fix number {number}:\n") for number in range(3)
    }
    start = time.perf_counter()
    for generation in range(generations):
        wanted = [
            (
                AdapterConfiguration(4, 1 + number, 0.0, ("q_proj", "v_proj"), use_dora=False),
                generation,
            )
            for number in range(population)
        ]
        adapters = obtain_adapters(base, _examples(prompts), wanted, TRAINING, store, threads=1)
        works = [
            Work(adapter.key, adapter.key, adapter.folder, adapter.files, KNOBS, prompts)
            for adapter in adapters.values()
        ]
        draw(works, Drawing(samples, 32, generation, 4, 1), base, "genomes", store)
    return time.perf_counter() - start


def _examples(prompts: dict[str, str]) -> Sequence[Example]:
    return [
        Example(
            id=f"tiny/{number}",
            problem="tiny",
            variant=number,
            bug=None,
            instruction="Fix:",
            input="x",
            output="y",
            prompt=prompt,
            answer="return 1\n```",
        )
        for number, prompt in enumerate([*prompts.values(), prompts["0"]])
    ]
