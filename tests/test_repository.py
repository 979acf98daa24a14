"""What stands next to the code: versions, commands of make, continuous integration."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from coral_batch.commands.doctor import TESTED
from tests import REPOSITORY

VERSION = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["version"]


def yaml(file: str) -> dict[str, object]:
    return YAML(typ="safe").load(REPOSITORY / file)


def test_the_workflow_runs_what_continuous_integration_runs_on_every_tested_python() -> None:
    job = yaml(".github/workflows/ci.yml")["jobs"]["test"]
    assert job["strategy"]["matrix"]["python"] == list(TESTED)
    assert job["steps"][-1] == {"run": ".ci/run"}


def test_a_commit_checks_what_make_lint_checks() -> None:
    (repository,) = yaml(".pre-commit-config.yaml")["repos"]
    (hook,) = repository["hooks"]
    assert (hook["entry"], hook["language"]) == ("make lint", "system")


def test_citation_and_changelog_name_the_version() -> None:
    assert str(yaml("CITATION.cff")["version"]) == VERSION
    assert f"\n## [{VERSION}] - " in (REPOSITORY / "CHANGELOG.md").read_text()


def test_make_lists_every_target() -> None:
    text = (REPOSITORY / "Makefile").read_text()
    targets = re.findall(r"^\.PHONY: (.+)$", text, re.MULTILINE)[0].split()
    command = ["make", "--no-print-directory", "help"]
    listed = subprocess.check_output(command, cwd=REPOSITORY, text=True)
    assert [line.split()[0] for line in listed.splitlines()] == targets


@pytest.mark.slow
def test_setup_mends_an_environment_whose_making_was_killed(tmp_path: Path) -> None:
    shutil.copy(REPOSITORY / "Makefile", tmp_path)
    for pins in ("pyproject.toml", "constraints.txt"):
        (tmp_path / pins).touch()
    environment = tmp_path / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    done = subprocess.run(
        ["make", "setup", f"PYTHON={sys.executable}", f"VENV={environment}"],
        cwd=tmp_path,
        env={**os.environ, "PIP_NO_INDEX": "1"},  # pip is there and finds nothing to install
        capture_output=True,
        text=True,
        check=False,
    )
    assert "No module named pip" not in done.stderr
    subprocess.run([environment / "bin/python", "-m", "pip", "--version"], check=True)


def test_what_counts_the_memory_of_a_run_needs_nothing_that_is_not_pythons_own() -> None:
    """`python -m benchmarks.memory make repro` counts the installation, too."""
    counted = subprocess.run(
        [sys.executable, "-S", "-m", "benchmarks.memory", "true"],
        cwd=REPOSITORY, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (counted.returncode, counted.stderr[:5]) == (0, "peak "), counted.stderr
