"""Work out what a large run costs: units, bytes and seconds on one GPU, eight, and a cluster.

    python -m benchmarks.scaling [--population N] [--generations N] [--samples N] [--hanging SHARE]

Nothing is measured here. docs/scaling.md says where each constant below is from (measured, a data
sheet, or assumed) and reads the result.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass

from coral_batch.work.text import table

# CodeLlama-7B, bf16: 32 layers, hidden 4096, feed-forward 11008, vocabulary 32016.
PARAMETERS = 6_738_546_688
LAYERS, HIDDEN, WIDE = 32, 4096, 11008
CACHE_BYTES = 2 * LAYERS * HIDDEN * 2  # keys and values of a token

# One H100 SXM: NVIDIA's data sheet, dense.
FLOPS, BANDWIDTH, MEMORY = 989e12, 3.35e12, 80e9
# Assumed shares of those.
TRAINING_SHARE, DECODING_SHARE = 0.35, 0.5
CORES = 16  # a GPU

# The corpus, in tokens of Qwen's vocabulary; assumed: CodeLlama's makes 1.3 times as many.
VOCABULARY = 1.3
TRAINING_TOKENS, PROMPT_TOKENS, ANSWER_TOKENS = 29_826, 271, 80
LONGEST_ANSWER = 384
PROBLEMS, CASES = 8, 12
ROWS = 64  # of a decoding step

# The default candidates: r, alpha, dropout, modules, method.
CONFIGURATIONS = 3 * 3 * 3 * 4 * 2
MEAN_RANK = (4 + 8 + 16) / 3
_ATTENTION, _FEED_FORWARD = 4 * 2 * HIDDEN, 3 * (HIDDEN + WIDE)
MEAN_WIDTH = (2 * 2 * HIDDEN + 2 * _ATTENTION + 2 * _FEED_FORWARD) / 4

# Measured on one core of an Intel Sapphire Rapids, all but the programs under load;
# benchmarks/README.md.
PROGRAMS, SOURCES = 522.0, 165.0
TABLES = 2.7 / 6400  # s a sample: verdicts, findings, scores, selection, page without the above
TABLE_BYTES = 2315  # a sample, in all tables of its generation
# Assumed.
HANGING, CASE_SECONDS = 0.01, 5.0
STARTS, START_SECONDS = 9, 1.0  # stages a generation
LOADS, LOAD_SECONDS, READ_RATE = 2, 5.0, 2e9  # of them with torch and the base model
ADAPTER_SECONDS = 2.0  # to attach, save and hash an adapter


@dataclass(frozen=True)
class Run:
    """The size of a run; half of a population lives on, as in params.yaml."""

    population: int = 64
    generations: int = 40
    samples: int = 4
    hanging: float = HANGING

    def born(self, generation: int) -> int:
        """Return how many genomes are new in a generation."""
        return self.population if generation == 0 else self.population - self.population // 2

    def trained(self, generation: int) -> float:
        """Return how many configurations nobody had before, if genomes draw them evenly."""
        before = sum(self.born(earlier) for earlier in range(generation))
        left = 1 - 1 / CONFIGURATIONS
        return CONFIGURATIONS * (left**before - left ** (before + self.born(generation)))


def units(run: Run) -> dict[str, float]:
    """Return how much of everything there is in a run."""
    genomes = sum(run.born(generation) for generation in range(run.generations))
    adapters = sum(run.trained(generation) for generation in range(run.generations))
    samples = genomes * PROBLEMS * run.samples
    kept = CONFIGURATIONS * (1 - (1 - 1 / CONFIGURATIONS) ** run.population)
    adapter = 4 * LAYERS * MEAN_RANK * MEAN_WIDTH
    return {
        "genomes": genomes,
        "adapters": adapters,
        "training tokens": adapters * TRAINING_TOKENS * VOCABULARY,
        "samples": samples,
        "decoded tokens": samples * ANSWER_TOKENS * VOCABULARY,
        "prompt tokens": genomes * PROBLEMS * PROMPT_TOKENS * VOCABULARY,
        "verdicts": samples * CASES,
        "GB base model": 2 * PARAMETERS / 1e9,
        "GB adapters in the store": adapters * adapter / 1e9,
        "GB adapters in the lake": run.generations * kept * adapter / 1e9,
        "GB tables": run.population * run.generations * PROBLEMS * run.samples * TABLE_BYTES / 1e9,
        "GB cache of a decoding batch": ROWS
        * (PROMPT_TOKENS + ANSWER_TOKENS)
        * VOCABULARY
        * CACHE_BYTES
        / 1e9,
    }


def seconds(run: Run, gpus: int) -> dict[str, float]:
    """Return the seconds of each phase, summed over the generations, which wait for one another."""
    spent = dict.fromkeys(
        ("training", "prompts", "decoding", "verdicts", "linting", "tables", "starts"), 0.0
    )
    rate = TRAINING_SHARE * FLOPS
    # Weights are frozen: 2 forward, and 2 backward for the activations alone.
    of_adapter = 4 * PARAMETERS * TRAINING_TOKENS * VOCABULARY / rate + ADAPTER_SECONDS
    step = max(2 * PARAMETERS / (DECODING_SHARE * BANDWIDTH), 2 * PARAMETERS * ROWS / rate)
    for generation in range(run.generations):
        # The longest queue counts; of adapters, of which few are new, the mean.
        genomes = math.ceil(run.born(generation) / gpus)
        samples = run.born(generation) * PROBLEMS * run.samples
        tokens = genomes * PROBLEMS * run.samples * ANSWER_TOKENS * VOCABULARY
        new = run.trained(generation)
        spent["training"] += max(new / gpus, min(new, 1.0)) * of_adapter
        prompts = genomes * PROBLEMS * PROMPT_TOKENS * VOCABULARY
        spent["prompts"] += 2 * PARAMETERS * prompts / rate
        spent["decoding"] += max(tokens / ROWS, LONGEST_ANSWER) * step
        cores = CORES * gpus
        hanging = run.hanging * samples * CASES * CASE_SECONDS
        spent["verdicts"] += max(
            (samples / PROGRAMS + hanging) / cores, CASE_SECONDS if run.hanging else 0.0
        )
        spent["linting"] += samples / SOURCES / cores
        spent["tables"] += run.population * PROBLEMS * run.samples * TABLES
        # The workers of a cluster keep the base model from one stage to the next.
        read = 2 * PARAMETERS / READ_RATE if gpus == 1 or generation == 0 else 0.0
        spent["starts"] += (STARTS - LOADS) * START_SECONDS + LOADS * (LOAD_SECONDS + read)
    return spent


def report(run: Run) -> str:
    """Return the tables of units and of seconds."""
    counted = [(name, _number(value)) for name, value in units(run).items()]
    columns = [seconds(run, gpus) for gpus in (1, 8, 64)]
    rows = [(name, *(f"{column[name]:,.0f}" for column in columns)) for name in columns[0]]
    totals = [sum(column.values()) for column in columns]
    rows += [
        (),
        ("s in all", *(f"{total:,.0f}" for total in totals)),
        ("GPU-hours", *(f"{t * g / 3600:.1f}" for t, g in zip(totals, (1, 8, 64), strict=True))),
    ]
    header = ("seconds", "1 GPU", "8 GPUs", "64 GPUs")
    return "\n\n".join(
        (
            table(("", f"population {run.population}"), counted, left={""}),
            table(header, rows, left={"seconds"}),
        )
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    usual = Run()
    for name in ("population", "generations", "samples"):
        parser.add_argument(f"--{name}", type=int, default=getattr(usual, name))
    parser.add_argument("--hanging", type=float, default=usual.hanging)
    print(report(Run(**vars(parser.parse_args()))))


if __name__ == "__main__":
    main()
