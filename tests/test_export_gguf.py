"""`coral export --gguf`: a file that llama.cpp puts on its own file of the base."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import gguf
import numpy as np
import pytest
import torch
from huggingface_hub import ModelCard
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM

from coral_batch import lake
from coral_batch.commands.export import export
from coral_batch.commands.gguf_adapter import write_gguf_adapter
from coral_batch.errors import CoralError
from tests.adapted_lake import KEY, make_adapter
from tests.tiny import make_tiny_base
from tests.tiny_gguf import in_llamas_order, write_tiny_gguf

TARGETS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
TOKENS = list(range(3, 40))
LLAMA_CPP = """
import sys, llama_cpp, numpy
base, adapter, tokens, out = sys.argv[1:]
model = llama_cpp.Llama(base, lora_path=adapter or None, logits_all=True, n_ctx=64, verbose=False)
model.eval([int(token) for token in tokens.split()])
numpy.save(out, model.scores[: model.n_tokens])
"""


def make_base(kind: str, folder: Path) -> Path:
    """Return the folder of a tiny model whose keys have fewer heads than its queries."""
    make_tiny_base(folder)
    if kind == "llama":
        known = json.loads((folder / "config.json").read_text())
        config = LlamaConfig.from_dict(known | {"model_type": "llama"})
        torch.manual_seed(0)
        LlamaForCausalLM(config).save_pretrained(folder)
    return folder


def make_lora(base: Path, folder: Path) -> PeftModel:
    """Write a LoRA of all matrices of the model; return it on the model."""
    torch.manual_seed(1)
    config = LoraConfig(r=4, lora_alpha=6, target_modules=TARGETS, init_lora_weights=False)
    model = get_peft_model(AutoModelForCausalLM.from_pretrained(base, dtype="float32"), config)
    model.save_pretrained(folder)
    return model.eval()


@pytest.mark.parametrize("kind", ["qwen2", "llama"])
def test_the_file_holds_what_the_adapter_adds_to_each_matrix(kind: str, tmp_path: Path) -> None:
    base = make_base(kind, tmp_path / "base")
    model = make_lora(base, tmp_path / "adapter")
    write_gguf_adapter(tmp_path / "adapter", base, "name", tmp_path / "adapter.gguf")

    file = gguf.GGUFReader(tmp_path / "adapter.gguf")
    fields = {name: file.get_field(name) for name in file.fields}
    values = {name: field.contents() for name, field in fields.items() if field is not None}
    assert values["general.type"] == "adapter"
    assert values["general.architecture"] == kind
    assert (values["adapter.type"], values["adapter.lora.alpha"]) == ("lora", 6.0)
    tensors = {tensor.name: tensor.data for tensor in file.tensors}
    factors = {name.removesuffix(".lora_a") for name in tensors if name.endswith("a")}
    assert len(factors) == 2 * len(TARGETS)
    added = {
        name: 6 / 4 * (tensors[f"{name}.lora_b"] @ tensors[f"{name}.lora_a"]) for name in factors
    }

    config = json.loads((base / "config.json").read_text())
    before = AutoModelForCausalLM.from_pretrained(base, dtype="float32").state_dict()
    after = model.merge_and_unload().state_dict()
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.QWEN2, config["num_hidden_layers"])
    for module, merged in after.items():
        name = names.get_name(module, (".weight", ".bias"))
        difference = (merged - before[module]).numpy()
        if kind == "llama":
            difference = in_llamas_order(name, difference, config)
        expected = added.pop(name, np.zeros_like(difference))
        np.testing.assert_allclose(difference, expected, atol=1e-6)
    assert not added


@pytest.mark.skipif(
    importlib.util.find_spec("llama_cpp") is None,
    reason="llama-cpp-python is not installed: `pip install llama-cpp-python` builds it",
)
@pytest.mark.parametrize("kind", ["qwen2", "llama"])
def test_llama_cpp_gives_the_logits_of_peft(kind: str, tmp_path: Path) -> None:
    base = make_base(kind, tmp_path / "base")
    model = make_lora(base, tmp_path / "adapter")
    write_gguf_adapter(tmp_path / "adapter", base, "name", tmp_path / "adapter.gguf")
    write_tiny_gguf(base, tmp_path / "base.gguf", {})
    with torch.inference_mode():
        adapted = model(torch.tensor([TOKENS])).logits[0].numpy()
        with model.disable_adapter():
            plain = model(torch.tensor([TOKENS])).logits[0].numpy()
    # llama.cpp keeps keys and values in half precision.
    for expected, adapter in ((adapted, "adapter.gguf"), (plain, "")):
        logits = by_llama_cpp(tmp_path, adapter)
        np.testing.assert_allclose(logits, expected, atol=0.02)
        assert (logits.argmax(-1) == expected.argmax(-1)).mean() > 0.9
    assert np.abs(adapted - plain).max() > 1


def by_llama_cpp(folder: Path, adapter: str) -> np.ndarray:
    """Return the logits of `TOKENS` in a process of llama.cpp's."""
    tokens = " ".join(map(str, TOKENS))
    done = subprocess.run(
        [sys.executable, "-c", LLAMA_CPP, "base.gguf", adapter, tokens, "logits.npy"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return np.load(folder / "logits.npy")


def test_a_lora_is_exported_with_a_card_that_says_how_llama_cpp_takes_it(adapted: Path) -> None:
    make_adapter("001-01")
    export(adapted / "export", "001-01", gguf=True)
    assert {file.name for file in (adapted / "export").iterdir()} == {"README.md", "adapter.gguf"}
    card = ModelCard.load(adapted / "export/README.md")
    assert {"gguf", "llama-cpp", "lora"} <= set(card.data.tags)
    for words in (
        "convert_hf_to_gguf.py base --outfile base.gguf",
        "llama-cli -m base.gguf --lora adapter.gguf",
    ):
        assert words in card.text


def test_dora_is_refused_and_the_merged_model_named(adapted: Path) -> None:
    folder = lake.path("adapter_folders", "001") / KEY
    config = folder / "adapter_config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"use_dora": True}))
    with pytest.raises(CoralError, match=r"does not support DoRA[\s\S]*--merged"):
        write_gguf_adapter(folder, lake.path("base"), "name", adapted / "adapter.gguf")
    assert not (adapted / "adapter.gguf").exists()


def test_a_model_of_another_kind_is_refused(adapted: Path) -> None:
    folder = lake.path("adapter_folders", "001") / KEY
    config = lake.path("base") / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"model_type": "mamba"}))
    with pytest.raises(CoralError, match=r"model_type[\s\S]*mamba[\s\S]*qwen2, llama"):
        write_gguf_adapter(folder, lake.path("base"), "name", adapted / "adapter.gguf")
    assert not (adapted / "adapter.gguf").exists()


def test_two_forms_at_a_time_are_refused(adapted: Path) -> None:
    with pytest.raises(CoralError, match="one of them"):
        export(adapted / "export", merged=True, gguf=True)
    assert not (adapted / "export").exists()
