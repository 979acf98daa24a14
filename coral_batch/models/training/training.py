"""Train one LoRA or DoRA adapter on the examples and write it as a plain PEFT folder.

The loss covers answer tokens only. A step's gradient is summed over its batch, one example at a
time. The result is deterministic: the same base, examples, configuration and seed give the same
bytes on the same machine.
"""

from __future__ import annotations

import ctypes
import json
import math
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from peft import LoraConfig, PeftModel, get_peft_model
from peft.utils import get_peft_model_state_dict
from safetensors import SafetensorError
from safetensors.torch import save_file

from coral_batch.errors import CoralError
from coral_batch.models.base.checkpoint import BaseModel
from coral_batch.models.base.layers import (
    layers_below,
    leave_out,
    lower_states,
    separable,
    upper_alone,
)
from coral_batch.models.training.encoding import Encoded, encode
from coral_batch.models.training.inheritance import Parent, inherit
from coral_batch.models.training.layers import exact_magnitudes
from coral_batch.models.training.losses import losses
from coral_batch.records.configuration import AdapterConfiguration
from coral_batch.records.example import Example
from coral_batch.records.settings import Training
from coral_batch.seeding import derive_seed, generator
from coral_batch.work.progress import progress

MAX_NORM = 1.0
"""Maximum norm of a step's gradient, by clipping."""


@dataclass(frozen=True)
class TrainingCurve:
    """The training curve, step by step.

    Attributes:
        loss: mean cross entropy of the answer tokens of each optimizer step's batch, in nats.
        tokens: number of prompt and answer tokens of each batch.
        diverged: whether the loss or gradient became non-finite; the adapter is that of the last
            listed step.
    """

    loss: tuple[float, ...]
    tokens: tuple[int, ...]
    diverged: bool


def train(
    base: BaseModel,
    examples: Sequence[Example],
    configuration: AdapterConfiguration,
    training: Training,
    seed: int,
    folder: Path,
    parents: Sequence[Parent] = (),
) -> tuple[TrainingCurve, float]:
    """Train an adapter and write it to `folder`.

    The base model stays bit-identical. Layers below the adapted ones run once per example, whatever
    the number of passes, and are freed then, where the model allows it. So a base model trains one
    adapter of the upper layers, or any number of adapters of all layers.

    Args:
        base: the loaded base model.
        examples: the training examples.
        configuration: the adapter's configuration.
        training: hyperparameters; for the learning rate of each step see `share_of_peak`.
        seed: the run's seed; initialisation, order and dropout each have their own derived seed.
        folder: an existing folder for adapter_config.json and adapter_model.safetensors.
        parents: the adapters that initialise it; empty for none.

    Returns:
        The curve, and the training time in seconds.

    Raises:
        CoralError: the base model lacks a target module, has fewer layers than should get adapters,
            or the warm-up is longer than the training.
    """
    check_warmup(len(examples), training)
    start = time.perf_counter()
    encoded = [encode(example, base.tokenizer) for example in examples]
    below = layers_below(base.model.config, training.layers)
    apart = below > 0 and separable(base.model.config)
    if apart:
        encoded = [
            replace(one, states=lower_states(base.model, one.padded, below).cpu())
            for one in encoded
        ]
        leave_out(base.model, below)
    order = generator(seed, "training order")
    steps = [
        [encoded[index] for index in batch]
        for _ in range(training.passes)
        for batch in _batches(order.permutation(len(encoded)), training.batch_size)
    ]
    config = lora_config(base, configuration, below)
    _check_targets(base, configuration)
    model = _attach(base, config, seed, parents)
    try:
        running = upper_alone(base.model, below) if apart else nullcontext()
        with running, losses(model, seed) as loss:
            curve = _optimise(model, steps, loss, training)
        written = config.to_dict() | {
            "base_model_name_or_path": base.card.name,
            "inference_mode": True,
            "target_modules": list(configuration.target_modules),
        }
        _save(model, written, folder)
    finally:
        model.unload()
    return curve, time.perf_counter() - start


def lora_config(base: BaseModel, configuration: AdapterConfiguration, below: int) -> LoraConfig:
    """Return PEFT's configuration of an adapter above the lowest `below` layers."""
    depth = base.model.config.get_text_config().num_hidden_layers
    return LoraConfig(
        task_type="CAUSAL_LM",
        r=configuration.r,
        lora_alpha=configuration.lora_alpha,
        lora_dropout=configuration.lora_dropout,
        target_modules=list(configuration.target_modules),
        use_dora=configuration.use_dora,
        layers_to_transform=list(range(below, depth)) if below else None,
    )


