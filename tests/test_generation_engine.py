"""The engine writes what transformers and PEFT would write, whatever else is in the batch."""

import json
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from peft import LoraConfig, PeftModel, get_peft_model
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, AutoTokenizer, Phi3Config

from coral_batch.errors import CoralError
from coral_batch.models.base.device import compute_dtype
from coral_batch.models.decoding.answer import Sample, Unit
from coral_batch.models.decoding.cache import AHEAD, attention_at_once, live_rows_attention
from coral_batch.models.decoding.decoder import Decoder
from coral_batch.models.decoding.engine import Engine
from coral_batch.models.decoding.fence import FenceTokens
from coral_batch.models.decoding.guessing import Text
from coral_batch.models.prompts.prompt import FENCE, chat_prompt, free_prompt
from coral_batch.records.configuration import Knobs
from coral_batch.seeding import derive_seed
from tests.answers import agree
from tests.tiny import SHAPE, make_tiny_completion_tokenizer, make_tiny_tokenizer

GREEDY = Knobs(0.0, 1.0, 1, 1.0)
WARM = Knobs(0.9, 0.95, 40, 1.05)
HOT = Knobs(50.0, 1.0, 600, 1.0)
TEXTS = {
    "short": "Fix it.",
    "long": "def function(values, n):\n    result = []\n    return result\n" * 3,
    "middle": "while left != right:\n    total += 1\n",
}
DTYPES = sorted({torch.float32, compute_dtype(torch.device("cpu"))}, key=str)
NEEDS_CUDA = pytest.mark.skipif(
    not torch.cuda.is_available(), reason="needs a CUDA device and a build of torch for it"
)
WEIGHTS = "adapter_model.safetensors"
ALL = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


@pytest.fixture(scope="module")
def adapters(base, tmp_path_factory) -> dict[str, Path]:
    """Adapters of several kinds whose updates are large enough to change what is written."""
    folders = {}
    kinds = [
        ("lora", ["q_proj", "v_proj"], 4, False, None),
        ("wide", ALL, 16, False, None),
        ("dora", ALL, 8, True, None),
        ("upper lora", ["q_proj", "v_proj"], 4, False, [1]),
        ("upper dora", ALL, 8, True, [1]),
    ]
    for number, (name, targets, rank, dora, layers) in enumerate(kinds):
        torch.manual_seed(number)
        config = LoraConfig(
            r=rank,
            lora_alpha=2 * rank,
            target_modules=targets,
            use_dora=dora,
            layers_to_transform=layers,
            init_lora_weights=False,
            task_type="CAUSAL_LM",
        )
        model = get_peft_model(AutoModelForCausalLM.from_pretrained(base), config)
        with torch.no_grad():
            for key, parameter in model.named_parameters():
                if "magnitude" in key:
                    parameter.mul_(1 + 0.2 * torch.randn_like(parameter))
                elif "lora_" in key:
                    parameter.mul_(0.3)
        folders[name] = tmp_path_factory.mktemp(name)
        model.save_pretrained(folders[name])
    return folders


def open_engine(base: Path, dtype: torch.dtype = torch.float32, **settings) -> Engine:
    model = AutoModelForCausalLM.from_pretrained(base, dtype=dtype)
    return Engine(model, AutoTokenizer.from_pretrained(base), **settings)


def prompts(engine: Engine) -> dict[str, str]:
    return {name: chat_prompt(engine.tokenizer, text) for name, text in TEXTS.items()}


def run(engine: Engine, units: list[Unit], samples=2, tokens=24, seed=1) -> dict[str, list[Sample]]:
    generated = engine.generate(
        units, prompts(engine), samples=samples, max_new_tokens=tokens, seed=seed
    )
    return {unit.name: drawn.samples for unit, drawn in generated}


@pytest.mark.parametrize("adapter", [None, "lora", "wide", "dora", "upper lora"])
@pytest.mark.parametrize("penalty", [1.0, 1.3])
def test_greedy_equals_transformers_generate_token_for_token(base, adapters, adapter, penalty):
    engine = open_engine(base)
    model = AutoModelForCausalLM.from_pretrained(base)
    if adapter:
        model = PeftModel.from_pretrained(model, adapters[adapter])
    folder = adapters[adapter] if adapter else None
    drawn = run(engine, [Unit("genome", folder, Knobs(0.0, 1.0, 1, penalty))], samples=1, tokens=40)
    for sample, text in zip(drawn["genome"], prompts(engine).values(), strict=True):
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
    decoder = Decoder(
        AutoModelForCausalLM.from_pretrained(base, dtype=torch.bfloat16),
        rows=4,
        adapters=2,
        rank=16,
    )
    with torch.inference_mode():
        decoder.put_adapter(1, adapters[adapter])
        ours = decoder.prefill(ids, slot=1)[1][0]
    noise = (found[torch.bfloat16] - found[torch.float32]).square().mean().sqrt()
    error = (ours - found[torch.float32]).square().mean().sqrt()
    assert error < 1.5 * noise


