"""Fixtures that every test file may use."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project folder with the repository's params.yaml, as the working directory."""
    shutil.copy(REPOSITORY / "params.yaml", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path
