"""The keys of adapters and samples hold the code that decides their bytes, and no other."""

import os
from pathlib import Path

import pytest

from coral_batch.lake.hashes import code_sha256
from coral_batch.models.decoding import drawing
from coral_batch.models.training import obtain
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
        ("[None, x", "[x"),
        ('"y"', 'b"y"'),
        ("def f(x)", "def f(x, y=None)"),
        ("def f", "async def f"),
    ],
)
def test_anything_else_counts(old: str, new: str, tmp_path: Path) -> None:
    assert old in CODE
    assert hashed(tmp_path, CODE.replace(old, new, 1)) != hashed(tmp_path, CODE)
