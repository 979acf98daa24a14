"""Compare adapter training with transformers' Trainer, and with the rate of matrix products.

Both train the same LoRA adapter on the same batches of the bundled corpus' examples. The Trainer
uses PEFT and a padding collator, on all threads. We train one adapter per core, as in a generation,
and measure the rate of matrix products on the same threads at the same load. On a GPU we also train
one adapter, and both make four passes, so that device start-up counts for less. Loading the base
model is not measured.

The share of the matrix-product rate counts the operations that the maths needs: every token once
through the frozen matrices forward and backward, causal attention, the adapter, and the output head
at answer positions.

With adapters in only the upper layers, the lower layers run forward once per example.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Sequence, Sized
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import torch
from joblib import Parallel, delayed
from joblib.externals.loky import get_reusable_executor
from peft import get_peft_model
from torch.optim.lr_scheduler import LambdaLR, LRScheduler
from torch.utils.data import Sampler, SequentialSampler
from transformers import DataCollatorForSeq2Seq, PrinterCallback, Trainer, TrainingArguments

from benchmarks.table import ROOT, Row
from coral_batch.corpus.readers.quixbugs import read
from coral_batch.corpus.roles.coralx import TRAINING as TRAINING_PROBLEMS
from coral_batch.lake import params
from coral_batch.models.base.checkpoint import BaseModel, load_base
from coral_batch.models.base.device import devices
from coral_batch.models.base.layers import layers_below
from coral_batch.models.prompts.examples import make_examples
from coral_batch.models.training.encoding import Encoded, encode
from coral_batch.models.training.training import lora_config, share_of_peak, train
from coral_batch.records.configuration import AdapterConfiguration
from coral_batch.records.example import Example
from coral_batch.records.settings import Training
from coral_batch.seeding import derive_seed, generator

SEED = 1
BASE, CORPUS = ROOT / "lake/base", ROOT / "lake/raw/classics"
TRAINING = params.load(ROOT / params.FILE).training
CONFIGURATION = AdapterConfiguration(8, 16, 0.0, ("q_proj", "v_proj"), use_dora=False)


@dataclass(frozen=True)
class Result:
    """The measurements of one adapter.

    Attributes:
        losses: the loss of each step.
        tokens: prompt and answer tokens of all steps.
        seconds: training time.
        needed: operations that the maths needs.
        rate: operations per second of matrix products on the same core, mean of before and after.
    """

    losses: tuple[float, ...]
    tokens: int
    seconds: float
    needed: float
    rate: float


def measure() -> list[Row]:
    """Train LoRA on q and v, in all layers and in the layers of params.yaml."""
    return [row for layers in (None, TRAINING.layers) for row in _measure(layers)]


def _measure(layers: int | None) -> list[Row]:
    """Train one adapter per core, or one on a GPU, and then one with the Trainer."""
    gpu = devices()[0].type == "cuda"
    cores = 1 if gpu else len(os.sched_getaffinity(0))
    training = replace(TRAINING, layers=layers, passes=4 if gpu else 1)
    ours = Parallel(n_jobs=cores)(delayed(_alone)(training) for _ in range(cores))
    get_reusable_executor().shutdown(wait=True)
    tokens = sum(one.tokens / one.seconds for one in ours)
    products = sum(one.rate for one in ours) / 1e9
    needed = sum(one.needed / one.seconds for one in ours) / 1e9
    base = load_base(BASE)
    rows = _in_order(base, _examples(base), training)
    with tempfile.TemporaryDirectory() as output:
        losses, seconds = run_trainer(base, rows, CONFIGURATION, training, Path(output))
    theirs = sum(len(row.ids) for row in rows) / seconds
    apart = max(abs(our - their) for our, their in zip(ours[0].losses, losses, strict=True))
    where = "all layers" if layers is None else f"the upper {layers} layers"
    print(f"{where}: losses of the steps at most {apart:.4f} apart", file=sys.stderr)
    what = f"training LoRA on q, v in {where}: {cores} side by side"
    return [
        Row(what, "tokens/s", tokens, "Trainer, one by one", theirs, at_least=2),
        Row(what, "GFLOP/s needed", needed, "matrix products", products, at_least=0.6),
    ]


def _alone(training: Training) -> Result:
    """Train on one thread, like a worker of `coral_batch.models.training.obtain`."""
    torch.set_num_threads(1)
    base = load_base(BASE)
    examples = _examples(base)
    rows = _in_order(base, examples, training)
    before = matrix_rate(base)
    needed = operations(base, rows, CONFIGURATION, training)
    with tempfile.TemporaryDirectory() as output:
        curve, seconds = train(base, examples, CONFIGURATION, training, SEED, Path(output))
    rate = (before + matrix_rate(load_base(BASE))) / 2
    return Result(curve.loss, sum(curve.tokens), seconds, needed, rate)


def _examples(base: BaseModel) -> list[Example]:
    """Return one example of each training problem of the bundled classics."""
    problems = [one for one in read(CORPUS)[0] if one.name in TRAINING_PROBLEMS]
    return make_examples(problems, [], 0, base.tokenizer, docstring=True)[::4]


def _in_order(base: BaseModel, examples: Sequence[Example], training: Training) -> list[Encoded]:
    """Return the examples of all passes, in the order of `train`."""
    order = generator(SEED, "training order")
    encoded = [encode(example, base.tokenizer) for example in examples]
    return [
        encoded[index] for _ in range(training.passes) for index in order.permutation(len(encoded))
    ]


def matrix_rate(base: BaseModel) -> float:
    """Return operations per second of products with the model's up projections, on 1,200 rows."""
    weights = [layer.mlp.up_proj.weight for layer in base.model.model.layers]
    wide, narrow = weights[0].shape
    left, right = (torch.randn(1200, size).to(weights[0]) for size in (narrow, wide))
    for weight in weights:
        left @ weight.t()
    _wait(base.model.device)
    start = time.perf_counter()
    for weight in weights:
        left @ weight.t()
        right @ weight
    _wait(base.model.device)
    return 4 * 1200 * wide * narrow * len(weights) / (time.perf_counter() - start)


