"""The engine writes what transformers and PEFT would write, whatever else is in the batch."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from peft import LoraConfig, PeftModel, get_peft_model
from safetensors.torch import load_file, save_file
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoTokenizer,
    Phi3Config,
    PreTrainedModel,
)

from coral_batch.errors import CoralError
from coral_batch.models.base.device import compute_dtype
from coral_batch.models.decoding import decoder
from coral_batch.models.decoding.answer import Unit
from coral_batch.models.decoding.cache import AHEAD, attention_at_once, live_rows_attention
from coral_batch.models.decoding.decoder import Decoder, SerialActivation
from coral_batch.models.decoding.engine import Engine
from coral_batch.models.prompts.prompt import FENCE, chat_prompt, free_prompt
from coral_batch.records.configuration import Knobs
from tests.answers import (
    GREEDY,
    HOT,
    ORIGINALS,
    TEXTS,
    WARM,
    agree,
    asked,
    draw,
    make_adapters,
    open_engine,
    run,
)
from tests.tiny import SHAPE, make_tiny_base, make_tiny_completion_base

DTYPES = sorted({torch.float32, compute_dtype(torch.device("cpu"))}, key=str)
NEEDS_CUDA = pytest.mark.skipif(
    not torch.cuda.is_available(), reason="needs a CUDA device and a build of torch for it"
)
WEIGHTS = "adapter_model.safetensors"


def counted(engine: Engine, name: str) -> list[object]:
    """Return a list that gets the first argument of each call of a method of the decoder."""
    calls: list[object] = []
    own = getattr(engine.decoder, name)

    def called(first: object, *others: object, **named: object) -> object:
        calls.append(first)
        return own(first, *others, **named)

    setattr(engine.decoder, name, called)
    return calls


@pytest.fixture(scope="module")
def adapters(base, tmp_path_factory) -> dict[str, Path]:
    return make_adapters(base, tmp_path_factory.mktemp("adapters"))


@pytest.mark.parametrize("adapter", [None, "lora", "wide", "dora", "upper lora"])
@pytest.mark.parametrize("penalty", [1.0, 1.3])
def test_greedy_equals_transformers_generate_token_for_token(base, adapters, adapter, penalty):
    engine = open_engine(base)
    model = AutoModelForCausalLM.from_pretrained(base)
    if adapter:
        model = PeftModel.from_pretrained(model, adapters[adapter])
    knobs = replace(GREEDY, repetition_penalty=penalty)
    drawn = draw(engine, adapters.get(adapter), knobs, samples=1, tokens=40)
    for sample, user_text in zip(drawn, TEXTS.values(), strict=True):
        text = chat_prompt(engine.tokenizer, user_text)
        inputs = engine.tokenizer(text, return_tensors="pt", add_special_tokens=False)
        output = model.generate(
            **inputs, max_new_tokens=40, do_sample=False, repetition_penalty=penalty
        )[0, inputs.input_ids.shape[1] :]
        expected = engine.tokenizer.decode(output, skip_special_tokens=True)
        assert sample.text == FENCE + expected
        assert (sample.tokens, sample.prompt_tokens) == (len(output), inputs.input_ids.shape[1])


@pytest.mark.parametrize("adapter", ["lora", "wide", "dora"])
def test_bf16_logits_are_as_near_to_the_truth_as_those_of_plain_peft(base, adapters, adapter):
    tokenizer = AutoTokenizer.from_pretrained(base)
    ids = tokenizer(TEXTS["long"])["input_ids"]
    found = {}
    for dtype in (torch.float32, torch.bfloat16):
        model = AutoModelForCausalLM.from_pretrained(base, dtype=dtype)
        with torch.inference_mode():
            found[dtype] = PeftModel.from_pretrained(model, adapters[adapter])(
                torch.tensor([ids])
            ).logits[0, -1]
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.bfloat16)
    decoder = Decoder(model, rows=4, adapters=2, rank=16)
    with torch.inference_mode():
        decoder.put_adapter(1, adapters[adapter])
        ours = decoder.prefill(ids, slot=1)[1][0]
    noise = (found[torch.bfloat16] - found[torch.float32]).square().mean().sqrt()
    error = (ours - found[torch.float32]).square().mean().sqrt()
    assert error < 1.5 * noise


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_sample_does_not_depend_on_its_company(base, adapters, dtype):
    units = [
        Unit("plain", None, WARM, TEXTS),
        Unit("lora", adapters["lora"], WARM, TEXTS),
        Unit("wide", adapters["wide"], Knobs(0.5, 1.0, 5, 1.0), TEXTS),
        Unit("dora", adapters["dora"], WARM, TEXTS),
        Unit("twin", adapters["dora"], GREEDY, TEXTS),
        Unit("changed", None, WARM, TEXTS, ORIGINALS),
        Unit("changed lora", adapters["lora"], WARM, TEXTS, ORIGINALS),
        Unit("changed twin", adapters["lora"], GREEDY, {"long": TEXTS["long"]}, ORIGINALS),
    ]
    engine = open_engine(base, dtype, rows=8, adapters=2)
    together = run(engine, *units)
    assert len({sample.text for drawn in together.values() for sample in drawn.samples}) > 15
    assert [len(together[unit.name].looks) for unit in units] == [0] * 5 + [3, 3, 1]
    for unit in reversed(units):
        assert run(engine, unit)[unit.name] == together[unit.name]


def test_a_row_of_zeros_under_a_dora_adapter_costs_no_other_sample_its_answer(base, tmp_path):
    zeroed = Path(shutil.copytree(base, tmp_path / "zeroed"))
    model = AutoModelForCausalLM.from_pretrained(base)
    with torch.no_grad():
        model.model.layers[0].self_attn.v_proj.weight[3] = 0
    model.save_pretrained(zeroed)
    config = LoraConfig(r=4, target_modules=["v_proj"], use_dora=True, task_type="CAUSAL_LM")
    get_peft_model(model, config).save_pretrained(tmp_path / "dora")
    plain = Unit("plain", None, WARM, TEXTS)
    dora = Unit("dora", tmp_path / "dora", WARM, TEXTS)
    together = run(open_engine(zeroed, rows=8), dora, plain)
    # The adapter is fresh, and so changes nothing.
    agree(together["dora"].samples, together["plain"].samples)
    assert run(open_engine(zeroed, rows=8), plain)["plain"] == together["plain"]


def test_rotations_that_follow_the_longest_row_do_not_meet_longer_ones(base):
    tokenizer = AutoTokenizer.from_pretrained(base)
    rope = {"rope_type": "longrope", "short_factor": [1.0] * 8, "long_factor": [4.0] * 8}
    config = Phi3Config(
        **SHAPE,
        vocab_size=len(tokenizer),
        max_position_embeddings=2048,
        original_max_position_embeddings=128,
        rope_parameters=rope | {"rope_theta": 1e4, "original_max_position_embeddings": 128},
        pad_token_id=0,
    )
    engine = Engine(AutoModelForCausalLM.from_config(config), tokenizer)
    with pytest.raises(CoralError, match=r"do not fit[\s\S]*128 that the model attends to"):
        draw(engine, None, WARM, tokens=120)


def of_kind(kind: str, **own: object) -> PreTrainedModel:
    return AutoModelForCausalLM.from_config(AutoConfig.for_model(kind, vocab_size=300, **own))


def test_a_model_whose_attention_stays_its_own_is_refused(base):
    model = of_kind("codegen", n_embd=64, n_layer=1, n_head=4, rotary_dim=8)
    with pytest.raises(CoralError, match=r"CodeGen[\s\S]*can replace[\s\S]*another base model"):
        Engine(model, AutoTokenizer.from_pretrained(base))


@pytest.mark.parametrize("kind", ["llama", "starcoder2", "phi"])
def test_the_activation_function_of_every_kind_of_model_is_cut_by_rows(kind):
    model = of_kind(kind, **SHAPE, num_key_value_heads=4)
    Decoder(model, rows=1, adapters=1, rank=1)
    assert sum(isinstance(one, SerialActivation) for one in model.modules()) == 2


@pytest.mark.parametrize("dtype", DTYPES)
def test_layers_below_all_adapters_read_a_prompt_once_for_all_units(
    base, adapters, dtype, monkeypatch
):
    kinds = ("upper dora", "base", "upper lora")
    units = [Unit(name, adapters.get(name), WARM, TEXTS) for name in kinds]
    engine, lower = open_engine(base, dtype, rows=8), []
    own = decoder.lower_states
    monkeypatch.setattr(decoder, "lower_states", lambda *a: lower.append(a[1]) or own(*a))
    together = run(engine, *units)
    assert len(lower) == len(TEXTS)
    for unit in units:
        assert run(open_engine(base, dtype, rows=8), unit)[unit.name] == together[unit.name]
    # Beside an adapter of all layers none lie below all adapters.
    engine = open_engine(base, dtype, rows=32)
    found = run(engine, Unit("wide", adapters["wide"], WARM, TEXTS), units[0])
    assert found["upper dora"] == run(open_engine(base, dtype, rows=32), units[0])["upper dora"]
    assert len(lower) == 4 * len(TEXTS)


def test_an_activation_maps_equal_rows_to_equal_rows_with_any_number_of_threads():
    """With 6 threads and 64 rows of this width torch's own maps 2 rows differently."""
    threads = torch.get_num_threads()
    row = torch.randn(4864, generator=torch.Generator().manual_seed(0))
    try:
        torch.set_num_threads(6)
        found = SerialActivation(torch.nn.SiLU())(row.repeat(64, 1, 1))
    finally:
        torch.set_num_threads(threads)
    assert torch.equal(found, found[:1].expand_as(found))


