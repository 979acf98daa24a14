"""Train one LoRA or DoRA adapter on the examples and write it as a plain PEFT folder.

Batches are packed, not padded: sequences lie one behind the other in one row, and attention stays
within each. Loss is taken on answer tokens only. Everything follows from the arguments: the same
base, examples, configuration and seed give the same bytes on the same machine.
The store (`coral_batch.lake.store`) decides whether training is needed at all.
"""

from __future__ import annotations

import ctypes
import json
import math
import time
import warnings
from collections.abc import Sequence
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
from coral_batch.models.training import kernels
from coral_batch.models.training.acceleration import accelerated, exact_magnitudes
from coral_batch.records.configuration import AdapterConfiguration
from coral_batch.records.example import Example
from coral_batch.records.settings import Training
from coral_batch.seeding import derive_seed, generator
from coral_batch.work.progress import Tell, progress, unheard

# A step's gradient is summed over parts of its batch, which bounds the memory of the activations.
# Shorter parts are slower: the common prefix is read again, and the output head with it.
PART_TOKENS = 700


@dataclass(frozen=True)
class TrainingCurve:
    """What happened, step by step.

    Attributes:
        loss: mean cross entropy of the answer tokens of each optimizer step's batch, in nats.
        tokens: prompt and answer tokens of each batch.
        answer_tokens: the tokens of each batch that the loss is taken on.
        diverged: the loss or gradient became non-finite; the adapter is the one of the last step
            listed.
    """

    loss: tuple[float, ...]
    tokens: tuple[int, ...]
    answer_tokens: tuple[int, ...]
    diverged: bool


@dataclass(frozen=True)
class Encoded:
    """An example in tokens: prompt, then answer."""

    ids: tuple[int, ...]
    answer: int


@dataclass(frozen=True)
class Batch:
    """A packed batch: the common prefix of its sequences once, then their rests.

    Attributes:
        ids: (1, tokens) token ids.
        positions: (1, tokens) positions within each sequence.
        predicting: (answers,) positions in the row whose next token is an answer token.
        targets: (answers,) those next tokens.
        packing: where the sequences lie.
    """

    ids: torch.Tensor
    positions: torch.Tensor
    predicting: torch.Tensor
    targets: torch.Tensor
    packing: kernels.Packing


def train(
    base: BaseModel,
    examples: Sequence[Example],
    configuration: AdapterConfiguration,
    training: Training,
    seed: int,
    folder: Path,
    tell: Tell = unheard,
) -> tuple[TrainingCurve, float]:
    """Train an adapter and write it to `folder`.

    The base model is the same before and after, to the bit; it can train any number of adapters.

    Args:
        base: the loaded base model.
        examples: what to train on.
        configuration: the adapter.
        training: hyperparameters; for the learning rate of each step see `share_of_peak`.
        seed: the run's seed; initialisation, order and dropout each have a stream of their own.
        folder: an existing folder, which gets adapter_config.json and adapter_model.safetensors.
        tell: is told, before the first step and after each, the share of the steps that is done.

    Returns:
        The curve, and the seconds the training took.

    Raises:
        CoralError: the base model has none of the target modules, or the warm-up is longer than
            the training.
    """
    check_warmup(len(examples), training)
    start = time.perf_counter()
    encoded = [encode(example, base.tokenizer) for example in examples]
    order = generator(seed, "training order")
    steps = [
        [encoded[index] for index in batch]
        for _ in range(training.passes)
        for batch in _batches(order.permutation(len(encoded)), training.batch_size)
    ]
    model = _attach(base, configuration, seed)
    try:
        dropout = generator(seed, "dropout")
        with accelerated(model, dropout):
            curve = _optimise(model, steps, training, tell)
        _save(model, base, configuration, folder)
    finally:
        model.unload()
    return curve, time.perf_counter() - start


def check_warmup(examples: int, training: Training) -> None:
    """Refuse a warm-up that ends behind the training, which would never reach its learning rate.

    Args:
        examples: how many there are to train on.
        training: hyperparameters.

    Raises:
        CoralError: there are more steps of warm-up than of training.
    """
    steps = training.passes * math.ceil(examples / training.batch_size)
    if training.warmup_steps > steps:
        raise CoralError(
            "The warm-up is longer than the training",
            field="training.warmup_steps",
            found=training.warmup_steps,
            expected=f"at most {steps}: {training.passes} x {examples} examples in batches of"
            f" {training.batch_size} are {steps} optimizer steps",
            action="lower training.warmup_steps or training.batch_size",
        )


