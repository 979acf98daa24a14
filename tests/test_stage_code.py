"""A stage of DVC is refused if its code changed while it ran."""

import sys
from pathlib import Path

import pytest

import stages.split
from coral_batch.commands import cli
from coral_batch.lake import stage
from coral_batch.verdicts.inside import kernel
from coral_batch.work import pipeline
from tests.errors import refused

USED = Path("stages/split.py")


@pytest.fixture(autouse=True)
def project(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "HERE", workspace)
    Path("dvc.yaml").write_text("stages: {split: {deps: [lake/corpus, stages/split.py]}}\n")
    USED.parent.mkdir()
    USED.touch()


def test_a_stage_whose_code_changed_writes_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """DVC would record its tables as made by the new code."""

    def make(*_: object) -> dict[str, object]:
        USED.write_text("1\n")
        return {"manifest": []}

    monkeypatch.setattr(stage, "BEFORE_WRITING", [])
    monkeypatch.setattr(stages.split, "make", make)
    monkeypatch.setattr(kernel, "exit_when_parent_dies", lambda _: None)
    monkeypatch.setattr(sys, "argv", ["coral", "split"])
    monkeypatch.setenv("DVC_STAGE", "split")
    with pytest.raises(SystemExit):
        cli.main()
    assert "split.py changed while the stage ran" in capsys.readouterr().err
    assert not Path("lake/split").exists()


def test_only_code_that_the_stage_depends_on_counts() -> None:
    check = pipeline.code_check("../dvc.yaml:split")
    for other in ("stages/other.py", "stages/.split.py.swp", "lake/corpus"):
        Path(other).parent.mkdir(exist_ok=True)
        Path(other).write_text("1\n")
    check()
    USED.unlink()
    with refused("split.py changed while the stage ran"):
        check()