def test_first_tokens_follow_the_distribution_of_transformers(base):
    engine = open_engine(base, rows=32)
    knobs = Knobs(0.8, 0.9, 30, 1.2)
    drawn = run(engine, [Unit("genome", None, knobs)], samples=400, tokens=1)["genome"]
    model = AutoModelForCausalLM.from_pretrained(base)
    for name, text in prompts(engine).items():
        inputs = engine.tokenizer(text, return_tensors="pt", add_special_tokens=False)
        output = model.generate(
            **inputs,
            max_new_tokens=1,
            do_sample=True,
            temperature=0.8,
            top_p=0.9,
            top_k=30,
            repetition_penalty=1.2,
            output_scores=True,
            return_dict_in_generate=True,
        )
        weights = torch.softmax(output.scores[0][0], 0)
        expected: Counter[str] = Counter()
        for token in weights.nonzero()[:, 0].tolist():
            written = engine.tokenizer.decode([token], skip_special_tokens=True)
            expected[FENCE + written] += 400 * float(weights[token])
        found = Counter(sample.text for sample in drawn if sample.problem == name)
        assert found.keys() <= expected.keys()
        common = [text for text, count in expected.items() if count >= 5]
        statistic = sum((found[text] - expected[text]) ** 2 / expected[text] for text in common)
        # Chi-square's mean is its degrees of freedom, its variance twice that: 5 sigma.
        assert statistic < len(common) + 5 * np.sqrt(2 * len(common))


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_sample_does_not_depend_on_its_company(base, adapters, dtype):
    units = [
        Unit("plain", None, WARM),
        Unit("lora", adapters["lora"], WARM),
        Unit("wide", adapters["wide"], Knobs(0.5, 1.0, 5, 1.0)),
        Unit("dora", adapters["dora"], WARM),
        Unit("twin", adapters["dora"], GREEDY),
    ]
    engine = open_engine(base, dtype, rows=8, adapters=2)
    together = run(engine, units)
    assert len({sample.text for drawn in together.values() for sample in drawn}) > 15
    for unit in reversed(units):
        assert run(engine, [unit])[unit.name] == together[unit.name]


def test_a_row_of_zeros_under_a_dora_adapter_costs_no_other_sample_its_answer(base, tmp_path):
    zeroed = Path(shutil.copytree(base, tmp_path / "zeroed"))
    model = AutoModelForCausalLM.from_pretrained(base)
    with torch.no_grad():
        model.model.layers[0].self_attn.v_proj.weight[3] = 0
    model.save_pretrained(zeroed)
    config = LoraConfig(r=4, target_modules=["v_proj"], use_dora=True, task_type="CAUSAL_LM")
    get_peft_model(model, config).save_pretrained(tmp_path / "dora")
    units = [Unit("dora", tmp_path / "dora", WARM), Unit("plain", None, WARM)]
    together = run(open_engine(zeroed, rows=8), units)
    # The adapter is fresh, and so changes nothing.
    agree(together["dora"], together["plain"])
    assert run(open_engine(zeroed, rows=8), units[1:])["plain"] == together["plain"]


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
    with pytest.raises(CoralError, match=r"do not fit[\s\S]*attends to 128"):
        run(engine, [Unit("genome", None, WARM)], tokens=120)


@pytest.mark.parametrize("dtype", DTYPES)
def test_layers_below_all_adapters_read_a_prompt_once_for_all_units(base, adapters, dtype):
    units = [Unit(name, adapters.get(name), WARM) for name in ("upper dora", "base", "upper lora")]
    engine = open_engine(base, dtype, rows=8)
    together = run(engine, units)
    read = engine.timings.prompt_tokens
    assert engine.timings.shared_tokens == read * 2 / 3
    for unit in units:
        assert run(open_engine(base, dtype, rows=8), [unit])[unit.name] == together[unit.name]
    # Beside an adapter of all layers none lie below all adapters.
    engine = open_engine(base, dtype, rows=32)
    found = run(engine, [Unit("wide", adapters["wide"], WARM), units[0]])
    assert found["upper dora"] == run(open_engine(base, dtype, rows=32), units[:1])["upper dora"]
    assert engine.timings.shared_tokens == 0


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_prompt_read_through_shared_layers_is_the_same_to_the_bit(base, adapters, dtype):
    model = AutoModelForCausalLM.from_pretrained(base, dtype=dtype)
    decoder = Decoder(model, rows=4, adapters=2, rank=16)
    ids = AutoTokenizer.from_pretrained(base)(TEXTS["long"])["input_ids"]
    with torch.inference_mode():
        whole, logits = decoder.prefill(ids, slot=2, keep=5)
        decoder.put_adapter(1, adapters["upper lora"])
        for again in (True, True, False):
            parts, found = decoder.prefill(ids, slot=2, keep=5, again=again)
            assert torch.equal(found, logits)
            for ours, theirs in zip(parts.layers, whole.layers, strict=True):
                assert torch.equal(ours.keys, theirs.keys)
                assert torch.equal(ours.values, theirs.values)
        assert decoder.shared == 2 * len(ids)
        assert not torch.equal(decoder.prefill(ids, slot=1, keep=5)[1], logits)
    assert decoder.shared == 2 * len(ids)