def _wait(device: torch.device) -> None:
    """Wait for a GPU to finish its work."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def operations(
    base: BaseModel,
    rows: Sequence[Encoded],
    configuration: AdapterConfiguration,
    training: Training,
) -> float:
    """Return the multiplications and additions that training on the rows of all passes needs."""
    config = base.model.config
    below = layers_below(config, training.layers)
    layers = base.model.model.layers[below:]
    lower = sum(one.numel() for one in base.model.model.layers[:below].parameters())
    matrices = [
        (name.split(".")[-2], parameter.shape)
        for name, parameter in layers.named_parameters()
        if parameter.ndim == 2
    ]
    frozen = sum(shape[0] * shape[1] for _, shape in matrices)
    adapted = sum(
        configuration.r * sum(shape)
        for name, shape in matrices
        if name in configuration.target_modules
    )
    head = base.model.lm_head.weight.numel()
    attention = config.hidden_size * len(layers)
    total = 0.0
    for row in rows:
        total += len(row.ids) * (4 * frozen + 6 * adapted)
        total += 4 * head * row.answer
        total += 2 * lower * len(row.ids) / training.passes
        total += 6 * attention * len(row.ids) ** 2
    return total


class Peer(Trainer):
    """transformers' Trainer with batches in data set order and our learning rates.

    Its own linear schedule starts with rate 0.
    """

    def create_scheduler(
        self, num_training_steps: int, optimizer: torch.optim.Optimizer | None = None
    ) -> LRScheduler:
        warmup = self.args.get_warmup_steps(num_training_steps)
        last = num_training_steps - 1  # it also asks for the rate after the last step
        self.lr_scheduler = LambdaLR(
            cast(torch.optim.Optimizer, optimizer or self.optimizer),
            lambda step: share_of_peak(min(step, last), num_training_steps, warmup),
        )
        return self.lr_scheduler

    def _get_train_sampler(self, *_: Any) -> Sampler:
        return SequentialSampler(cast(Sized, self.train_dataset))


def run_trainer(
    base: BaseModel,
    rows: Sequence[Encoded],
    configuration: AdapterConfiguration,
    training: Training,
    folder: Path,
) -> tuple[list[float], float]:
    """Train with transformers' Trainer; return the loss of each step and the seconds.

    Args:
        base: the base model, which gets changed.
        rows: the examples of all passes, in order.
        configuration: the adapter.
        training: hyperparameters.
        folder: for the Trainer's own files.
    """
    below = layers_below(base.model.config, training.layers)
    torch.manual_seed(derive_seed(SEED, "adapter initialisation"))
    model = get_peft_model(base.model, lora_config(base, configuration, below))
    data = [
        {
            "input_ids": list(row.ids),
            "attention_mask": [1] * len(row.ids),
            "labels": [-100] * (len(row.ids) - row.answer) + list(row.ids[-row.answer :]),
        }
        for row in rows
    ]
    trainer = Peer(
        model=model,
        args=TrainingArguments(
            output_dir=str(folder / "trainer"),
            use_cpu=base.model.device.type == "cpu",
            num_train_epochs=1,
            per_device_train_batch_size=training.batch_size,
            learning_rate=training.learning_rate,
            warmup_steps=training.warmup_steps,
            logging_steps=1,
            save_strategy="no",
            report_to="none",
            disable_tqdm=True,
        ),
        train_dataset=data,
        data_collator=DataCollatorForSeq2Seq(base.tokenizer),
    )
    trainer.remove_callback(PrinterCallback)  # a line a step would drown the table
    start = time.perf_counter()
    trainer.train()
    seconds = time.perf_counter() - start
    return [entry["loss"] for entry in trainer.state.log_history if "loss" in entry], seconds
