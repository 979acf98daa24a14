"""`coral export`: a folder that plain PEFT loads, with a model card."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from huggingface_hub import ModelCard
from peft import PeftModel
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM

from coral_batch import lake
from coral_batch.commands.export import export
from coral_batch.errors import CoralError
from coral_batch.lake import params
from coral_batch.lake.hashes import file_sha256
from coral_batch.models.base.catalogue import CATALOGUE, Entry
from coral_batch.models.base.checkpoint import materialise
from coral_batch.records.example import Example
from coral_batch.records.rows import AdapterCardRow, AdapterRow, BestRow
from coral_batch.repair.models import drawer
from coral_batch.search.best import REFUSED
from tests.adapted_lake import make_adapter
from tests.errors import refused
from tests.report_lake import refuse
from tests.settings import keep_sources, set_params
from tests.tiny import make_tiny_base
from tests.tiny_gguf import make_tiny_gguf

FILES = {"README.md", "adapter_config.json", "adapter_model.safetensors"}
COMMIT = "c" * 40
# Runs the code of cards, each in its folder, in a process that knows nothing of the run.
LOADING = """
import json, os, sys, torch
from safetensors.torch import save_file
for folder, code in json.loads(sys.argv[1]).items():
    os.chdir(folder)
    there = {}
    exec(code, there)
    with torch.no_grad():
        logits = there["model"].eval()(torch.arange(30)[None]).logits
    save_file({"logits": logits}, "logits.safetensors")
"""


def card_of(folder: Path) -> str:
    return (folder / "README.md").read_text()


def hub_commit(run: Path) -> None:
    """Make the run's base one from the hub, which for the reader is a cache on disk."""
    card = lake.path("base") / "card.json"
    origin = {"name": "nobody/tiny", "origin": "hub", "revision": COMMIT}
    card.write_text(json.dumps(json.loads(card.read_text()) | origin))
    shutil.copytree(run / "tiny", run / f"hub/models--nobody--tiny/snapshots/{COMMIT}")


def catalogued_file(run: Path, patch: pytest.MonkeyPatch) -> None:
    """Make the run's base one dequantised from a catalogued file, which the hub has."""
    file = make_tiny_gguf(run / "tiny.gguf", run / "scratch")
    size, repository = file.stat().st_size, "nobody/tiny-GGUF"
    entry = Entry("tiny-gguf", file.name, file_sha256(file), size, "MIT", repository, ())
    patch.setitem(CATALOGUE, entry.name, entry)
    lake.DOWNLOADS.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, lake.DOWNLOADS)
    materialise("tiny-gguf", None, lake.path("base"), lake.DOWNLOADS)
    hub = run / "hub/models--nobody--tiny-GGUF"
    (hub / "refs").mkdir(parents=True)
    (hub / "refs/main").write_text(COMMIT)
    (hub / f"snapshots/{COMMIT}").mkdir(parents=True)
    shutil.copy(file, hub / f"snapshots/{COMMIT}")