def test_the_same_run_gives_the_same_samples_and_another_seed_others(base):
    first = run(open_engine(base), [Unit("genome", None, WARM)])
    assert run(open_engine(base), [Unit("genome", None, WARM)]) == first
    assert run(open_engine(base), [Unit("genome", None, WARM)], seed=2) != first


def test_idle_rows_read_ahead_and_save_steps(base):
    alone, full = open_engine(base, rows=8), open_engine(base, rows=1)
    unit = Unit("genome", None, GREEDY)
    ours, theirs = (run(one, [unit], samples=1, tokens=60)["genome"] for one in (alone, full))
    agree(ours, theirs)
    assert alone.timings.tokens == full.timings.tokens
    # Without reading ahead three samples side by side take as many steps as the longest.
    assert 3 * alone.timings.steps < full.timings.steps


def test_samples_are_numbered_in_order_and_name_their_stream(base):
    drawn = run(open_engine(base, rows=2), [Unit("genome", None, WARM)], samples=3)["genome"]
    assert [(sample.problem, sample.index) for sample in drawn] == [
        (name, index) for name in TEXTS for index in range(3)
    ]
    assert drawn[4].seed == derive_seed(1, "sample", "long", 1)


def test_each_reason_to_finish_is_told_by_the_text(base):
    engine = open_engine(base)
    drawn = run(engine, [Unit("genome", None, HOT)], samples=150, tokens=50)["genome"]
    assert {sample.finish for sample in drawn} == {"fence", "eos", "length"}
    for sample in drawn:
        answer = sample.text.removeprefix(FENCE)
        assert ("```" in answer) == (sample.finish == "fence")
        assert sample.tokens == 50 or sample.finish != "length"


def test_an_answer_without_an_opened_fence_goes_on_to_the_end_of_the_turn(base):
    engine = open_engine(base)
    texts = {name: free_prompt(engine.tokenizer, text) for name, text in TEXTS.items()}
    units = [Unit("genome", None, HOT)]
    ((_, drawn),) = engine.generate(units, texts, samples=150, max_new_tokens=50, seed=1)
    assert {sample.finish for sample in drawn.samples} == {"eos", "length"}
    assert any("```" in sample.text for sample in drawn.samples)
    assert not any(sample.text.startswith(FENCE) for sample in drawn.samples)


def test_a_unit_answers_its_own_prompts_as_it_would_among_all(base):
    engine = open_engine(base)
    whole = run(engine, [Unit("genome", None, WARM)])["genome"]
    parts = run(
        engine,
        [Unit("last", None, WARM, ("middle",)), Unit("first", None, WARM, ("short", "long"))],
    )
    assert parts["first"] + parts["last"] == whole


def test_a_prompt_is_read_once_for_all_its_samples(base):
    engine = open_engine(base, rows=2)
    drawn = run(engine, [Unit("genome", None, WARM)], samples=5)["genome"]
    assert engine.timings.prompt_tokens == sum(sample.prompt_tokens for sample in drawn) / 5
    assert engine.timings.tokens == sum(sample.tokens for sample in drawn)


def test_a_prompt_is_read_once_for_all_units_with_one_adapter(base, adapters):
    units = [
        Unit("warm", adapters["dora"], WARM),
        Unit("another", adapters["lora"], WARM),
        Unit("greedy", adapters["dora"], GREEDY, ("middle", "long")),
        Unit("hot", adapters["dora"], HOT),
    ]
    engine = open_engine(base, rows=2)
    together = run(engine, units)
    read = engine.timings.prompt_tokens
    alone = open_engine(base, rows=2)
    assert run(alone, units[:2]) == {name: together[name] for name in ("warm", "another")}
    assert read == alone.timings.prompt_tokens
    for unit in units[2:]:
        assert run(alone, [unit])[unit.name] == together[unit.name]


