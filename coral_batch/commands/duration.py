"""Estimates how long a run takes here, from the rate of matrix products; good to about a third.

The operations per adapter (all layers) and per answer come from measured runs (docs/notebook.md).
With bf16, where products are fast, most of the time goes into everything else: seconds that do not
depend on the rate. Training only the upper layers takes a share, measured in fp32; the lower layers
run once per example.
"""

from __future__ import annotations

import time
from math import ceil

import torch

from coral_batch.records.settings import Params

SHAPE = (1240, 896, 4864)
"""Shape of the timed products: a training batch times the base model's widest layer."""

_SECONDS = 0.7
_ADAPTER = {torch.bfloat16: 40e12, torch.float32: 150e12}
_ADAPTER_SECONDS = {torch.bfloat16: 660.0, torch.float32: 0.0}  # on its one core
_MEASURED = 176  # training examples of that adapter
_LOWER = 54e12  # operations of all layers, once over these examples
_LINT = 1.4  # tokens of a lint example, relative to a bug's
_READ = 0.3  # time to read a bug, relative to an answer
_ANSWER = {torch.bfloat16: 0.34e12, torch.float32: 0.66e12}
_ANSWER_SECONDS = {torch.bfloat16: 1.1, torch.float32: 0.0}
_REST = 5.0  # minutes: the base model, some sixty stages, jail, linters, report


def product_rate(dtype: torch.dtype) -> float:
    """Time matrix products with all threads; return operations per second."""
    rows, inner, columns = SHAPE
    left, right = torch.randn(rows, inner).to(dtype), torch.randn(inner, columns).to(dtype)
    for _ in range(3):  # warm-up
        left @ right
    start, products = time.perf_counter(), 0
    while (passed := time.perf_counter() - start) < _SECONDS:
        left @ right
        products += 1
    return 2.0 * rows * inner * columns * products / passed


def minutes(settings: Params, rate: float, dtype: torch.dtype) -> dict[str, float]:
    """Return part -> minutes of a run from a fresh lake on a CPU.

    Args:
        settings: the run's; those that `unlike_measured` returns are ignored.
        rate: operations per second of matrix products, all threads together.
        dtype: the models' dtype.
    """
    evolution, generations = settings.evolution, len(settings.generations)
    newborn = evolution.population - evolution.survivors
    adapters = evolution.population + newborn * (generations - 1)
    selected = (adapters + 1) * (TEST_PROBLEMS + settings.validation.bugs)
    read = (adapters + 1) * settings.validation.read
    if settings.sampling.change == "free":
        read = 0
    measured = 2 * (HELD_OUT_PROBLEMS + settings.evaluation.bugs)
    if settings.evaluation.problems == "all":
        measured += 2 * (TRAINING_PROBLEMS + TEST_PROBLEMS)
    answers = selected * settings.validation.samples + measured * settings.evaluation.samples
    answers += 2 * (settings.linteval.items or LINT_ITEMS) * settings.linteval.samples
    # An adapter trains on one core.
    cores = torch.get_num_threads()
    rounds = ceil(evolution.population / cores) + (generations - 1) * ceil(newborn / cores)
    rate_of_core = rate / cores
    adapter = _ADAPTER[dtype] / rate_of_core + _ADAPTER_SECONDS[dtype]
    adapted = (settings.training.layers or LAYERS) / LAYERS
    adapter *= settings.training.passes * (0.21 + 0.79 * adapted)
    shown = settings.examples
    bugs, lint = _examples(shown.bugs), shown.lint * (TRAINING_PROBLEMS + PRACTICE)
    total = bugs + lint
    each = shown.portion or total
    # Mean cost of an example, as a share of the measured adapter's.
    longer = (bugs + _LINT * lint) / total / _MEASURED
    adapter += _LOWER * (1 - adapted) / rate_of_core
    return {
        "training": rounds * each * adapter * longer / 60,
        "answers": answer_minutes(answers + _READ * read, rate, dtype),
        "the rest": _REST,
    }


def answer_minutes(
    answers: float, rate: float, dtype: torch.dtype, parameters: int | None = None
) -> float:
    """Return the minutes to draw answers on a CPU.

    Args:
        answers: number of answers.
        rate: as in `minutes`, like `dtype`.
        dtype: likewise.
        parameters: number of the base model's; None for the default model.
    """
    each = (_ANSWER[dtype] / rate + _ANSWER_SECONDS[dtype]) / 60
    return answers * each * (parameters or PARAMETERS) / PARAMETERS


def _examples(bugs: int) -> int:
    """Return the number of examples with `bugs` injected bugs per training program."""
    return (
        TRAINING_PROBLEMS + (TRAINING_PROBLEMS + PRACTICE) * bugs if bugs else 4 * TRAINING_PROBLEMS
    )


def unlike_measured(settings: Params) -> list[str]:
    """Return changed settings that affect the duration but that `minutes` ignores."""
    sources = {name: (one.reader, one.path) for name, one in settings.corpus.sources.items()}
    same = {
        "base.model": settings.base.model == MODEL,
        "corpus.sources": sources == SOURCES,
        "linteval.source": settings.linteval.source == "snippets",
        "compute.threads": settings.compute.threads is None,
    }
    return [name for name, unchanged in same.items() if not unchanged]


TRAINING_PROBLEMS = 24
PRACTICE = 128
TEST_PROBLEMS = HELD_OUT_PROBLEMS = 8
LINT_ITEMS = 120
LAYERS = 24
MODEL = "qwen2.5-coder-0.5b-instruct"
PARAMETERS = 494_032_768
SOURCES = {
    "classics": ("quixbugs", "lake/raw/classics"),
    "snippets": ("quixbugs", "lake/raw/snippets"),
    "exercises": ("quixbugs", "lake/raw/exercises"),
    "practice": ("quixbugs", "lake/raw/practice"),
    "drills": ("quixbugs", "lake/raw/drills"),
    "unseen": ("quixbugs", "lake/raw/unseen"),
}
