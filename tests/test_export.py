"""`coral export`: a folder that plain PEFT loads, with a card that says what it is."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from huggingface_hub import ModelCard
from safetensors.torch import load_file

from coral_batch import lake
from coral_batch.commands.export import export
from coral_batch.errors import CoralError
from coral_batch.lake import params
from coral_batch.lake.hashes import file_sha256
from coral_batch.models.base.catalogue import CATALOGUE, Entry
from coral_batch.models.base.checkpoint import materialise, read_card
from coral_batch.records.example import Example
from coral_batch.records.rows import AdapterCardRow, AdapterRow, BestRow
from coral_batch.search.best import REFUSED
from tests.adapted_lake import make_adapter, make_run_on_tiny_base
from tests.report_lake import refuse
from tests.settings import keep_sources, set_params
from tests.tiny import make_tiny_base
from tests.tiny_gguf import make_tiny_gguf

FILES = {"README.md", "adapter_config.json", "adapter_model.safetensors"}
COMMIT = "c" * 40
LOGITS = """
import torch
from safetensors.torch import save_file
with torch.no_grad():
    save_file({"logits": model.eval()(torch.arange(30)[None]).logits}, "logits.safetensors")
"""


@pytest.fixture
def run(workspace: Path) -> Path:
    """A finished run with a base from a local folder; the run's folder."""
    make_run_on_tiny_base()
    return workspace


@pytest.fixture
def adapter(run: Path) -> Path:
    return make_adapter()