def check_warmup(examples: int, training: Training) -> None:
    """Raise if the warm-up is longer than the training and so never reaches the peak rate.

    Args:
        examples: number of training examples.
        training: hyperparameters.

    Raises:
        CoralError: the warm-up has more steps than the training.
    """
    steps = training.passes * math.ceil(examples / training.batch_size)
    if training.warmup_steps > steps:
        raise CoralError(
            "the warm-up is longer than the training",
            field="training.warmup_steps",
            found=training.warmup_steps,
            expected=f"at most {steps}: {training.passes} x {examples} examples in batches of"
            f" {training.batch_size} are {steps} optimizer steps",
            action="lower training.warmup_steps or training.batch_size",
        )


def share_of_peak(step: int, steps: int, warmup: int) -> float:
    """Return a step's share of the peak learning rate; never 0, so that every step trains.

    It rises linearly to 1 at the last warm-up step, ``min(1, t / warmup)`` with t counted from 1
    (Ma and Yarats 2021, "On the adequacy of untuned warmup for adaptive optimization"). Then it
    falls linearly, to reach 0 one step after the last.

    Args:
        step: counted from 0, in [0, steps).
        steps: number of training steps, >= 1.
        warmup: number of warm-up steps, in [0, steps].
    """
    if step < warmup:
        return (step + 1) / warmup
    return (steps - step) / (steps - warmup)


def _batches(indices: np.ndarray, size: int) -> list[np.ndarray]:
    return [indices[start : start + size] for start in range(0, len(indices), size)]


def _attach(base: BaseModel, config: LoraConfig, seed: int, parents: Sequence[Parent]) -> PeftModel:
    # Creating the PEFT model initialises LoRA's A from torch's global generator.
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(derive_seed(seed, "adapter initialisation"))
        # Gradients off: else PEFT's first norms for DoRA keep a gigabyte of products alive.
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore", FutureWarning)  # PEFT uses deprecated transformers code
            model = get_peft_model(base.model, config)
        exact_magnitudes(model)
        if parents:
            inherit(model, parents)
    _give_back()
    return model


def _check_targets(base: BaseModel, configuration: AdapterConfiguration) -> None:
    """Raise for unknown names, which PEFT skips if it finds others, and for the output layer."""
    linear = {
        name.rpartition(".")[2]
        for name, module in base.model.named_modules()
        if isinstance(module, torch.nn.Linear) and module is not base.model.get_output_embeddings()
    }
    missing = sorted(set(configuration.target_modules) - linear)
    if missing:
        raise CoralError(
            "the base model lacks some of the adapter's target modules",
            file="params.yaml",
            field="candidates.target_modules",
            found=missing,
            expected=f"names of linear layers of {base.card.name}: {', '.join(sorted(linear))}",
        )


def _optimise(
    model: PeftModel,
    steps: Sequence[Sequence[Encoded]],
    loss_of: Callable[[Encoded], torch.Tensor],
    training: Training,
) -> TrainingCurve:
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=training.learning_rate, weight_decay=0.0)
    loss_curve: list[float] = []
    tokens: list[int] = []
    diverged = False
    with progress(steps, "one adapter", units="steps", leave=False) as bar:
        for step, sequences in enumerate(bar):
            answer_tokens = sum(sequence.answer for sequence in sequences)
            total = 0.0
            for sequence in sequences:
                loss = loss_of(sequence) * (sequence.answer / answer_tokens)
                loss.backward()
                total += loss.item()
                _give_back()
            norm = torch.nn.utils.clip_grad_norm_(parameters, MAX_NORM)
            if not (math.isfinite(total) and math.isfinite(norm.item())):
                diverged = True
                break
            share = share_of_peak(step, len(steps), training.warmup_steps)
            optimizer.param_groups[0]["lr"] = training.learning_rate * share
            optimizer.step()
            optimizer.zero_grad()
            loss_curve.append(total)
            tokens.append(sum(len(sequence.ids) for sequence in sequences))
            bar.set_postfix(loss=f"{loss_curve[-1]:.3f}")
    return TrainingCurve(tuple(loss_curve), tuple(tokens), diverged)


def _give_back() -> None:
    """Return freed memory to the system.

    Sequences differ in length, so memory kept by glibc rarely fits the next one. Without this the
    process grew by hundreds of megabytes per step.
    """
    ctypes.CDLL(None).malloc_trim(0)


def _save(model: PeftModel, config: dict[str, Any], folder: Path) -> None:
    """Write PEFT's two files, without its model card and with every list in a fixed order."""
    weights = folder / "adapter_model.safetensors"
    tensors = sorted(get_peft_model_state_dict(model).items())
    try:
        save_file(
            {name: tensor.contiguous() for name, tensor in tensors}, weights, {"format": "pt"}
        )
        weights.chmod(0o644)  # safetensors makes files that only the owner can read
    except SafetensorError as error:
        raise CoralError(
            f"the adapter could not be written ({error})", file=weights, action="free some space"
        ) from error
    text = json.dumps(config, indent=2, sort_keys=True, default=list)
    (folder / "adapter_config.json").write_text(text + "\n")
