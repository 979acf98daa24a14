"""What holds for the tests themselves: what imports test files, and how parameters are changed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from coral_batch.lake import params
from tests import REPOSITORY, conftest
from tests.settings import set_params

FILES = sorted((REPOSITORY / "tests").rglob("*.py"))
USERS = [*FILES, *sorted((REPOSITORY / "benchmarks").rglob("*.py"))]
SETTINGS = "params.yaml"


def test_no_file_imports_a_test_file() -> None:
    """A program that a test starts may not either: its text is searched as well."""
    pattern = re.compile(
        r"(?:from|import)\s+tests[\w.]*\.test_|from\s+tests[\w.]*\s+import\s+test_"
    )
    wrong = [str(file) for file in USERS if pattern.search(file.read_text(encoding="utf-8"))]
    assert wrong == []


def test_keys_are_set_and_the_rest_keeps_its_values(workspace: Path) -> None:
    set_params({"automata.height": 8, "candidates.r": [2, 4], "linteval.items": None})
    loaded = params.load()
    assert (loaded.automata.height, loaded.candidates.r, loaded.linteval.items) == (8, (2, 4), None)
    set_params({"automata.height": 32, "candidates.r": [4, 8, 16], "linteval.items": 12})
    assert params.load() == params.load(REPOSITORY / SETTINGS)


@pytest.mark.parametrize(
    "key", ["automata.hight", "automato.height", "seed.height", "height", "automata"]
)
def test_an_unknown_key_or_a_section_is_refused(workspace: Path, key: str) -> None:
    before = Path(SETTINGS).read_text()
    with pytest.raises(KeyError):
        set_params({key: 8})
    assert Path(SETTINGS).read_text() == before


def test_the_lists_of_long_and_slow_files_name_files_that_are_there() -> None:
    assert {*conftest.LONG, *conftest.SLOW} <= {file.name for file in FILES}
