"""What training promises: PEFT's result, the same bytes every time, the base untouched."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from peft import LoraConfig, PeftModel, get_peft_model
from safetensors.torch import load_file
from torch.utils._python_dispatch import TorchDispatchMode
from transformers import (
    AutoModelForCausalLM,
    CohereConfig,
    Gemma2Config,
    GraniteConfig,
    Lfm2Config,
    LlamaConfig,
    MistralConfig,
    OPTConfig,
    PhiConfig,
    PreTrainedTokenizerBase,
    Qwen2Config,
    Qwen3Config,
)

from coral_batch.errors import CoralError
from coral_batch.models.base.checkpoint import BaseModel, load_base
from coral_batch.models.base.layers import leave_out, lower_states, separable
from coral_batch.models.prompts.prompt import chat_prompt
from coral_batch.models.training import kernels as training_kernels
from coral_batch.models.training import packed
from coral_batch.models.training.acceleration import accelerated
from coral_batch.models.training.dropout import masks
from coral_batch.models.training.encoding import Encoded, encode
from coral_batch.models.training.packed import PART_TOKENS
from coral_batch.models.training.training import share_of_peak, train
from coral_batch.records.configuration import AdapterConfiguration
from coral_batch.records.example import Example
from coral_batch.records.settings import Training
from coral_batch.seeding import derive_seed, generator
from tests.tiny import SHAPE, make_tiny_completion_tokenizer, make_tiny_tokenizer

ALL_LINEAR = ("down_proj", "gate_proj", "k_proj", "o_proj", "q_proj", "up_proj", "v_proj")
LORA = AdapterConfiguration(4, 8, 0.0, ALL_LINEAR, use_dora=False)
DORA = AdapterConfiguration(4, 8, 0.0, ALL_LINEAR, use_dora=True)
DROPOUT = AdapterConfiguration(2, 4, 0.1, ("q_proj", "v_proj"), use_dora=True)
TRAINING = Training(
    passes=2,
    batch_size=3,
    learning_rate=1e-2,
    warmup_steps=2,
    weight_decay=0.01,
    max_grad_norm=1.0,
    layers=None,
)
SEED = 7


@pytest.fixture(scope="module")
def folder(materialised: Path) -> Path:
    return materialised


@pytest.fixture
def base(folder: Path) -> BaseModel:
    return load_base(folder, torch.float32)


@pytest.fixture
def examples(base: BaseModel) -> list[Example]:
    rows = []
    for index in range(7):
        text = f"Fix this:\n{'x = x + 1' * (15 * index)}"
        code = f"def f(x):\n    return x + {index}"
        rows.append(
            Example(
                id=f"problem{index}/0",
                problem=f"problem{index}",
                variant=0,
                bug=None,
                instruction="Fix this:",
                input=text,
                output=code,
                prompt=chat_prompt(base.tokenizer, text),
                answer=f"{code}\n```{base.tokenizer.eos_token}",
            )
        )
    return rows


@pytest.mark.parametrize(
    ("kernels", "layers", "shared"),
    [
        ("fast", None, False),
        ("fast", 1, False),
        ("fast", 1, True),
        ("plain", None, False),
        ("plain", 1, False),
    ],
)
@pytest.mark.parametrize("configuration", [LORA, DORA], ids=["lora", "dora"])
def test_training_is_plain_peft_with_a_padded_batch(
    base: BaseModel,
    folder: Path,
    examples: list[Example],
    configuration: AdapterConfiguration,
    kernels: str,
    layers: int | None,
    shared: bool,
    tmp_path: Path,
) -> None:
    training = replace(TRAINING, layers=layers)
    states = None
    if shared:
        encoded = [encode(example, base.tokenizer) for example in examples]
        states = [lower_states(base.model, one.ids, below=1) for one in encoded]
    curve, _ = train(
        base, examples, configuration, training, SEED, tmp_path, kernels=kernels, states=states
    )
    reference = load_base(folder, torch.float32)
    losses = [*_padded_training(reference, examples, configuration, layers)]
    assert curve.loss == pytest.approx([loss for loss, _ in losses], rel=1e-4)
    assert curve.tokens == tuple(tokens for _, tokens in losses)
    assert max(curve.tokens) > PART_TOKENS["cpu"]  # a step's gradient came from several parts
    assert not curve.diverged

    adapted = PeftModel.from_pretrained(base.model, tmp_path).eval()
    ids = base.tokenizer(examples[0].prompt, return_tensors="pt")["input_ids"]
    ids = ids.to(base.model.device)
    with torch.no_grad():
        expected = reference.model.eval()(ids).logits
        assert torch.allclose(adapted(ids).logits, expected, atol=1e-3)
        assert not torch.allclose(load_base(folder, torch.float32).model(ids).logits, expected)


def test_training_the_upper_layers_alone_needs_no_others(
    base: BaseModel, examples: list[Example], tmp_path: Path
) -> None:
    training = replace(TRAINING, layers=1)
    encoded = [encode(example, base.tokenizer) for example in examples]
    states = [lower_states(base.model, one.ids, below=1) for one in encoded]
    made = []
    for part in ("whole", "upper"):
        (tmp_path / part).mkdir()
        train(base, examples, DORA, training, SEED, tmp_path / part, states=states)
        made.append((tmp_path / part / "adapter_model.safetensors").read_bytes())
        leave_out(base.model, 1)
    assert made[0] == made[1]


@given(st.data())
def test_all_blocks_attend_at_once_as_they_do_one_by_one(data: st.DataObject) -> None:
    """On a GPU a mask takes the place of the blocks, whose lengths go over one block's queries."""
    lengths = data.draw(st.lists(st.integers(1, 150), min_size=1, max_size=3))
    prefix = data.draw(st.integers(0, 140)) if len(lengths) > 1 else 0
    tokens, repeats = prefix + sum(lengths), data.draw(st.sampled_from([1, 3]))
    packing = training_kernels.make_packing(prefix, lengths, repeats, torch.float32)
    mask = training_kernels.mask_of(packing, torch.device("cpu"), torch.float32)
    drawing = torch.Generator().manual_seed(data.draw(st.integers(0, 2**32)))
    found = []
    states = [torch.randn(groups, tokens, 8, generator=drawing) for groups in (2 * repeats, 2, 2)]
    gradient = torch.randn(tokens, 2 * repeats, 8, generator=drawing)
    for at_once in (False, True):
        query, key, value = (state.clone().requires_grad_() for state in states)
        if at_once:
            y = training_kernels.masked_attention(query, key, value, mask, 0.3)
        else:
            y = training_kernels.CausalAttention.apply(query, key, value, packing, 0.3)
        y.backward(gradient)
        found.append((y, query.grad, key.grad, value.grad))
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


