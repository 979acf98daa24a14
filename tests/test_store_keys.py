"""The keys of adapters and samples hold the code that decides their bytes, and no other."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coral_batch.lake.hashes import code_sha256
from coral_batch.models.decoding import drawing
from coral_batch.models.training import obtain, trunk
from tests import REPOSITORY
from tests.first_generation import make_first_generation, rows, train_and_draw
from tests.house import closure

DECODING, TRAINING = "coral_batch/models/decoding", "coral_batch/models/training"
LAYERS = "coral_batch/models/base/layers.py"
# What decisive files import beyond their own folder. Who adds a file asks: does it decide bytes? Of
# all these seeding and prompts/tokens.py do, which are in every key. Prompts, knobs, settings and
# the base model's files stand in the keys by value.
ELSEWHERE = {
    *("coral_batch/__init__.py", "coral_batch/errors.py", "coral_batch/seeding.py"),
    *("coral_batch/models/__init__.py", "coral_batch/models/prompts/__init__.py"),
    *("coral_batch/models/prompts/prompt.py", "coral_batch/models/prompts/tokens.py"),
    "coral_batch/models/base/",
    *("coral_batch/corpus/", "coral_batch/lake/", "coral_batch/records/", "coral_batch/verdicts/"),
    "coral_batch/work/",
}


def decisive(folder: str, file: str) -> set[str]:
    """Return what runs of a folder when a file of it does; insist that the rest is known."""
    found = closure(f"{folder}/{file}")
    own = {name for name in found if name.startswith(f"{folder}/") or name == LAYERS}
    assert not {name for name in found - own if not name.startswith(tuple(ELSEWHERE))}
    return {os.path.relpath(name, folder) for name in own}


def test_what_an_engine_imports_decides_its_samples() -> None:
    assert decisive(DECODING, "engine.py") == set(drawing.DECISIVE)


def test_what_training_imports_decides_its_adapters() -> None:
    assert decisive(TRAINING, "training.py") == set(obtain.DECISIVE)


def test_what_runs_the_lower_layers_decides_their_states() -> None:
    found = {name for file in trunk.DECISIVE for name in decisive(TRAINING, file)}
    assert found == set(trunk.DECISIVE)


def hashed(folder: Path, text: str) -> str:
    file = folder / "code.py"
    file.write_text(text)
    return code_sha256([file])


CODE = (
    '"""Doc."""\n\nA = 1\n"""More."""\n\n\ndef f(x):\n    """Doc."""\n    return [None, x, "y"]\n'
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"""Doc."""\n\nA', "A"),
        ('"""More."""', '"""Less."""'),
        ('    """Doc."""\n', '    """Other."""  # why\n'),
        ("A = 1\n", "# why\nA = (1)\n"),
        ('[None, x, "y"]', "[\n        None,\n        x,\n        'y',\n    ]"),
    ],
)
def test_comments_docstrings_and_layout_do_not_count(old: str, new: str, tmp_path: Path) -> None:
    assert old in CODE
    assert hashed(tmp_path, CODE.replace(old, new, 1)) == hashed(tmp_path, CODE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("A = 1", "A = 2"),
        ("A = 1", "A = True"),
        ("A = 1", 'A = "1"'),
        ("A = 1", "A: int = 1"),
        ("[None, x", "[x"),
        ("[None, x", "[x, None"),
        ('"y"', '"z"'),
        ('"y"', 'b"y"'),
        ("return [", "yield ["),
        ("def f(x)", "def f(x, y=None)"),
        ("def f", "async def f"),
    ],
)
def test_anything_else_counts(old: str, new: str, tmp_path: Path) -> None:
    assert old in CODE
    assert hashed(tmp_path, CODE.replace(old, new, 1)) != hashed(tmp_path, CODE)


FILES = sorted((REPOSITORY / "coral_batch/models").rglob("*.py"))


@given(st.sampled_from(FILES), st.text("abc #'\n", max_size=20))
def test_a_comment_at_the_end_of_a_file_does_not_count(file: Path, comment: str) -> None:
    lines = "".join(f"# {line}\n" for line in comment.split("\n"))
    copy = Path("commented.py")
    copy.write_text(file.read_text() + lines)
    assert code_sha256([copy]) == code_sha256([file])


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path_factory.getbasetemp())


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text, file
    file.write_text(text.replace(old, new, 1))


def test_edits_of_code_make_again_what_depends_on_it_and_nothing_else(tmp_path: Path) -> None:
    project = make_first_generation(tmp_path)
    models = project / "coral_batch/models"

    def reused() -> tuple[set[object], set[object]]:
        train_and_draw(project)
        tables = ("adapter_durations", "sample_durations")
        adapters, samples = ({row["reused"] for row in rows(project, one)} for one in tables)
        return adapters, samples

    assert reused() == ({False}, {False})
    first = (project / "lake/generations/000/samples.jsonl").read_bytes()
    # Comments in what decides, and code in what does not.
    for name in ("decoding/engine.py", "training/losses.py", "training/layers.py"):
        edit(models / name, "from __future__", "# Another comment.\nfrom __future__")
    edit(models / "decoding/sampling.py", '"""The next token', '"""Another text')
    edit(models / "decoding/drawing.py", 'KIND = "samples"', 'NAME = 1\nKIND = "samples"')
    edit(models / "training/obtain.py", 'KIND = "adapters"', 'NAME = 1\nKIND = "adapters"')
    for name in ("models/repairs/tables.py", "linteval/answers/tables.py"):
        with (project / "coral_batch" / name).open("a") as stream:
            stream.write("\nNAME = 1\n")
    assert reused() == ({True}, {True})
    assert (project / "lake/generations/000/samples.jsonl").read_bytes() == first
    # Code that decides samples alone.
    edit(models / "decoding/sampling.py", "_MARGIN = 16", "_MARGIN = 17")
    assert reused() == ({True}, {False})
