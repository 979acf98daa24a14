"""compute.kernels: plain computes what fast does, with none of the code that fast is made of."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch
from peft import LoraConfig, PeftModel, get_peft_model
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, AutoTokenizer, Gemma3TextConfig

from coral_batch.errors import CoralError
from coral_batch.models.decoding.answer import Sample, Unit
from coral_batch.models.decoding.changes import Original
from coral_batch.models.decoding.engine import Engine
from coral_batch.models.decoding.plain import PlainEngine
from coral_batch.models.prompts.prompt import FENCE, chat_prompt, free_prompt
from coral_batch.records.configuration import Knobs
from tests.answers import agree
from tests.first_generation import make_first_generation, rows, train_and_draw
from tests.tiny import SHAPE

GREEDY = Knobs(0.0, 1.0, 1, 1.0)
WARM = Knobs(0.9, 0.95, 40, 1.05)
HOT = Knobs(50.0, 1.0, 600, 1.0)
ALL = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
CONFIG = "adapter_config.json"
TEXTS = {"short": "Fix it.", "long": "def function(values, n):\n    return result\n" * 3}
# What a new torch or transformers may break, and plain therefore does without.
FAST = {
    *(f"coral_batch.models.training.{name}" for name in ("acceleration", "dropout", "kernels")),
    "coral_batch.models.training.low_rank",
    *(f"coral_batch.models.decoding.{name}" for name in ("decoder", "linear", "cache")),
    *(f"coral_batch.models.decoding.{name}" for name in ("engine", "guessing")),
}


@pytest.fixture(scope="module")
def adapters(base: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A LoRA and a DoRA adapter whose updates are large enough to change what is written."""
    folders = {}
    for name, dora in (("lora", False), ("dora", True)):
        torch.manual_seed(len(folders))
        config = LoraConfig(r=4, target_modules=ALL, use_dora=dora, init_lora_weights=False)
        model = get_peft_model(AutoModelForCausalLM.from_pretrained(base), config)
        folders[name] = tmp_path_factory.mktemp(name)
        model.save_pretrained(folders[name])
    return folders


@pytest.fixture
def plain(base: Path) -> PlainEngine:
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
    return PlainEngine(model, AutoTokenizer.from_pretrained(base))


@pytest.fixture
def fast(base: Path) -> Engine:
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
    return Engine(model, AutoTokenizer.from_pretrained(base))


def run(
    engine: Engine | PlainEngine, units: list[Unit], samples: int = 3, tokens: int = 24
) -> dict[str, list[Sample]]:
    prompts = {name: chat_prompt(engine.tokenizer, text) for name, text in TEXTS.items()}
    generated = engine.generate(units, prompts, samples=samples, max_new_tokens=tokens, seed=1)
    return {unit.name: drawn.samples for unit, drawn in generated}


@pytest.mark.parametrize("adapter", [None, "lora", "dora"])
@pytest.mark.parametrize("knobs", [GREEDY, WARM], ids=["greedy", "sampled"])
def test_plain_writes_what_fast_writes(
    plain: PlainEngine, fast: Engine, adapters: dict[str, Path], adapter: str | None, knobs: Knobs
) -> None:
    unit = Unit("genome", adapters[adapter] if adapter else None, knobs)
    agree(run(plain, [unit])["genome"], run(fast, [unit])["genome"])


@pytest.mark.parametrize("adapter", ["lora", "dora"])
def test_plain_writes_what_generate_writes(
    base: Path, plain: PlainEngine, adapters: dict[str, Path], adapter: str
) -> None:
    (drawn,) = run(plain, [Unit("genome", adapters[adapter], GREEDY)], samples=1).values()
    model = PeftModel.from_pretrained(
        AutoModelForCausalLM.from_pretrained(base), str(adapters[adapter])
    )
    for sample, text in zip(drawn, TEXTS.values(), strict=True):
        inputs = plain.tokenizer(
            chat_prompt(plain.tokenizer, text), return_tensors="pt", add_special_tokens=False
        )
        output = model.generate(**inputs, max_new_tokens=24, do_sample=False)[0]
        ids = output[inputs.input_ids.shape[1] :]
        assert sample.text == FENCE + plain.tokenizer.decode(ids, skip_special_tokens=True)


def test_both_end_answers_for_the_same_reasons(plain: PlainEngine, fast: Engine) -> None:
    unit = Unit("genome", None, HOT)
    drawn = run(plain, [unit], samples=60, tokens=40)["genome"]
    assert {sample.finish for sample in drawn} == {"fence", "eos", "length"}
    agree(drawn, run(fast, [unit], samples=60, tokens=40)["genome"])
    prompts = {"free": free_prompt(plain.tokenizer, TEXTS["long"])}
    ((_, ours),), ((_, theirs),) = (
        engine.generate([unit], prompts, samples=20, max_new_tokens=40, seed=1)
        for engine in (plain, fast)
    )
    agree(ours.samples, theirs.samples)


def test_a_plain_sample_does_not_depend_on_its_company(
    plain: PlainEngine, adapters: dict[str, Path]
) -> None:
    units = [
        Unit("plain", None, WARM),
        Unit("lora", adapters["lora"], WARM),
        Unit("dora", adapters["dora"], GREEDY, ("long",)),
        Unit("last", None, WARM, ("long", "short")),
    ]
    together = run(plain, units)
    for unit in reversed(units):
        assert run(plain, [unit])[unit.name] == together[unit.name]
    assert {sample.text for sample in together["last"]} == {
        sample.text for sample in together["plain"]
    }