def share_of_peak(step: int, steps: int, warmup: int) -> float:
    """Share of the peak learning rate that a step has; never 0, so that every step trains.

    It rises by equal amounts to 1 at the last step of the warm-up, ``min(1, t / warmup)`` with t
    counted from 1 (Ma and Yarats 2021, "On the adequacy of untuned warmup for adaptive
    optimization"), and then falls by equal amounts, to reach 0 behind the last step.

    Args:
        step: counted from 0, in [0, steps).
        steps: of the whole training, >= 1.
        warmup: steps of the warm-up, in [0, steps].
    """
    if step < warmup:
        return (step + 1) / warmup
    return (steps - step) / (steps - warmup)


def encode(example: Example, tokenizer: Any) -> Encoded:
    """Tokenize an example: the prompt as a sample's prompt is, the answer as the text goes on.

    A SentencePiece tokenizer puts a space before every text, which an answer by itself would get.
    """
    prompt, answer, whole = (
        tokenizer(text, add_special_tokens=False)["input_ids"]
        for text in (example.prompt, example.answer, example.prompt + example.answer)
    )
    # Where a token crosses the border, the prompt's tokens decide, which are what samples follow.
    if whole[: len(prompt)] == prompt:
        answer = whole[len(prompt) :]
    return Encoded((*prompt, *answer), len(answer))


def pack(sequences: Sequence[Encoded], repeats: int, dtype: torch.dtype) -> Batch:
    """Put sequences behind one another, what all of them begin with only once.

    Under causal attention the common prefix (system prompt, instruction) has the same activations
    in every sequence; its gradients add up.

    Args:
        sequences: at least one.
        repeats: query heads for each key head.
        dtype: compute type.
    """
    prefix = _common_prefix(sequences)
    rests = [np.array(sequence.ids[prefix:]) for sequence in sequences]
    lengths = [len(rest) for rest in rests]
    ids = np.concatenate([sequences[0].ids[:prefix], *rests]).astype(np.int64)
    ends = prefix + np.cumsum(lengths)
    predicting = np.concatenate(
        [
            np.arange(end - sequence.answer, end) - 1
            for end, sequence in zip(ends, sequences, strict=True)
        ]
    )
    positions = [np.arange(prefix), *(prefix + np.arange(length) for length in lengths)]
    return Batch(
        ids=torch.from_numpy(ids)[None],
        positions=torch.from_numpy(np.concatenate(positions))[None],
        predicting=torch.from_numpy(predicting),
        targets=torch.from_numpy(ids[predicting + 1]),
        packing=kernels.make_packing(prefix, lengths, repeats, dtype),
    )


def _on(device: torch.device, batch: Batch) -> Batch:
    """Return the batch on `device`."""
    biases = {sizes: bias.to(device) for sizes, bias in batch.packing.biases.items()}
    return Batch(
        ids=batch.ids.to(device),
        positions=batch.positions.to(device),
        predicting=batch.predicting.to(device),
        targets=batch.targets.to(device),
        packing=replace(batch.packing, biases=biases),
    )


def _common_prefix(sequences: Sequence[Encoded]) -> int:
    """Length of the longest prefix of all prompts that leaves each a last prompt token."""
    if len(sequences) == 1:
        return 0
    limit = min(len(sequence.ids) - sequence.answer for sequence in sequences) - 1
    columns = zip(*(sequence.ids[:limit] for sequence in sequences), strict=True)
    return next((at for at, column in enumerate(columns) if len(set(column)) > 1), limit)


def _parts(sequences: Sequence[Encoded]) -> list[list[Encoded]]:
    """Cut a step's batch into parts of at most `PART_TOKENS`, or of one sequence, in order."""
    parts: list[list[Encoded]] = [[]]
    for sequence in sequences:
        if parts[-1] and sum(len(other.ids) for other in [*parts[-1], sequence]) > PART_TOKENS:
            parts.append([])
        parts[-1].append(sequence)
    return parts


def _batches(indices: np.ndarray, size: int) -> list[np.ndarray]:
    return [indices[start : start + size] for start in range(0, len(indices), size)]