def test_idle_rows_read_ahead_and_save_steps(base):
    alone, full = open_engine(base, rows=8), open_engine(base, rows=1)
    few, many = counted(alone, "step"), counted(full, "step")
    ours, theirs = (draw(one, None, GREEDY, samples=1, tokens=60) for one in (alone, full))
    agree(ours, theirs)
    # Without reading ahead three samples side by side take as many steps as the longest.
    assert 3 * len(few) < len(many)


def test_samples_are_numbered_in_order_and_follow_the_seed(base):
    drawn = draw(open_engine(base, rows=2), None, WARM, samples=3)
    assert [(sample.problem, sample.index) for sample in drawn] == [
        (name, index) for name in TEXTS for index in range(3)
    ]
    assert draw(open_engine(base, rows=2), None, WARM, samples=3) == drawn
    others = draw(open_engine(base, rows=2), None, WARM, samples=3, seed=2)
    assert [one.text for one in others] != [one.text for one in drawn]


@pytest.mark.parametrize("make", [make_tiny_base, make_tiny_completion_base])
def test_each_reason_to_finish_is_told_by_the_text(tmp_path, make: Callable[[Path], Path]):
    drawn = draw(open_engine(make(tmp_path)), None, HOT, samples=150, tokens=50)
    assert {sample.finish for sample in drawn} == {"fence", "eos", "length"}
    for sample in drawn:
        answer = sample.text.removeprefix(FENCE)
        assert ("```" in answer) == (sample.finish == "fence")
        assert sample.tokens == 50 or sample.finish != "length"