def test_each_export_loads_with_the_code_of_its_card(
    adapted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a base from a folder, the hub and a catalogued file; and the merged model by itself."""
    export(adapted / "folder")
    shutil.copytree(adapted / "tiny", adapted / "folder/base")  # as the card asks for
    export(adapted / "merged", merged=True)
    bare, plain = plain_peft()
    hub_commit(adapted)
    export(adapted / "hubs")
    catalogued_file(adapted, monkeypatch)
    make_adapter()
    export(adapted / "file")

    logits = loaded(adapted)
    assert torch.equal(logits["folder"], plain)
    assert torch.equal(logits["hubs"], plain)
    assert torch.equal(logits["file"], plain_peft()[1])
    assert torch.allclose(logits["merged"], plain, rtol=1e-4, atol=1e-5)
    assert not torch.allclose(logits["merged"], bare, rtol=1e-3, atol=1e-4)
    assert {stat.S_IMODE(file.stat().st_mode) for file in (adapted / "merged").glob("*.json")} == {
        0o644
    }
    assert "library_name: transformers" in card_of(adapted / "merged")
    assert {file.name for file in (adapted / "hubs").iterdir()} == {*FILES, "logits.safetensors"}

    folder, hubs, file = (
        (json.loads((adapted / name / "adapter_config.json").read_text()), card_of(adapted / name))
        for name in ("folder", "hubs", "file")
    )
    assert (folder[0]["base_model_name_or_path"], folder[0]["revision"]) == (None, None)
    assert "local folder named `tiny`" in folder[1]
    (listed,) = re.findall(r"```\n([0-9a-f]{64}  .*?)```", folder[1], re.DOTALL)
    check = ["sha256sum", "-c", "--strict"]
    assert not subprocess.run(check, cwd="tiny", input=listed, text=True, check=False).returncode
    assert (hubs[0]["base_model_name_or_path"], hubs[0]["revision"]) == ("nobody/tiny", COMMIT)
    assert ModelCard(hubs[1]).data.base_model == "nobody/tiny"
    assert file[0]["base_model_name_or_path"] is None
    assert ModelCard(file[1]).data.base_model == "nobody/tiny-GGUF"
    for words in ("**not** the full-precision", file_sha256(adapted / "tiny.gguf"), "bfloat16"):
        assert words in file[1]


def plain_peft() -> list[torch.Tensor]:
    """Return the logits of the run's base, and of plain PEFT's model with the best adapter."""
    best = lake.read_document("best", BestRow)
    base = AutoModelForCausalLM.from_pretrained(lake.path("base"))
    with torch.no_grad():
        bare = base(torch.arange(30)[None]).logits
        folder = lake.path("adapter_folders", best.generation) / str(best.key)
        model = PeftModel.from_pretrained(base, folder).eval()
        return [bare, model(torch.arange(30)[None]).logits]


def loaded(run: Path) -> dict[str, torch.Tensor]:
    """Return the logits of the model that the code of each folder's card loads."""
    code = {}
    for folder in (run / name for name in ("folder", "merged", "hubs", "file")):
        (code[str(folder)],) = re.findall(r"```python\n(.*?)```", card_of(folder), re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", LOADING, json.dumps(code)],
        env={**os.environ, "HF_HUB_CACHE": str(run / "hub"), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {
        Path(folder).name: load_file(Path(folder) / "logits.safetensors")["logits"]
        for folder in code
    }


def test_a_lora_adapter_is_served_on_a_folder_of_the_same_base(
    adapted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalogued_file(adapted, monkeypatch)
    make_adapter("001-01")
    export(adapted / "export", "001-01")
    text = card_of(adapted / "export")
    assert 'base.save_pretrained("base")' in text
    assert "vllm serve base --enable-lora --max-lora-rank 8 --lora-modules repair=." in text
    assert "coral-batch run: an adapter" in text
    assert "Not measured on held-out problems" in text
    # Its portion is that of its parent 000-01: what a line is dealt twice counts once.
    assert "up to 40 versions with lint errors" in text


@pytest.mark.parametrize("table", ["base", "examples"])
def test_an_adapter_of_another_base_or_data_is_not_exported(adapted: Path, table: str) -> None:
    if table == "base":
        materialise(str(make_tiny_base(adapted / "other", 1)), None, lake.path("base"), adapted)
    else:
        rows = lake.read_rows("examples", Example)
        lake.write_rows(table, [replace(row, answer="another") for row in rows])
    words = f"the lake or params.yaml has changed since[\\s\\S]*{lake.path(table)}"
    with pytest.raises(CoralError, match=words):
        export(adapted / "export", "001-01" if table == "examples" else None)
    assert not (adapted / "export").exists()


@pytest.mark.parametrize("table", ["adapters", "best"])
def test_a_best_genome_whose_adapter_was_trained_again_is_not_exported(
    adapted: Path, table: str
) -> None:
    """Its scores are of the adapter that was chosen."""
    best = lake.read_document("best", BestRow)
    if table == "best":
        lake.write_document("best", replace(best, key="e" * 64))
    else:
        rows = lake.read_rows("adapters", AdapterRow, best.generation)
        lake.write_rows("adapters", [replace(row, key="e" * 64) for row in rows], best.generation)
        cards = lake.read_rows("adapter_cards", AdapterCardRow, best.generation)
        cards = [replace(card, key="e" * 64) for card in cards]
        lake.write_rows("adapter_cards", cards, best.generation)
        with refused("as the best genome, now eeeeeeee"):
            drawer("best", params.load())
    with refused("as the best genome", "dvc repro"):
        export(adapted / "export")


def test_the_card_says_if_the_genome_failed_the_gate(adapted: Path) -> None:
    lake.write_document("best", replace(lake.read_document("best", BestRow), passed=False))
    refuse({"001-01"})
    export(adapted / "best")
    make_adapter("001-01")
    export(adapted / "other", "001-01")
    assert REFUSED in card_of(adapted / "best")
    assert "The gate refused this genome." in card_of(adapted / "other")


def test_the_card_states_base_data_scores_configuration_and_licence_whatever_params_yaml_says(
    adapted: Path,
) -> None:
    values = {"training.passes": 9, "seed": 99, "examples.bugs": 3, "search.kind": "random"}
    set_params(values)
    keep_sources(["snippets"])
    export(adapted / "export")
    card = ModelCard.load(adapted / "export/README.md")
    assert card.data.library_name == "peft"
    assert "program-repair" in card.data.tags
    for words in (
        "coral-batch run (search evolved): an adapter",
        "The training problems of `classics`, each with its own bug (if it has one) and up to 40"
        " versions with lint",
        "| passes | 1 |\n",
        "| seed | 7 |\n",
        "| held out, 2 x 2 samples | pass@1 | 25 % [",
        "| selection, 2 x 2 samples | pass@1 |",
        "| may be noise |\n",
        "| target_modules | q_proj, v_proj |",
        "vLLM does not serve DoRA",
        "## Licence",
    ):
        assert words in card.text


def test_a_rank_too_large_for_vllm_is_served_merged(adapted: Path) -> None:
    rows = lake.read_rows("adapters", AdapterRow, "001")
    large = [replace(row, configuration=replace(row.configuration, r=1024)) for row in rows]
    make_adapter("001-01")
    lake.write_rows("adapters", large, "001")
    export(adapted / "export", "001-01")
    assert "vLLM does not serve ranks above 512" in card_of(adapted / "export")


def test_the_best_genome_named_by_its_id_is_exported_as_the_best(adapted: Path) -> None:
    export(adapted / "best")
    export(adapted / "named", lake.read_document("best", BestRow).genome)
    assert card_of(adapted / "named") == card_of(adapted / "best")


@pytest.mark.parametrize("generations", [1, 4])
def test_a_genome_of_a_run_with_other_generations_is_exported(
    adapted: Path, generations: int
) -> None:
    """Its ancestors included, if params.yaml no longer has their generation or not yet more."""
    export(adapted / "before")
    params.write_generations(generations)
    export(adapted / "export")
    assert card_of(adapted / "export") == card_of(adapted / "before")


def test_an_existing_folder_is_not_overwritten(adapted: Path) -> None:
    (adapted / "export").mkdir()
    with pytest.raises(CoralError, match="already exists"):
        export(adapted / "export")
    assert list((adapted / "export").iterdir()) == []


@pytest.mark.parametrize("form", ["adapter", "merged", "gguf"])
def test_a_file_that_was_changed_is_not_exported(adapted: Path, form: str) -> None:
    folder = lake.path("base")
    if form == "adapter":
        (folder,) = lake.path("adapter_folders", "001").iterdir()
    (changed,) = folder.glob("*model.safetensors")
    changed.write_bytes(changed.read_bytes() + b" ")
    with pytest.raises(CoralError, match=r"model\.safetensors"):
        export(adapted / "export", merged=form == "merged", gguf=form == "gguf")
    assert not (adapted / "export").exists()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("001-99", "one of 000-01"),
        ("7", "a genome such as 000-01"),
        ("001-abc", "one of 000-01"),
        ("009-01", "generations 000"),
    ],
)
def test_an_unknown_genome_is_reported(adapted: Path, name: str, words: str) -> None:
    with pytest.raises(CoralError, match=words):
        export(adapted / "export", name)
