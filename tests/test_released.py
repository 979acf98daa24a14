"""The released adapter: it repairs without a run, after checks."""

import json
import subprocess
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from coral_batch import lake
from coral_batch.commands.export import export
from coral_batch.models.base.checkpoint import materialise
from coral_batch.repair import released, repair
from tests import REPOSITORY
from tests.command import coral
from tests.errors import refused
from tests.repairable import BROKEN
from tests.tiny import make_tiny_base


@pytest.fixture
def unfinished(adapted: Path) -> Path:
    """A lake with a base and no finished run, a released adapter, and a file to repair."""
    export(Path("released"), release=True)
    lake.path("best").unlink()
    Path("numbers_.py").write_text(BROKEN)
    Path("clamp.jsonl").write_text("[[3, 9], 3]\n[[30, 9], 9]\n")
    return adapted


def repair_clamp(*arguments: str) -> subprocess.CompletedProcess[str]:
    given = ("numbers_.py", "--tests", "clamp.jsonl", "--function", "clamp")
    return coral("repair", *given, "-n", 1, "--rounds", 1, *arguments)


def test_the_released_adapter_repairs_without_a_finished_run(unfinished: Path) -> None:
    done = repair_clamp("--json")
    assert done.returncode == 1
    assert "repairing with the released adapter in released\n" in done.stderr
    assert json.loads(done.stdout)["model"] == "released"
    named = repair(*("numbers_.py", "clamp.jsonl", "clamp"), model="released", samples=1, rounds=1)
    assert named.drawn == 1
    assert repair_clamp("--model", "best").returncode == 2


@pytest.mark.parametrize("file", [released.WEIGHTS, released.CONFIGURATION, "README.md"])
def test_a_released_adapter_that_was_changed_is_refused(unfinished: Path, file: str) -> None:
    with Path("released", file).open("ab") as stream:
        stream.write(b" ")
    done = repair_clamp()
    assert done.returncode == 2
    for words in (f"file:     released/{file}", "SHA-256", "git checkout -- released"):
        assert words in done.stderr


def test_a_released_adapter_of_another_base_is_refused(unfinished: Path) -> None:
    materialise(str(make_tiny_base(Path("other"), 1)), None, lake.path("base"), lake.DOWNLOADS)
    done = repair_clamp()
    assert done.returncode == 2
    for words in ("another base model", "field:    base", "base.model: tiny", "dvc repro base"):
        assert words in done.stderr


def test_a_release_has_the_matrices_in_half_the_size(adapted: Path) -> None:
    export(Path("whole"))
    export(Path("released"), release=True)
    whole, half = (load_file(Path(name, released.WEIGHTS)) for name in ("whole", "released"))
    assert whole.keys() == half.keys()
    for name, matrix in whole.items():
        assert matrix.dtype == torch.float32
        exact = "magnitude" in name
        assert torch.equal(half[name], matrix if exact else matrix.bfloat16()), name


def test_an_adapter_too_large_for_the_repository_is_not_released(
    adapted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(released, "LARGEST", 1000)
    with refused("at most 1,000 bytes"):
        export(Path("released"), release=True)
    assert not Path("released").exists()


def test_the_release_in_the_repository_is_as_its_record_says() -> None:
    folder = REPOSITORY / released.RELEASED
    base = json.loads((folder / released.RECORD).read_text())["base"]
    assert released.read_release(folder, base).model == "qwen2.5-coder-0.5b-instruct"