def test_an_answer_without_an_opened_fence_goes_on_to_the_end_of_the_turn(base):
    engine = open_engine(base)
    texts = {name: free_prompt(engine.tokenizer, text) for name, text in TEXTS.items()}
    unit = Unit("genome", None, HOT, texts)
    ((_, drawn),) = engine.generate([unit], samples=150, max_new_tokens=50, seed=1)
    assert {sample.finish for sample in drawn.samples} == {"eos", "length"}
    assert any("```" in sample.text for sample in drawn.samples)
    assert not any(sample.text.startswith(FENCE) for sample in drawn.samples)


def test_a_prompt_is_read_once_for_all_samples_of_all_units_with_one_adapter(base, adapters):
    units = [
        Unit("warm", adapters["dora"], WARM, TEXTS),
        Unit("another", adapters["lora"], WARM, TEXTS),
        Unit("greedy", adapters["dora"], GREEDY, {"middle": TEXTS["middle"]}),
        Unit("hot", adapters["dora"], HOT, TEXTS),
    ]
    engine = open_engine(base, rows=2)
    read = counted(engine, "prefill")
    run(engine, *units, samples=3)
    assert len(read) == 2 * len(TEXTS)


def test_an_engine_that_was_left_in_the_middle_can_be_used_again(base, adapters):
    units = [Unit(name, adapters[name], WARM, TEXTS) for name in ("lora", "dora")]
    engine = open_engine(base, rows=2, adapters=1)
    prompted = [asked(engine, unit) for unit in units]
    left = engine.generate(prompted, samples=2, max_new_tokens=24, seed=1)
    next(left)
    left.close()
    assert run(engine, *units) == run(open_engine(base, rows=2, adapters=1), *units)


def test_a_prompt_that_does_not_fit_is_an_error(base):
    with pytest.raises(CoralError, match=r"short.*do not fit[\s\S]*4090 of answer[\s\S]*at most"):
        draw(open_engine(base), None, WARM, tokens=4090)


