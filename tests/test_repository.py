"""What stands beside the code: docs name what is there, versions are the same everywhere."""

from __future__ import annotations

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

PAGES = [
    page.relative_to(REPOSITORY).as_posix()
    for folder in (".", "docs", "benchmarks")
    for page in sorted((REPOSITORY / folder).glob("*.md"))
]
PATHS = r"\b(?:coral_batch|stages|schemas|integrations|tests|benchmarks|docs)/[\w/.*-]*[\w*]"
LINKS = r"\]\(([^)#:]+)(?:#[^):]*)?\)"
MADE = ("benchmarks/results", "benchmarks/peers")
"""What is not in git."""
VERSION = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["version"]


def yaml(file: str) -> dict[str, object]:
    return YAML(typ="safe").load(REPOSITORY / file)


@pytest.mark.parametrize("page", PAGES)
def test_every_path_and_link_of_the_docs_leads_somewhere(page: str) -> None:
    text = (REPOSITORY / page).read_text()
    folder = (REPOSITORY / page).parent
    named = {name for name in re.findall(PATHS, text) if not name.startswith(MADE)}
    assert [name for name in sorted(named) if not any(REPOSITORY.glob(name))] == []
    assert [link for link in re.findall(LINKS, text) if not (folder / link).exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_link_to_a_heading_leads_to_one(page: str) -> None:
    folder = (REPOSITORY / page).parent
    for file, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", (REPOSITORY / page).read_text()):
        target = folder / file if file else REPOSITORY / page
        headings = re.findall(r"^#+ (.+)$", target.read_text(), re.MULTILINE)
        assert anchor in {re.sub(r"[^\w -]", "", one).lower().replace(" ", "-") for one in headings}


def test_the_readme_can_be_read_at_once() -> None:
    assert len((REPOSITORY / "README.md").read_text().splitlines()) <= 200


def test_every_page_of_the_docs_is_reached_from_the_readme() -> None:
    readme = (REPOSITORY / "README.md").read_text()
    assert [page for page in PAGES if page != "README.md" and f"({page})" not in readme] == []


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
    listed = subprocess.run(
        ["make", "--no-print-directory", "help"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert [line.split()[0] for line in listed.splitlines()] == targets


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