def _attach(base: BaseModel, configuration: AdapterConfiguration, seed: int) -> PeftModel:
    config = _lora_config(configuration)
    # LoRA's A is drawn when the PEFT model is made, from torch's global generator.
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(derive_seed(seed, "adapter initialisation"))
        try:
            # Gradients off: else PEFT's first norms for DoRA keep a gigabyte of products alive.
            with warnings.catch_warnings(), torch.no_grad():
                warnings.simplefilter("ignore", FutureWarning)  # PEFT calls what transformers drops
                model = get_peft_model(base.model, config)
        except ValueError as error:
            raise CoralError(
                "The base model has none of the adapter's target modules",
                field="candidates.target_modules",
                found=list(configuration.target_modules),
                expected=f"names of linear layers of {base.card.name}",
            ) from error
    exact_magnitudes(model)
    _give_back()
    return model


def _lora_config(configuration: AdapterConfiguration) -> LoraConfig:
    return LoraConfig(
        task_type="CAUSAL_LM",
        r=configuration.r,
        lora_alpha=configuration.lora_alpha,
        lora_dropout=configuration.lora_dropout,
        target_modules=list(configuration.target_modules),
        use_dora=configuration.use_dora,
    )


def _optimise(
    model: PeftModel, steps: Sequence[Sequence[Encoded]], training: Training, tell: Tell
) -> TrainingCurve:
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(
        parameters, lr=training.learning_rate, weight_decay=training.weight_decay
    )
    inner: Any = model.base_model.model
    config = inner.config
    repeats = config.num_attention_heads // config.num_key_value_heads
    loss_curve: list[float] = []
    tokens, answers = [], []
    diverged = False
    tell(0.0)
    with progress(steps, "one adapter", units="steps", leave=False) as bar:
        for step, sequences in enumerate(bar):
            answer_tokens = sum(sequence.answer for sequence in sequences)
            total = 0.0
            for part in _parts(sequences):
                batch = _on(inner.device, pack(part, repeats, inner.dtype))
                hidden = inner.base_model(
                    input_ids=batch.ids,
                    position_ids=batch.positions,
                    packing=batch.packing,
                    use_cache=False,
                ).last_hidden_state[0, batch.predicting]
                loss = kernels.AnswerLoss.apply(hidden, inner.lm_head.weight, batch.targets)
                loss = loss * (batch.targets.numel() / answer_tokens)
                loss.backward()
                total += loss.item()
                _give_back()
            norm = torch.nn.utils.clip_grad_norm_(parameters, training.max_grad_norm)
            if not (math.isfinite(total) and math.isfinite(norm.item())):
                diverged = True
                break
            share = share_of_peak(step, len(steps), training.warmup_steps)
            optimizer.param_groups[0]["lr"] = training.learning_rate * share
            optimizer.step()
            optimizer.zero_grad()
            loss_curve.append(total)
            tokens.append(sum(len(sequence.ids) for sequence in sequences))
            answers.append(answer_tokens)
            bar.set_postfix(loss=f"{loss_curve[-1]:.3f}")
            tell(len(loss_curve) / len(steps))
    return TrainingCurve(tuple(loss_curve), tuple(tokens), tuple(answers), diverged)


def _give_back() -> None:
    """Return freed memory to the system.

    Parts differ in length, so what glibc keeps of one seldom fits the next: without this the
    process grew by hundreds of megabytes a step. The widest activations are used again instead
    (`coral_batch.models.training.low_rank.Buffers`).
    """
    ctypes.CDLL(None).malloc_trim(0)


def _save(
    model: PeftModel, base: BaseModel, configuration: AdapterConfiguration, folder: Path
) -> None:
    """Write PEFT's two files, without its model card and with every list in a fixed order."""
    tensors = {
        name: tensor.contiguous()
        for name, tensor in sorted(get_peft_model_state_dict(model).items())
    }
    weights = folder / "adapter_model.safetensors"
    try:
        save_file(tensors, weights, metadata={"format": "pt"})
        weights.chmod(0o644)  # safetensors writes files that only their owner can read
    except SafetensorError as error:
        raise CoralError(
            f"The adapter could not be written ({error})", file=weights, action="free some space"
        ) from error
    config = _lora_config(configuration).to_dict() | {
        "base_model_name_or_path": base.card.name,
        "inference_mode": True,
        "target_modules": list(configuration.target_modules),
    }
    text = json.dumps(config, indent=2, sort_keys=True, default=list)
    (folder / "adapter_config.json").write_text(text + "\n")
