"""From an empty folder with three programs and their pytest files to a finished run.

The commands are those of docs/corpora.md, the files those of examples/programs; the model is a tiny
one.
"""

import re
import shutil
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from coral_batch import lake
from coral_batch.evidence.summary import Evidence
from coral_batch.records.example import Example
from coral_batch.records.problem import Bug, Role, program_of
from coral_batch.records.rows import SampleRow
from tests import REPOSITORY
from tests.pipeline import make_project, run
from tests.settings import set_params, set_sources

pytestmark = pytest.mark.long
WALKTHROUGH = (
    (REPOSITORY / "docs/corpora.md").read_text().partition("### A run on three programs")[2]
)
(EDITS,) = re.findall(r"^```yaml\n(.*?)^```$", WALKTHROUGH, re.DOTALL | re.MULTILINE)
ROLES = {"read_duration": "training", "take_turns": "test", "tally": "held_out"}


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = make_project(tmp_path_factory.mktemp("own") / "project")
    shutil.copytree(REPOSITORY / "examples", project / "examples")
    edits = YAML(typ="safe").load(EDITS)
    set_sources(edits.pop("corpus")["sources"], project)
    edited = {f"{part}.{key}": to for part, keys in edits.items() for key, to in keys.items()}
    # As a new project has them, unlike the small one of the tests.
    shipped = {"injection.each": 4, "examples.bugs": 4, "examples.portion": None}
    set_params({**shipped, "training.batch_size": 1, **edited}, project)
    run(project, "coral", "generations", "1")
    run(project, "dvc", "repro")
    return project


def test_three_own_programs_give_a_finished_run(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(own)
    assert {row.name: row.role for row in lake.read_rows("manifest", Role)} == ROLES
    bugs = lake.read_rows("bugs", Bug)
    assert {bug.problem for bug in bugs} == set(ROLES)
    examples = lake.read_rows("examples", Example)
    assert [row.bug for row in examples] == [
        *(f"read_duration-{n}" for n in (1, 2, 3, 4)),
        "read_duration/lint-1",
        "read_duration/lint-2",
    ]
    shown = {row.problem for row in lake.read_rows("samples", SampleRow, "evaluation/best")}
    assert {program_of(name) for name in shown} == {"tally"}
    assert len(shown) == 4
    held_out = lake.read_document("evidence", Evidence).scores["held_out"]
    assert (held_out.problems, held_out.programs) == (4, 1)
    assert (own / "lake/report/index.html").is_file()


def test_their_bugs_are_shown(own: Path) -> None:
    assert "tally" in run(own, "coral", "show", "bugs")
    assert "@@" in run(own, "coral", "show", "bugs", "tally")
