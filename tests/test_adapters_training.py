"""What training promises: PEFT's result, the same bytes every time, the base untouched."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from peft import LoraConfig, PeftModel, get_peft_model
from safetensors.torch import load_file
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedTokenizerBase, Qwen2Config

from coral_batch.errors import CoralError
from coral_batch.models.base.checkpoint import BaseModel, load_base
from coral_batch.models.base.layers import separable
from coral_batch.models.prompts.prompt import chat_prompt
from coral_batch.models.training.encoding import Encoded, encode
from coral_batch.models.training.losses import losses
from coral_batch.models.training.training import MAX_NORM, TrainingCurve, share_of_peak, train
from coral_batch.records.configuration import AdapterConfiguration
from coral_batch.records.settings import Training
from coral_batch.seeding import derive_seed, generator
from tests.rows import example
from tests.tiny import SHAPE, make_tiny_completion_tokenizer, make_tiny_tokenizer

ALL_LINEAR = ("down_proj", "gate_proj", "k_proj", "o_proj", "q_proj", "up_proj", "v_proj")
LORA = AdapterConfiguration(4, 8, 0.0, ALL_LINEAR, use_dora=False)
DORA = AdapterConfiguration(4, 8, 0.0, ALL_LINEAR, use_dora=True)
DROPOUT = AdapterConfiguration(2, 4, 0.1, ("q_proj", "v_proj"), use_dora=True)
TRAINING = Training(passes=2, batch_size=3, learning_rate=1e-2, warmup_steps=2, layers=None)
SEED = 7
TOKENIZER = make_tiny_tokenizer()
END = f"\n```{TOKENIZER.eos_token}"
EXAMPLES = [
    example("f", n, chat_prompt(TOKENIZER, f"Fix this:\n{text}"), f"def f(x):\n    return {n}{END}")
    for n, text in enumerate("x = x + 1" * (15 * length) for length in range(7))
]


@pytest.fixture
def base(materialised: Path) -> BaseModel:
    return load_base(materialised, torch.float32)


@pytest.mark.parametrize(("layers", "apart"), [(None, False), (1, False), (1, True)])
@pytest.mark.parametrize("configuration", [LORA, DORA], ids=["lora", "dora"])
def test_training_is_plain_peft_with_a_padded_batch(
    base: BaseModel,
    materialised: Path,
    configuration: AdapterConfiguration,
    layers: int | None,
    apart: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also with a model whose upper layers cannot run apart; and the adapter names no path."""
    monkeypatch.setattr("coral_batch.models.training.training.separable", lambda _: apart)
    training = replace(TRAINING, layers=layers)
    curve, _ = train(base, EXAMPLES, configuration, training, SEED, tmp_path)
    reference = load_base(materialised, torch.float32)
    losses = [*_padded_training(reference, configuration, layers)]
    assert curve.loss == pytest.approx([loss for loss, _ in losses], rel=1e-4)
    assert curve.tokens == tuple(tokens for _, tokens in losses)
    assert not curve.diverged
    config = json.loads((tmp_path / "adapter_config.json").read_text())
    assert config["base_model_name_or_path"] == base.card.name
    assert config["target_modules"] == list(ALL_LINEAR)
    assert "/" not in json.dumps(config)

    bare = load_base(materialised, torch.float32).model
    ids = base.tokenizer(EXAMPLES[0].prompt, return_tensors="pt")["input_ids"].to(bare.device)
    with torch.no_grad():
        expected = reference.model.eval()(ids).logits
        assert not torch.allclose(bare(ids).logits, expected)
        adapted = PeftModel.from_pretrained(bare, tmp_path).eval()
        assert torch.allclose(adapted(ids).logits, expected, atol=1e-3)


def test_layers_that_attend_differently_are_not_run_apart(base: BaseModel) -> None:
    config = Qwen2Config(num_hidden_layers=2, layer_types=["full_attention", "sliding_attention"])
    assert separable(base.model.config) and not separable(config)