def test_layers_that_attend_differently_are_not_run_apart(base: BaseModel) -> None:
    config = Qwen2Config(num_hidden_layers=2, layer_types=["full_attention", "sliding_attention"])
    assert separable(base.model.config) and not separable(config)


def _padded_training(
    base: BaseModel,
    examples: list[Example],
    configuration: AdapterConfiguration,
    layers: int | None,
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
    optimizer = torch.optim.AdamW(
        parameters, lr=TRAINING.learning_rate, weight_decay=TRAINING.weight_decay
    )
    order = generator(SEED, "training order")
    batches = [
        permutation[start : start + TRAINING.batch_size]
        for permutation in (order.permutation(len(examples)) for _ in range(TRAINING.passes))
        for start in range(0, len(examples), TRAINING.batch_size)
    ]
    for step, batch in enumerate(batches):
        rows = [encode(examples[index], base.tokenizer) for index in batch]
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
        torch.nn.utils.clip_grad_norm_(parameters, TRAINING.max_grad_norm)
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


def test_a_training_of_one_step_changes_the_adapter(
    base: BaseModel, examples: list[Example], tmp_path: Path
) -> None:
    whole = replace(TRAINING, passes=1, batch_size=len(examples), warmup_steps=1)
    curve, _ = train(base, examples, LORA, whole, SEED, tmp_path)
    assert len(curve.loss) == 1
    weights = load_file(tmp_path / "adapter_model.safetensors")
    # LoRA's B starts at 0.
    assert all(tensor.any() for name, tensor in weights.items() if "lora_B" in name)


def test_a_warm_up_longer_than_the_training_is_refused(
    base: BaseModel, examples: list[Example], tmp_path: Path
) -> None:
    short = replace(TRAINING, passes=1, batch_size=len(examples))
    with pytest.raises(CoralError, match=r"training\.warmup_steps[\s\S]*2[\s\S]*at most 1"):
        train(base, examples, LORA, short, SEED, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("make", [make_tiny_tokenizer, make_tiny_completion_tokenizer])
def test_the_answer_s_tokens_are_those_that_go_on_behind_the_prompt(
    make: Callable[[], PreTrainedTokenizerBase],
) -> None:
    tokenizer = make()
    prompt, answer = chat_prompt(tokenizer, "Fix this:"), f"def f(x):\n```{tokenizer.eos_token}"
    row = encode(Example("f/0", "f", 0, None, "", "", "", prompt, answer), tokenizer)
    ids = tokenizer(prompt, add_special_tokens=False)["input_ids"]
    assert list(row.ids[: -row.answer]) == ids
    assert "".join(tokenizer.convert_ids_to_tokens(row.ids[-row.answer :])).startswith("def")


def test_every_layer_of_the_base_model_computes_by_our_kernels(base: BaseModel) -> None:
    model = get_peft_model(base.model, LoraConfig(r=2, target_modules=list(ALL_LINEAR)))
    slow = {
        name
        for name, module in model.named_modules()
        if name.endswith(("norm", "layernorm", "mlp", *ALL_LINEAR))
    }
    with accelerated(model, masks(SEED, base.model.device)):
        for name in sorted(slow):
            # A gated block computes for its own linear layers.
            computing = name.rpartition(".")[0] if ".mlp." in name else name
            if "forward" in vars(model.get_submodule(computing)):
                slow.remove(name)
    assert not slow


@pytest.mark.parametrize("kernels", ["fast", "plain"])
@pytest.mark.parametrize("configuration", [LORA, DROPOUT], ids=["lora", "dora with dropout"])
def test_the_same_bytes_every_time_whatever_was_trained_before(
    folder: Path,
    examples: list[Example],
    configuration: AdapterConfiguration,
    kernels: str,
    tmp_path: Path,
) -> None:
    base = load_base(folder)
    weights = {name: tensor.clone() for name, tensor in base.model.state_dict().items()}
    results = []
    for number in range(2):
        output = tmp_path / str(number)
        output.mkdir()
        curve, _ = train(base, examples, configuration, TRAINING, SEED, output, kernels=kernels)
        results.append((curve, *_contents(output)))
        other = tmp_path / f"other{number}"
        other.mkdir()
        train(base, examples, DORA, TRAINING, SEED + 1, other, kernels=kernels)
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    torch.manual_seed(1234)
    curve, _ = train(
        load_base(folder), examples, configuration, TRAINING, SEED, fresh, kernels=kernels
    )
    assert results == [(curve, *_contents(fresh))] * 2
    assert base.model.state_dict().keys() == weights.keys()
    assert all(torch.equal(weights[k], tensor) for k, tensor in base.model.state_dict().items())
    assert results[0][0].loss[-1] < results[0][0].loss[0]


def _contents(folder: Path) -> tuple[bytes, bytes]:
    assert sorted(file.name for file in folder.iterdir()) == [
        "adapter_config.json",
        "adapter_model.safetensors",
    ]
    config, weights = sorted(folder.iterdir())
    return config.read_bytes(), weights.read_bytes()


def test_plain_dropout_is_drawn_for_training_alone(
    base: BaseModel, examples: list[Example], tmp_path: Path
) -> None:
    """Its masks are torch's own, from the stream of the seed; the base is left as it was."""
    state = torch.random.get_rng_state()
    curves = [
        train(base, examples, one, TRAINING, SEED, tmp_path, kernels="plain")[0].loss
        for one in (DROPOUT, replace(DROPOUT, lora_dropout=0.0))
    ]
    assert curves[0] != curves[1]
    assert torch.equal(torch.random.get_rng_state(), state)
    assert not any(module.training for module in base.model.modules())


@pytest.mark.parametrize("threads", [1, 3])
def test_large_products_have_all_threads_and_everything_else_one(
    base: BaseModel,
    examples: list[Example],
    threads: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of ten thousand operations a step, at whose ends threads would wait for one another."""
    weights = {one.data_ptr() for one in base.model.parameters() if one.ndim == 2}
    seen: dict[str, set[int]] = {"products": set(), "others": set()}

    class Recorder(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            aten, called = torch.ops.aten, func.overloadpacket
            tensors = [one.data_ptr() for one in args if isinstance(one, torch.Tensor)]
            if called in (aten.mm, aten.addmm, aten.addmm_) and weights & set(tensors):
                seen["products"].add(torch.get_num_threads())
            if called is aten.mul:
                seen["others"].add(torch.get_num_threads())
            return func(*args, **(kwargs or {}))

    class Optimiser(torch.optim.AdamW):
        def __init__(self, *args, **kwargs):
            seen.update(products=set(), others=set())  # what came before is no training
            super().__init__(*args, **kwargs)

    monkeypatch.setattr(torch.optim, "AdamW", Optimiser)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with Recorder():
            train(base, examples, DORA, TRAINING, SEED, tmp_path)
        assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    assert seen == {"products": {threads}, "others": {1}}


def test_seeds_differ(base: BaseModel, examples: list[Example], tmp_path: Path) -> None:
    curves = [train(base, examples, LORA, TRAINING, seed, tmp_path)[0].loss for seed in (1, 2)]
    assert curves[0] != curves[1]


def test_the_adapter_names_no_path(
    base: BaseModel, examples: list[Example], tmp_path: Path
) -> None:
    train(base, examples, LORA, TRAINING, SEED, tmp_path)
    config = json.loads((tmp_path / "adapter_config.json").read_text())
    assert config["base_model_name_or_path"] == base.card.name
    assert config["target_modules"] == list(ALL_LINEAR)
    assert "/" not in json.dumps(config)


def test_a_row_of_zeros_trains_with_dora_as_with_lora(
    base: BaseModel, examples: list[Example], tmp_path: Path
) -> None:
    with torch.no_grad():
        base.model.model.layers[0].self_attn.v_proj.weight[3] = 0
    curve, _ = train(base, examples, DORA, TRAINING, SEED, tmp_path)
    assert not curve.diverged
    assert curve.loss[-1] < curve.loss[0]
    for tensor in load_file(tmp_path / "adapter_model.safetensors").values():
        assert tensor.isfinite().all()


@pytest.mark.parametrize("kernels", ["fast", "plain"])
def test_divergence_is_an_outcome(
    base: BaseModel, examples: list[Example], kernels: str, tmp_path: Path
) -> None:
    wild = Training(
        passes=4,
        batch_size=3,
        learning_rate=1e30,
        warmup_steps=0,
        weight_decay=0.0,
        max_grad_norm=1.0,
        layers=None,
    )
    curve, _ = train(base, examples, LORA, wild, SEED, tmp_path, kernels=kernels)
    assert curve.diverged
    assert np.isfinite(curve.loss).all()
    assert len(curve.loss) < 12


def test_unknown_target_modules_are_named(
    base: BaseModel, examples: list[Example], tmp_path: Path
) -> None:
    for names in (("c_attn",), ("c_attn", "q_proj"), ("embed_tokens",)):
        unknown = AdapterConfiguration(4, 8, 0.0, names, use_dora=False)
        with pytest.raises(CoralError, match=names[0]):
            train(base, examples, unknown, TRAINING, SEED, tmp_path)


MODELS = {
    "llama": (LlamaConfig, {}, True),
    "mistral": (MistralConfig, {}, True),
    "qwen3": (Qwen3Config, {"head_dim": 16}, True),
    "a scale of the logits": (GraniteConfig, {"logits_scaling": 8.0}, False),
    "another scale of the logits": (CohereConfig, {"logit_scale": 0.0625}, False),
    "a bias of the head": (PhiConfig, {}, False),
    "scores that are capped": (Gemma2Config, {"head_dim": 16}, False),
    "layers that mix by convolution": (
        Lfm2Config,
        {"layer_types": ["conv", "full_attention"]},
        False,
    ),
    "no number of key heads": (
        OPTConfig,
        {"word_embed_proj_dim": 64, "num_key_value_heads": None},
        False,
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_model_that_the_fast_kernels_would_train_wrongly_is_refused(name: str) -> None:
    kind, options, trained = MODELS[name]
    common = SHAPE | {"vocab_size": 300, "num_key_value_heads": 4, "pad_token_id": 0}
    torch.manual_seed(0)
    given = {key: value for key, value in (common | options).items() if value is not None}
    model = AutoModelForCausalLM.from_config(kind(**given), dtype=torch.float32)
    model.eval().requires_grad_(False)
    adapted = get_peft_model(model, LoraConfig(target_modules=["q_proj"]))
    outcome = nullcontext() if trained else pytest.raises(CoralError, match=r"compute\.kernels")
    with outcome, packed.losses(adapted, SEED) as loss:
        assert loss([Encoded(tuple(range(20)), 8)]) > 0


def test_the_fast_kernels_train_no_adapter_of_the_head(
    base: BaseModel, examples: list[Example], tmp_path: Path
) -> None:
    head = AdapterConfiguration(4, 8, 0.0, ("lm_head", "q_proj"), use_dora=False)
    with pytest.raises(CoralError, match=r"compute\.kernels"):
        train(base, examples, head, TRAINING, SEED, tmp_path)


def test_the_loss_of_a_target_that_is_as_good_as_impossible_is_a_number() -> None:
    hidden = torch.tensor([[1.0, 0.0], [0.5, 0.0]], requires_grad=True)
    head, targets = torch.tensor([[0.0, 0.0], [300.0, 0.0], [0.0, 1.0]]), torch.tensor([0, 2])
    loss = training_kernels.AnswerLoss.apply(hidden, head, targets)
    expected = torch.nn.functional.cross_entropy(hidden @ head.t(), targets)
    assert loss.item() == pytest.approx(expected.item()) == pytest.approx(225)
    (ours,), (theirs,) = (torch.autograd.grad(one, hidden) for one in (loss, expected))
    assert torch.allclose(ours, theirs)