def test_an_engine_that_was_left_in_the_middle_can_be_used_again(base, adapters):
    units = [Unit("lora", adapters["lora"], WARM), Unit("dora", adapters["dora"], WARM)]
    engine = open_engine(base, rows=2, adapters=1)
    left = engine.generate(units, prompts(engine), samples=2, max_new_tokens=24, seed=1)
    next(left)
    left.close()
    assert run(engine, units) == run(open_engine(base, rows=2, adapters=1), units)


def test_a_prompt_that_does_not_fit_is_an_error(base):
    with pytest.raises(CoralError, match=r"short.*do not fit[\s\S]*found: +4090[\s\S]*at most"):
        run(open_engine(base), [Unit("genome", None, WARM)], tokens=4090)


def test_an_adapter_that_cannot_be_used_is_an_error(base, adapters, tmp_path):
    with pytest.raises(CoralError, match="cannot be read"):
        run(open_engine(base), [Unit("genome", tmp_path, WARM)])
    with pytest.raises(CoralError, match=r"LORA[\s\S]*rank 8 or less"):
        run(open_engine(base, rank=8), [Unit("genome", adapters["wide"], WARM)])
    broken = Path(shutil.copytree(adapters["dora"], tmp_path / "broken"))
    tensors = load_file(broken / WEIGHTS)
    next(iter(tensors.values()))[0, 0] = float("nan")
    save_file(tensors, broken / WEIGHTS)
    with pytest.raises(CoralError, match="no numbers"):
        run(open_engine(base), [Unit("genome", broken, WARM)])
    other = {
        "alpha_pattern": {"q_proj": 64},
        "rank_pattern": {"q_proj": 2},
        "init_lora_weights": "pissa",  # changes the base model's weights
        "alora_invocation_tokens": [1],  # adapts what follows these alone
        "bias": "lora_only",
        "layer_replication": [[0, 2]],
    }
    for field, value in other.items():
        odd = Path(shutil.copytree(adapters["lora"], tmp_path / field))
        card = odd / "adapter_config.json"
        card.write_text(json.dumps(json.loads(card.read_text()) | {field: value}))
        with pytest.raises(CoralError, match=rf"{field}[\s\S]*the base model's own weights"):
            run(open_engine(base), [Unit("genome", odd, WARM)])
    for file in adapters["lora"].iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes()[:-100])
    with pytest.raises(CoralError, match="cannot be read"):
        run(open_engine(base), [Unit("genome", tmp_path, WARM)])


TOKENIZERS = {"bytes": make_tiny_tokenizer(), "sentencepiece": make_tiny_completion_tokenizer()}


@pytest.mark.parametrize("kind", TOKENIZERS)
@given(data=st.data())
def test_the_fence_closes_at_the_third_backtick_however_tokens_cut_it(kind, data):
    tokenizer = TOKENIZERS[kind]
    vocabulary = tokenizer.get_vocab()
    backticks = [number for token, number in vocabulary.items() if "`" in token]
    others = tokenizer("x\n python", add_special_tokens=False)["input_ids"]
    ids = data.draw(st.lists(st.sampled_from(backticks) | st.sampled_from(others), max_size=12))
    fence, run_length = FenceTokens(tokenizer), 0
    for end, token in enumerate(ids, start=1):
        run_length = fence.run(run_length, token)
        assert (run_length == FenceTokens.CLOSED) == ("```" in tokenizer.decode(ids[:end]))
        if run_length == FenceTokens.CLOSED:
            break


@NEEDS_CUDA
@pytest.mark.parametrize("adapter", [None, "lora", "wide", "dora"])
def test_a_cuda_device_writes_what_the_processor_writes(base, adapters, adapter):
    unit = Unit("genome", adapters[adapter] if adapter else None, GREEDY)
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
    engine = Engine(model.to("cuda"), AutoTokenizer.from_pretrained(base))
    agree(run(engine, [unit])["genome"], run(open_engine(base), [unit])["genome"])


@NEEDS_CUDA
def test_a_sample_drawn_on_a_cuda_device_does_not_depend_on_its_company(base, adapters):
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.bfloat16).to("cuda")
    engine = Engine(model, AutoTokenizer.from_pretrained(base), rows=8, adapters=2)
    units = [Unit(name, folder, WARM) for name, folder in adapters.items()]
    together = run(engine, units)
    for unit in reversed(units):
        assert run(engine, [unit])[unit.name] == together[unit.name]


@given(st.lists(st.integers(0, 3), max_size=40), st.integers(0, 8))
def test_a_guess_is_what_followed_the_last_two_tokens_most_recently(tokens, count):
    pair = tokens[-2:]
    starts = [at + 2 for at in range(len(tokens) - 2) if tokens[at : at + 2] == pair]
    expected = tokens[starts[-1] : starts[-1] + count] if starts and len(tokens) > 1 else []
    assert Text(tokens).guess(count) == expected


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