def _padded_training(
    base: BaseModel, configuration: AdapterConfiguration, layers: int | None
) -> Iterator[tuple[float, int]]:
    """PEFT, transformers' own loss, padded batches: yields loss and real tokens of each step."""
    config = LoraConfig(
        task_type="CAUSAL_LM",
        r=configuration.r,
        lora_alpha=configuration.lora_alpha,
        target_modules=list(configuration.target_modules),
        use_dora=configuration.use_dora,
        layers_to_transform=None if layers is None else list(range(2 - layers, 2)),
    )
    torch.manual_seed(derive_seed(SEED, "adapter initialisation"))
    model = get_peft_model(base.model, config).train()
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=TRAINING.learning_rate, weight_decay=0.0)
    order = generator(SEED, "training order")
    batches = [
        permutation[start : start + TRAINING.batch_size]
        for permutation in (order.permutation(len(EXAMPLES)) for _ in range(TRAINING.passes))
        for start in range(0, len(EXAMPLES), TRAINING.batch_size)
    ]
    for step, batch in enumerate(batches):
        rows = [encode(EXAMPLES[index], base.tokenizer) for index in batch]
        width = max(len(row.ids) for row in rows)
        ids = torch.zeros(len(rows), width, dtype=torch.long, device=base.model.device)
        labels = torch.full_like(ids, -100)
        mask = torch.zeros_like(ids)
        for line, row in enumerate(rows):
            length = len(row.ids)
            ids[line, :length] = torch.tensor(row.ids)
            labels[line, length - row.answer : length] = ids[line, length - row.answer : length]
            mask[line, :length] = 1
        share = (1 + step) / 2 if step < 2 else (len(batches) - step) / (len(batches) - 2)
        optimizer.param_groups[0]["lr"] = TRAINING.learning_rate * share
        loss = model(input_ids=ids, attention_mask=mask, labels=labels).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, MAX_NORM)
        optimizer.step()
        optimizer.zero_grad()
        yield loss.item(), int(mask.sum())


@given(st.data())
def test_every_step_trains_and_one_at_the_full_rate(data: st.DataObject) -> None:
    steps = data.draw(st.integers(1, 300))
    warmup = data.draw(st.integers(0, steps))
    shares = np.array([share_of_peak(step, steps, warmup) for step in range(steps)])
    assert (shares > 0).all()
    assert shares.max() == 1
    rise, fall = np.diff(shares[:warmup], prepend=0), np.diff(shares[warmup:], append=0)
    assert rise == pytest.approx(1 / warmup if warmup else 0)
    assert fall == pytest.approx(-1 / (steps - warmup) if steps > warmup else 0)


@pytest.mark.parametrize("make", [make_tiny_tokenizer, make_tiny_completion_tokenizer])
def test_the_answer_s_tokens_are_those_that_go_on_behind_the_prompt(
    make: Callable[[], PreTrainedTokenizerBase],
) -> None:
    tokenizer = make()
    prompt, answer = chat_prompt(tokenizer, "Fix this:"), f"def f(x):\n```{tokenizer.eos_token}"
    row = encode(example("f", 0, prompt, answer), tokenizer)
    ids = tokenizer(prompt, add_special_tokens=False)["input_ids"]
    assert list(row.ids[: -row.answer]) == ids
    assert "".join(tokenizer.convert_ids_to_tokens(row.ids[-row.answer :])).startswith("def")


@pytest.mark.parametrize("configuration", [LORA, DROPOUT], ids=["lora", "dora with dropout"])
def test_the_same_bytes_every_time_whatever_was_trained_before(
    materialised: Path, configuration: AdapterConfiguration, tmp_path: Path
) -> None:
    def trained(
        base: BaseModel, name: str, configuration: AdapterConfiguration = configuration
    ) -> tuple[TrainingCurve, dict[str, bytes]]:
        output = tmp_path / name
        output.mkdir()
        curve, _ = train(base, EXAMPLES, configuration, TRAINING, SEED, output)
        return curve, {file.name: file.read_bytes() for file in output.iterdir()}

    base = load_base(materialised)
    weights = {name: tensor.clone() for name, tensor in base.model.state_dict().items()}
    first = trained(base, "first")
    trained(base, "other", DORA)
    assert trained(base, "again") == first
    torch.manual_seed(1234)
    assert trained(load_base(materialised), "fresh") == first
    curve, files = first
    assert files.keys() == {"adapter_config.json", "adapter_model.safetensors"}
    assert base.model.state_dict().keys() == weights.keys()
    assert all(torch.equal(weights[k], tensor) for k, tensor in base.model.state_dict().items())
    assert curve.loss[-1] < curve.loss[0]


