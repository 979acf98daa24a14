"""A stage of DVC is refused if its code changed while it ran."""

from pathlib import Path

import pytest

from coral_batch.work.pipeline import same_code
from tests.errors import refused


@pytest.mark.parametrize("code", [0, 1])
def test_code_that_changes_during_a_stage_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """DVC would record the stage's tables as made by the new code."""
    monkeypatch.chdir(tmp_path)
    deps = "[lake/bugs, coral_batch/models, stages/samples.py]"
    Path("dvc.yaml").write_text(f"stages: {{samples: {{foreach: [1], do: {{deps: {deps}}}}}}}\n")
    used, other = Path("coral_batch/models/a.py"), Path("coral_batch/report/b.py")
    for file in (used, other):
        file.parent.mkdir(parents=True)
        file.touch()
    with pytest.raises(SystemExit), same_code("samples@1"):
        other.write_text("1\n")
        raise SystemExit(0)
    if code:  # the stage failed anyway
        with pytest.raises(SystemExit), same_code("samples@1"):
            used.write_text("1\n")
            raise SystemExit(code)
    else:
        with refused("a.py changed while the stage ran", str(used)), same_code("samples@1"):
            used.write_text("1\n")
            raise SystemExit(code)