def test_plain_leaves_the_base_model_as_it_was(
    plain: PlainEngine, base: Path, adapters: dict[str, Path]
) -> None:
    run(plain, [Unit("dora", adapters["dora"], WARM)])
    found = plain._model.state_dict()
    known = AutoModelForCausalLM.from_pretrained(base).state_dict()
    assert found.keys() == known.keys()
    assert all(torch.equal(found[name], tensor) for name, tensor in known.items())


def test_more_answers_than_rows_are_drawn_in_several_batches(base: Path) -> None:
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
    tokenizer, unit = AutoTokenizer.from_pretrained(base), Unit("genome", None, WARM)
    few = run(PlainEngine(model, tokenizer, rows=2), [unit], samples=5)["genome"]
    agree(few, run(PlainEngine(model, tokenizer), [unit], samples=5)["genome"])


def test_plain_changes_programs_behind_more_than_layers_with_a_window_keep(base: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(base)
    config = Gemma3TextConfig(
        **SHAPE,
        vocab_size=len(tokenizer),
        num_key_value_heads=2,
        head_dim=16,
        sliding_window=64,
        layer_types=["sliding_attention", "full_attention"],
        pad_token_id=0,
        eos_token_id=tokenizer.eos_token_id,
    )
    torch.manual_seed(0)
    engine = PlainEngine(AutoModelForCausalLM.from_config(config), tokenizer)
    program = "def f(values):\n    return values"
    prompts = {"a": "values = result " * 40 + FENCE}
    unit = Unit("genome", None, HOT, change=True)
    ((_, drawn),) = engine.generate(
        [unit], prompts, samples=3, max_new_tokens=24, seed=1, originals={"a": Original(program)}
    )
    assert len({sample.text for sample in drawn.samples}) == 3
    assert not [sample for sample in drawn.samples if sample.text.startswith(program)]


def test_what_plain_cannot_use_is_an_error(
    plain: PlainEngine, adapters: dict[str, Path], tmp_path: Path
) -> None:
    with pytest.raises(CoralError, match=r"short.*do not fit[\s\S]*found: +4090[\s\S]*at most"):
        run(plain, [Unit("genome", None, WARM)], tokens=4090)
    unit = Unit("genome", tmp_path, WARM)
    with pytest.raises(CoralError, match="cannot be read"):
        run(plain, [unit])
    for file in adapters["lora"].iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes()[:-100])
    with pytest.raises(CoralError, match="cannot be read"):
        run(plain, [unit])


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A project of each kind of kernels; plain's cannot import what fast is made of."""
    fast = make_first_generation(tmp_path_factory.mktemp("fast"))
    plain = Path(shutil.copytree(fast, tmp_path_factory.mktemp("plain") / "project"))
    text = (plain / "params.yaml").read_text()
    assert "kernels: fast" in text
    (plain / "params.yaml").write_text(text.replace("kernels: fast", "kernels: plain"))
    train_and_draw(fast)
    train_and_draw(plain, without=FAST)
    return {"fast": fast, "plain": plain}


def test_the_stages_of_both_make_the_same_tables_up_to_rounding(projects: dict[str, Path]) -> None:
    fast, plain = (rows(projects[kernels], "adapters") for kernels in ("fast", "plain"))
    for one, other in zip(fast, plain, strict=True):
        assert other["losses"] == pytest.approx(one["losses"], rel=1e-4)
        others = {"losses", "key"}
        assert {k: v for k, v in one.items() if k not in others} == {
            k: v for k, v in other.items() if k not in others
        }
    samples = [rows(projects[kernels], "samples") for kernels in ("fast", "plain")]
    equal = [one["raw"] == other["raw"] for one, other in zip(*samples, strict=True)]
    assert len(equal) == 16
    assert sum(equal) >= 14  # a token whose number falls between two roundings is another one


def test_adapters_of_either_open_in_peft_and_are_the_same_up_to_rounding(
    projects: dict[str, Path],
) -> None:
    folders = {
        kernels: [
            project / "lake/generations/000/adapters" / str(row["key"])
            for row in rows(project, "adapters")
        ]
        for kernels, project in projects.items()
    }
    for one, other in zip(folders["fast"], folders["plain"], strict=True):
        assert one.name != other.name
        assert (one / CONFIG).read_bytes() == (other / CONFIG).read_bytes()
        tensors = load_file(one / "adapter_model.safetensors")
        others = load_file(other / "adapter_model.safetensors")
        assert tensors.keys() == others.keys()
        for name, tensor in tensors.items():
            assert torch.allclose(tensor, others[name], atol=1e-3), name
        base = AutoModelForCausalLM.from_pretrained(projects["plain"] / "lake/base")
        PeftModel.from_pretrained(base, str(other))


def test_the_kernels_are_among_what_determines_an_adapter(projects: dict[str, Path]) -> None:
    for kernels, project in projects.items():
        for card in rows(project, "adapter_cards"):
            assert card["determinants"]["kernels"] == kernels  # type: ignore[index]