def test_dropout_is_drawn_for_training_alone(base: BaseModel, tmp_path: Path) -> None:
    """Torch's global generator and the base are left as they were."""
    state = torch.random.get_rng_state()
    curve, _ = train(base, EXAMPLES, DROPOUT, TRAINING, SEED, tmp_path)
    plain = replace(DROPOUT, lora_dropout=0.0)
    assert train(base, EXAMPLES, plain, TRAINING, SEED, tmp_path)[0].loss != curve.loss
    assert torch.equal(torch.random.get_rng_state(), state)
    assert not any(module.training for module in base.model.modules())


def test_a_row_of_zeros_trains_with_dora_as_with_lora(base: BaseModel, tmp_path: Path) -> None:
    with torch.no_grad():
        base.model.model.layers[0].self_attn.v_proj.weight[3] = 0
    curve, _ = train(base, EXAMPLES, DORA, TRAINING, SEED, tmp_path)
    assert not curve.diverged
    assert curve.loss[-1] < curve.loss[0]
    for tensor in load_file(tmp_path / "adapter_model.safetensors").values():
        assert tensor.isfinite().all()


def test_divergence_is_an_outcome(base: BaseModel, tmp_path: Path) -> None:
    wild = replace(TRAINING, passes=4, learning_rate=1e30, warmup_steps=0)
    curve, _ = train(base, EXAMPLES, LORA, wild, SEED, tmp_path)
    assert curve.diverged
    assert np.isfinite(curve.loss).all()
    assert len(curve.loss) < 12


def test_unknown_target_modules_are_named(base: BaseModel, tmp_path: Path) -> None:
    for names in (("c_attn",), ("c_attn", "q_proj"), ("embed_tokens",), ("lm_head", "q_proj")):
        unknown = AdapterConfiguration(4, 8, 0.0, names, use_dora=False)
        with pytest.raises(CoralError, match=names[0]):
            train(base, EXAMPLES, unknown, TRAINING, SEED, tmp_path)


MODELS: dict[str, dict[str, Any]] = {
    "llama": {},
    "qwen3": {"head_dim": 16},
    "gemma2": {"head_dim": 16},  # caps its scores
    "lfm2": {"layer_types": ["conv", "full_attention"]},  # mixes by convolution
    "opt": {"word_embed_proj_dim": 64, "dropout": 0.0},  # embeds positions
}


@pytest.mark.parametrize("kind", MODELS)
def test_the_loss_and_gradient_are_those_of_transformers_for_every_model(kind: str) -> None:
    common = SHAPE | {"vocab_size": 300, "num_key_value_heads": 4, "pad_token_id": 0}
    config = AutoConfig.for_model(kind, **common | MODELS[kind])
    model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    adapted = get_peft_model(model.eval(), LoraConfig(target_modules=["q_proj"], use_dora=True))
    weights = [weight for weight in adapted.parameters() if weight.requires_grad]
    ids = torch.arange(1, 21)
    labels = torch.where(torch.arange(20) < 12, -100, ids)
    expected = adapted(input_ids=ids[None], labels=labels[None]).loss
    with losses(adapted, SEED) as loss:
        found = loss(Encoded(tuple(ids.tolist()), 8))
    torch.testing.assert_close(found, expected)
    gradients, wanted = (torch.autograd.grad(one, weights) for one in (found, expected))
    torch.testing.assert_close(gradients, wanted, rtol=1e-4, atol=1e-6)