def test_an_adapter_that_cannot_be_used_is_an_error(base, adapters, tmp_path):
    with pytest.raises(CoralError, match="cannot be read"):
        draw(open_engine(base), tmp_path, WARM)
    with pytest.raises(CoralError, match=r"LORA[\s\S]*rank 8 or less"):
        draw(open_engine(base, rank=8), adapters["wide"], WARM)
    folder = Path(shutil.copytree(adapters["lora"], tmp_path / "wrong"))
    card, weights = folder / "adapter_config.json", folder / WEIGHTS
    known, content = json.loads(card.read_text()), weights.read_bytes()
    other = {
        "alpha_pattern": {"q_proj": 64},
        "init_lora_weights": "pissa",  # changes the base model's weights
        "alora_invocation_tokens": [1],  # adapts what follows these alone
    }
    for field, value in other.items():
        card.write_text(json.dumps(known | {field: value}))
        with pytest.raises(CoralError, match=rf"{field}[\s\S]*the base model's own weights"):
            draw(open_engine(base), folder, WARM)
    card.write_text(json.dumps(known))
    tensors = load_file(weights)
    first = next(key for key in tensors if key.endswith("lora_A.weight"))
    nan = torch.full_like(tensors[first], float("nan"))
    for tensor, words in ((nan, "no numbers"), (torch.zeros(4, 96), "does not fit the base")):
        save_file(tensors | {first: tensor}, weights)
        with pytest.raises(CoralError, match=words):
            draw(open_engine(base), folder, WARM)
    for kept in ({}, {key: one for key, one in tensors.items() if key != first}):
        save_file(kept, weights)
        with pytest.raises(CoralError, match=r"do not fit its configuration[\s\S]*\['a', 'b'\]"):
            draw(open_engine(base), folder, WARM)
    weights.write_bytes(content)
    wrong = {
        "use_dora": (True, r"\['a', 'b', 'magnitude'\], for DoRA"),
        "lora_alpha": (None, "lora_alpha"),
        "peft_type": ("LATER", "cannot be read"),
    }
    for field, (value, words) in wrong.items():
        card.write_text(json.dumps(known | {field: value}))
        with pytest.raises(CoralError, match=words):
            draw(open_engine(base), folder, WARM)
    card.write_text(json.dumps(known))
    weights.write_bytes(content[:-100])
    with pytest.raises(CoralError, match="cannot be read"):
        draw(open_engine(base), folder, WARM)


@NEEDS_CUDA
@pytest.mark.parametrize("adapter", [None, "lora", "wide", "dora"])
def test_a_cuda_device_writes_what_the_processor_writes(base, adapters, adapter):
    folder = adapters.get(adapter)
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
    engine = Engine(model.to("cuda"), AutoTokenizer.from_pretrained(base))
    agree(draw(engine, folder, GREEDY), draw(open_engine(base), folder, GREEDY))


@NEEDS_CUDA
def test_a_sample_drawn_on_a_cuda_device_does_not_depend_on_its_company(base, adapters):
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.bfloat16).to("cuda")
    engine = Engine(model, AutoTokenizer.from_pretrained(base), rows=8, adapters=2)
    units = [Unit(name, folder, WARM, TEXTS) for name, folder in adapters.items()]
    together = run(engine, *units)
    for unit in reversed(units):
        assert run(engine, unit)[unit.name] == together[unit.name]


@given(st.integers(1, 5), st.integers(0, 12), st.integers(0, 2**32))
def test_rows_that_read_ahead_attend_in_one_call_as_in_several(lines, ahead, seed):
    """A GPU takes all rows of a line as queries of one call, a processor one after the other."""
    drawing = torch.Generator().manual_seed(seed)
    busy, total = min(lines + ahead, lines * (1 + AHEAD)), lines * (1 + AHEAD) + 2
    query = torch.randn(total, 4, 1, 8, generator=drawing)
    key, value = torch.randn(2, lines, 2, 16, 8, generator=drawing)
    mask = torch.arange(16) <= torch.randint(0, 16, (busy, 1, 1, 1), generator=drawing)
    module = torch.nn.Module()
    module.num_key_value_groups = 2
    expected, _ = live_rows_attention(module, query, key, value, mask, scaling=0.3)
    found = attention_at_once(module, query, key, value, mask, scaling=0.3)
    torch.testing.assert_close(found, expected)
