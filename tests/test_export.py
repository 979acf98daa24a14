"""`coral export`: a folder that plain PEFT loads, with a card that says what it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from huggingface_hub import ModelCard
from peft import LoraConfig, PeftModel, get_peft_model
from peft.utils import get_peft_model_state_dict
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM

from coral_batch import lake
from coral_batch.commands.export import export
from coral_batch.errors import CoralError
from coral_batch.lake.hashes import file_sha256
from coral_batch.models.base.checkpoint import materialise
from coral_batch.records.rows import AdapterCardRow, AdapterRow, BestRow
from stages.evidence import evidence
from tests.test_evidence import make_run
from tests.tiny import make_tiny_base

KEY = "b" * 64
FILES = {"README.md", "adapter_config.json", "adapter_model.safetensors"}


@pytest.fixture
def adapter(workspace: Path) -> Path:
    """A finished run in the working directory; the folder of its best adapter."""
    make_run(workspace)
    evidence()
    make_tiny_base(workspace / "tiny")
    materialise("tiny", None, lake.path("base"), lake.DOWNLOADS)
    best = lake.read_document("best", BestRow)
    folder = lake.path("best_adapter") / best.key
    model = AutoModelForCausalLM.from_pretrained(workspace / "tiny")
    config = LoraConfig(r=4, target_modules=["q_proj", "v_proj"], init_lora_weights=False)
    get_peft_model(model, config).save_pretrained(folder)
    (folder / "README.md").unlink()
    files = {file.name: file_sha256(file) for file in folder.iterdir()}
    lake.write_document("best", replace(best, files=files))
    rows = [replace(row, key=KEY) for row in lake.read_rows("adapters", AdapterRow, "001")]
    lake.write_rows("adapters", rows, "001")
    lake.write_rows("adapter_cards", [AdapterCardRow(KEY, {"seed": 1}, files)], "001")
    lake.write_folders("adapter_folders", {KEY: folder}, "001")
    return folder


def test_the_best_adapter_loads_in_plain_peft(adapter: Path, tmp_path: Path) -> None:
    destination = tmp_path / "new" / "export"
    export(destination)
    assert {file.name for file in destination.iterdir()} == FILES
    base = AutoModelForCausalLM.from_pretrained(tmp_path / "tiny")
    model = PeftModel.from_pretrained(base, destination)
    assert model.peft_config["default"].base_model_name_or_path == "tiny"
    loaded = get_peft_model_state_dict(model)
    stored = load_file(adapter / "adapter_model.safetensors")
    assert stored.keys() == loaded.keys()
    assert all(torch.equal(stored[name], loaded[name]) for name in stored)


def test_the_card_states_base_data_scores_configuration_and_licence(
    adapter: Path, tmp_path: Path
) -> None:
    export(tmp_path / "export")
    card = ModelCard.load(tmp_path / "export" / "README.md")
    assert (card.data.base_model, card.data.library_name) == ("tiny", "peft")
    assert "program-repair" in card.data.tags
    for words in (
        "## Training data",
        "| held out, 2 x 2 samples | pass@1 | 0.25 [",
        "| selection, 2 x 2 samples | pass@1 |",
        "WARNING, chance alone",
        "| target_modules | q_proj, v_proj |",
        "vLLM does not serve DoRA",
        "## Licence",
    ):
        assert words in card.text


def test_what_is_there_already_is_not_overwritten(adapter: Path, tmp_path: Path) -> None:
    (tmp_path / "export").mkdir()
    with pytest.raises(CoralError, match="something already"):
        export(tmp_path / "export")
    assert list((tmp_path / "export").iterdir()) == []


def test_an_adapter_that_was_changed_is_not_exported(adapter: Path, tmp_path: Path) -> None:
    with (adapter / "adapter_model.safetensors").open("ab") as stream:
        stream.write(b"0")
    with pytest.raises(CoralError, match=r"adapter_model\.safetensors"):
        export(tmp_path / "export")
    assert not (tmp_path / "export").exists()


def test_any_genome_can_be_exported_and_says_that_it_was_not_held_out(
    adapter: Path, tmp_path: Path
) -> None:
    export(tmp_path / "export", "001/000-01")
    assert {file.name for file in (tmp_path / "export").iterdir()} == FILES
    assert "Not measured on held-out problems" in (tmp_path / "export" / "README.md").read_text()


@pytest.mark.parametrize(
    ("name", "words"), [("001/000-99", "one of 000-01"), ("7", "GENERATION/GENOME")]
)
def test_a_genome_that_is_not_there_is_told(
    adapter: Path, tmp_path: Path, name: str, words: str
) -> None:
    with pytest.raises(CoralError, match=words):
        export(tmp_path / "export", name)