def hub_commit(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """The run's base is of the hub, which for the reader is a cache on disk."""
    card = lake.path("base") / "card.json"
    known = json.loads(card.read_text())
    known |= {"name": "nobody/tiny", "origin": "hub", "revision": COMMIT}
    card.write_text(json.dumps(known))
    shutil.copytree(folder / "tiny", folder / f"hub/models--nobody--tiny/snapshots/{COMMIT}")


def catalogued_file(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """The run's base is dequantised from a catalogued file, which the hub has."""
    file = make_tiny_gguf(folder / "tiny.gguf", folder / "scratch")
    size, repository = file.stat().st_size, "nobody/tiny-GGUF"
    entry = Entry("tiny-gguf", file.name, file_sha256(file), size, "MIT", repository, ())
    patch.setitem(CATALOGUE, entry.name, entry)
    lake.DOWNLOADS.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, lake.DOWNLOADS)
    materialise("tiny-gguf", None, lake.path("base"), lake.DOWNLOADS)
    hub = folder / "hub/models--nobody--tiny-GGUF"
    (hub / "refs").mkdir(parents=True)
    (hub / "refs/main").write_text(COMMIT)
    (hub / f"snapshots/{COMMIT}").mkdir(parents=True)
    shutil.copy(file, hub / f"snapshots/{COMMIT}")


@pytest.mark.parametrize("origin", [None, hub_commit, catalogued_file])
def test_another_process_loads_the_adapter_on_its_base_by_the_words_of_the_card(
    run: Path,
    origin: Callable[[Path, pytest.MonkeyPatch], None] | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if origin is not None:
        origin(run, monkeypatch)
    adapter = make_adapter()
    export(run / "export")
    assert {file.name for file in (run / "export").iterdir()} == FILES
    if origin is None:
        shutil.copytree(run / "tiny", run / "export/base")  # as the card asks for

    (code,) = re.findall(r"```python\n(.*?)```", card_of(run / "export"), re.DOTALL)
    there = (
        "from peft import PeftModel\nfrom transformers import AutoModelForCausalLM\n"
        f"base = AutoModelForCausalLM.from_pretrained({str(lake.path('base').absolute())!r})\n"
        f"model = PeftModel.from_pretrained(base, {str(adapter.absolute())!r})\n"
    )
    mine, theirs = (logits(script, run / "export", run / "hub") for script in (there, code))
    assert torch.equal(mine, theirs)


def test_another_process_loads_the_merged_model_by_the_words_of_the_card_alone(
    adapter: Path, run: Path
) -> None:
    export(run / "adapter")
    export(run / "merged", merged=True)
    assert not any(file.name.startswith("adapter") for file in (run / "merged").iterdir())
    assert {stat.S_IMODE(file.stat().st_mode) for file in (run / "merged").iterdir()} == {0o644}
    shutil.copytree(run / "tiny", run / "adapter/base")

    merged, beside = (
        logits(
            "\n".join(re.findall(r"```python\n(.*?)```", card_of(folder), re.DOTALL)), folder, run
        )
        for folder in (run / "merged", run / "adapter")
    )
    plain = logits(
        "from transformers import AutoModelForCausalLM\n"
        "model = AutoModelForCausalLM.from_pretrained('base')\n",
        run / "adapter",
        run,
    )
    assert torch.allclose(merged, beside, rtol=1e-4, atol=1e-5)
    assert not torch.allclose(merged, plain, rtol=1e-3, atol=1e-4)
    assert "library_name: transformers" in card_of(run / "merged")


def logits(script: str, folder: Path, hub: Path) -> torch.Tensor:
    """Run a script that makes `model`, in a process that knows nothing of the run."""
    environment = {**os.environ, "HF_HUB_CACHE": str(hub), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", script + LOGITS],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return load_file(folder / "logits.safetensors")["logits"]


def card_of(folder: Path) -> str:
    return (folder / "README.md").read_text()


def test_a_base_from_a_folder_is_named_by_its_files_and_by_no_id(adapter: Path, run: Path) -> None:
    export(run / "export")
    card = ModelCard.load(run / "export/README.md")
    assert card.data.base_model is None
    config = json.loads((run / "export/adapter_config.json").read_text())
    assert (config["base_model_name_or_path"], config["revision"]) == (None, None)
    assert "local folder that was called `tiny`" in card.text
    (listed,) = re.findall(r"```\n([0-9a-f]{64}  .*?)```", card.text, re.DOTALL)
    check = subprocess.run(
        ["sha256sum", "-c", "--strict"], cwd=run / "tiny", input=listed, text=True, check=False
    )
    assert check.returncode == 0
    assert len(listed.splitlines()) == len(read_card(lake.path("base")).files)


def test_a_base_of_the_hub_is_named_by_id_and_commit(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub_commit(run, monkeypatch)
    make_adapter()
    export(run / "export")
    config = json.loads((run / "export/adapter_config.json").read_text())
    assert (config["base_model_name_or_path"], config["revision"]) == ("nobody/tiny", COMMIT)
    assert ModelCard.load(run / "export/README.md").data.base_model == "nobody/tiny"


def test_a_catalogued_base_is_its_file_and_not_the_full_precision_model(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalogued_file(run, monkeypatch)
    make_adapter()
    export(run / "export")
    config = json.loads((run / "export/adapter_config.json").read_text())
    assert config["base_model_name_or_path"] is None
    card = ModelCard.load(run / "export/README.md")
    assert card.data.base_model == "nobody/tiny-GGUF"
    for words in ("tiny.gguf", file_sha256(run / "tiny.gguf"), "dequantised to bfloat16"):
        assert words in " ".join(card.text.split())
    assert "**not** the full-precision weights" in card.text


def test_a_lora_adapter_is_served_on_a_folder_of_the_same_base(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalogued_file(run, monkeypatch)
    make_adapter()
    export(run / "export", "001/000-01")
    text = card_of(run / "export")
    assert 'base.save_pretrained("base")' in text
    assert "vllm serve base --enable-lora --max-lora-rank 8 --lora-modules repair=." in text


@pytest.mark.parametrize("table", ["base", "examples", "refit_examples"])
def test_an_adapter_of_another_base_or_data_is_not_exported(
    adapter: Path, run: Path, table: str
) -> None:
    if table == "base":
        materialise(str(make_tiny_base(run / "other", 1)), None, lake.path("base"), run)
    else:
        (row,) = lake.read_rows("examples", Example)
        lake.write_rows(table, [replace(row, answer="another")])
    words = f"trained on something else[\\s\\S]*{lake.path(table)}"
    with pytest.raises(CoralError, match=words):
        export(run / "export", "001/000-01" if table == "examples" else None)
    assert not (run / "export").exists()


def test_the_card_says_when_the_gate_refused_the_genome(adapter: Path, run: Path) -> None:
    lake.write_document("best", replace(lake.read_document("best", BestRow), passed=False))
    refuse({"000-01"})
    export(run / "best")
    export(run / "other", "001/000-01")
    assert REFUSED in card_of(run / "best")
    assert "The gate refused this genome." in card_of(run / "other")


def test_the_card_states_base_data_scores_configuration_and_licence(
    adapter: Path, tmp_path: Path
) -> None:
    export(tmp_path / "export")
    card = ModelCard.load(tmp_path / "export" / "README.md")
    assert card.data.library_name == "peft"
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


def test_the_card_states_what_the_adapter_was_trained_with_whatever_params_yaml_says_now(
    adapter: Path, run: Path
) -> None:
    values = {"training.passes": 9, "seed": 99, "examples.bugs": 17, "search.kind": "random"}
    set_params(values)
    keep_sources(["snippets"])
    export(run / "export")
    text = card_of(run / "export")
    for words in (
        "coral-batch run (search `evolved`): an adapter",
        "The training problems of `test`, each with its own bug and a version with lint errors:",
        "| passes | 1 |\n",
        "| seed | 7 |\n",
    ):
        assert words in text
    export(run / "other", "001/000-01")
    assert "coral-batch run: an adapter" in card_of(run / "other")


@pytest.mark.parametrize(
    ("genome", "part", "stage"),
    [(None, lake.EVALUATIONS["best"], "refit"), ("001/000-01", "001", "adapters@001")],
)
def test_an_adapter_whose_card_does_not_tell_its_training_is_refused(
    adapter: Path, run: Path, genome: str | None, part: str, stage: str
) -> None:
    cards = lake.read_rows("adapter_cards", AdapterCardRow, part)
    known = [replace(one, determinants={**one.determinants, "training": 1}) for one in cards]
    lake.write_rows("adapter_cards", known, part)
    words = rf"adapter_cards\.jsonl[\s\S]*determinants\.training[\s\S]*--force {stage}`"
    with pytest.raises(CoralError, match=words):
        export(run / "export", genome)
    assert not (run / "export").exists()


def test_a_rank_that_vllm_has_no_room_for_is_served_merged(adapter: Path, run: Path) -> None:
    rows = lake.read_rows("adapters", AdapterRow, "001")
    large = [replace(row, configuration=replace(row.configuration, r=1024)) for row in rows]
    lake.write_rows("adapters", large, "001")
    export(run / "export", "001/000-01")
    assert "vLLM does not serve ranks above 512: `coral export --merged`" in card_of(run / "export")


def test_a_genome_of_a_generation_that_is_no_longer_run_is_told(adapter: Path, run: Path) -> None:
    params.write_generations(1)
    with pytest.raises(CoralError, match="generation one of 000"):
        export(run / "export", "001/000-01")


def test_what_is_there_already_is_not_overwritten(adapter: Path, tmp_path: Path) -> None:
    (tmp_path / "export").mkdir()
    with pytest.raises(CoralError, match="something already"):
        export(tmp_path / "export")
    assert list((tmp_path / "export").iterdir()) == []


def test_a_killed_export_leaves_no_half_of_it(adapter: Path, run: Path) -> None:
    script = (
        "import os, shutil, signal\nfrom pathlib import Path\n"
        "from coral_batch.commands.export import export\n"
        "shutil.copytree = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "export(Path('export'))\n"
    )
    subprocess.run([sys.executable, "-c", script], check=False)
    assert len(list(run.glob(".export.unfinished-*"))) == 1
    assert not (run / "export").exists()
    export(run / "export")
    assert (run / "export/adapter_model.safetensors").is_file()


def test_a_name_that_no_file_can_have_is_told(tmp_path: Path) -> None:
    with pytest.raises(CoralError, match=r"x{256}(?s:.*)File name too long"):
        export(tmp_path / ("x" * 256))


def test_an_adapter_that_was_changed_is_not_exported(adapter: Path, tmp_path: Path) -> None:
    with (adapter / "adapter_model.safetensors").open("ab") as stream:
        stream.write(b"0")
    with pytest.raises(CoralError, match=r"adapter_model\.safetensors"):
        export(tmp_path / "export")
    assert not (tmp_path / "export").exists()


@pytest.mark.parametrize("form", ["merged", "gguf"])
def test_no_form_is_made_of_a_base_that_was_changed(adapter: Path, run: Path, form: str) -> None:
    (lake.path("base") / "model.safetensors").open("ab").write(b" ")
    with pytest.raises(CoralError, match=r"model\.safetensors"):
        export(run / "made", **{form: True})
    assert not (run / "made").exists()


def test_any_genome_can_be_exported_and_says_that_it_was_not_held_out(
    adapter: Path, tmp_path: Path
) -> None:
    export(tmp_path / "export", "001/000-01")
    assert {file.name for file in (tmp_path / "export").iterdir()} == FILES
    assert "Not measured on held-out problems" in (tmp_path / "export" / "README.md").read_text()


@pytest.mark.parametrize(
    ("name", "words"),
    [("001/000-99", "one of 000-01"), ("7", "GENERATION/GENOME"), ("001", "GENERATION/GENOME")],
)
def test_a_genome_that_is_not_there_is_told(
    adapter: Path, tmp_path: Path, name: str, words: str
) -> None:
    with pytest.raises(CoralError, match=words):
        export(tmp_path / "export", name)
