"""A change reruns what it touches and nothing else: real DVC on a finished run."""

import json
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

from coral_batch import lake
from coral_batch.corpus.roles.coralx import TRAINING
from coral_batch.models.prompts.examples import examples_sha256
from coral_batch.records.example import Example
from coral_batch.records.rows import AdapterCardRow, SelectionRow
from tests import REPOSITORY
from tests.pipeline import run, stages_run

STAGE = re.compile("Running stage '([^']+)'")
PARTS = ("000", "001", "validation/base", "evaluation/base", "evaluation/best")
MODELS = ("base", "best")
# As CONTRIBUTING.md has it ("What reruns"): edited -> what does not follow any more.
EDITED = {
    "stages/scores.py": {f"scores@{part}" for part in PARTS},
    "coral_batch/linting/__init__.py": {
        *(f"findings@{part}" for part in PARTS),
        *("examples", "linteval_items"),
        *(f"linteval_scores@{model}" for model in MODELS),
    },
    "coral_batch/report/__init__.py": {"results", "index", *(f"page@{part}" for part in PARTS)},
    "schemas/scores.schema.json": {f"scores@{part}" for part in PARTS},
    "coral_batch/work/__init__.py": set(),
    "coral_batch/commands/__init__.py": set(),
    "coral_batch/audit/__init__.py": set(),
    "coral_batch/errors.py": set(),
}


def changed(project: Path) -> set[str]:
    """Return the stages that do not follow from their own dependencies."""
    return set(json.loads(run(project, "dvc", "status", "--json").splitlines()[-1]))


def edit(project: Path, *files: str) -> None:
    """Change files so that they do the same."""
    for name in files:
        with (project / name).open("ab") as file:
            file.write(b"\n")


def test_an_edit_reruns_what_runs_the_code(copy: Path) -> None:
    edit(copy, *EDITED)
    assert changed(copy) == set().union(*EDITED.values())


def test_what_comes_out_the_same_reruns_nothing_after_it_and_stages_say_their_place(
    copy: Path,
) -> None:
    edit(copy, "stages/scores.py", "coral_batch/report/__init__.py")
    every = STAGE.findall(run(copy, "dvc", "repro", "--dry", "--force"))
    output = run(copy, "dvc", "repro")
    rerun = STAGE.findall(output)
    assert set(rerun) == EDITED["stages/scores.py"] | EDITED["coral_batch/report/__init__.py"]
    said = [f"coral: stage {every.index(name) + 1} of {len(every)}" for name in rerun]
    assert re.findall("coral: stage .*", output) == said


REPAIRED = ("samples", "verdicts", "findings")
BRED = ("automata", "features", "adapters", *REPAIRED)
# What is measured on the best genome alone; another one may win.
BEST_AGAIN = {
    *(f"{stage}@evaluation/best" for stage in (*REPAIRED, "scores", "page")),
    *("best", "linteval_samples@best", "linteval_scores@best", "linteval_report"),
}


def test_one_more_generation_reruns_nothing_that_stands(copy: Path) -> None:
    run(copy, "coral", "generations", "3")
    assert stages_run(run(copy, "dvc", "repro")) - BEST_AGAIN == {
        *("examples", "evidence", "results", "index"),
        *(f"{stage}@002" for stage in (*BRED, "scores", "selection", "page")),
    }


@pytest.mark.long
def test_the_protocol_of_coralx_is_one_command_away(copy: Path) -> None:
    """Adapters learn from all examples and from no parent, and the fittest survive."""
    shutil.copytree(REPOSITORY / "profiles", copy / "profiles")
    run(copy, "coral", "use", "coralx")
    run(copy, "dvc", "repro")
    with lake.at(copy / "lake"):
        rows = lake.read_rows("examples", Example)
        assert Counter(row.problem for row in rows) == dict.fromkeys(TRAINING, 4)
        every = examples_sha256(rows)
        for part in ("000", "001"):
            cards = lake.read_rows("adapter_cards", AdapterCardRow, part)
            assert {card.determinants["examples"] for card in cards} == {every}
            assert [card.determinants["parents"] for card in cards] == [[]] * len(cards)
            selected = lake.read_rows("selection", SelectionRow, part)
            assert [row.worth for row in selected] == [row.fitness for row in selected]
            assert lake.path("first_changes", part).read_text() == ""
            samples = lake.path("samples", part).read_text().splitlines()
            assert len(samples) == 4 * 8 * len(selected)
