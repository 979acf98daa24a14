"""A whole project on a tiny model, for tests that run the pipeline through DVC."""

import atexit
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from filelock import FileLock

from tests import REPOSITORY, warm
from tests.settings import keep_sources, set_params
from tests.tiny import make_tiny_base

TABLES_OF_TIMES = {"adapter_durations", "sample_durations", "case_times", "times", "durations"}
# The first page tells times, commit and machine; the others do not.
OTHERS = {".gitignore", "index.html"}
ENVIRONMENT = {
    **os.environ,
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    "DVC_NO_ANALYTICS": "true",
    # A tiny model gains nothing from threads, which wait for one another on a busy machine.
    "OMP_NUM_THREADS": "1",
}

SETTINGS = {
    "base.model": "tiny",
    "automata.height": 8,
    "automata.width": 8,
    "calibration.automata": 64,
    "calibration.bins": 2,
    "corpus.sources.snippets.exclude": [],
    "injection.each": 2,
    "examples.bugs": 2,
    "examples.portion": 30,
    "candidates.r": [2, 4],
    "training.batch_size": 8,
    "training.layers": 1,
    "validation.bugs": 0,
    "validation.samples": 1,
    "validation.read": 4,
    "sampling.max_new_tokens": 12,
    "evaluation.bugs": 5,
    "evaluation.samples": 1,
    "linteval.items": 3,
    "linteval.samples": 2,
    "linteval.max_new_tokens": 12,
    # Processes that start for one adapter or some programs cost more than they save.
    "compute.workers": 1,
    "compute.threads": 1,
}


def make_project(folder: Path) -> Path:
    """Make a project of two generations with a tiny base model and small settings."""
    folder.mkdir()
    caches = shutil.ignore_patterns("__pycache__")
    for name in ("coral_batch", "stages", "schemas", "lake/raw/classics"):
        shutil.copytree(REPOSITORY / name, folder / name, ignore=caches)
    snippets = "lake/raw/snippets"
    shutil.copytree(REPOSITORY / snippets, folder / snippets, ignore=_all_but_four)
    shutil.copy(REPOSITORY / "dvc.yaml", folder)
    shutil.copy(REPOSITORY / ".dvcignore", folder)
    make_tiny_base(folder / "tiny")
    shutil.copy(REPOSITORY / "params.yaml", folder)
    keep_sources(("classics", "snippets"), folder)
    set_params(SETTINGS, folder)
    run(folder, "dvc", "init", "--no-scm", "--quiet")
    config = (REPOSITORY / ".dvc/config").read_text()
    (folder / ".dvc/config").write_text(config.replace("[core]", "[core]\n    no_scm = true"))
    run(folder, "coral", "generations", "2")
    return folder


def _all_but_four(_: str, names: list[str]) -> list[str]:
    return sorted(name for name in names if name.endswith((".py", ".json")))[4:]


def run(project: Path, *command: str) -> str:
    """Run a command in a project and return what it printed; fail the test if it fails."""
    done = attempt(project, *command)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def attempt(project: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a project, on the project's own copy of the code."""
    path = f"{_warm_commands()}{os.pathsep}{ENVIRONMENT['PATH']}"
    environment = {**ENVIRONMENT, "PATH": path, "PYTHONPATH": str(project)}
    command = (shutil.which(command[0], path=path) or command[0], *command[1:])
    return subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, check=False
    )


@cache
def _warm_commands() -> Path:
    """Return the folder of the commands that a server runs, one of this process's own."""
    folder = Path(tempfile.mkdtemp(prefix="coral-warm-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return warm.start(folder)


def stages_run(output: str) -> set[str]:
    return set(re.findall(r"Running stage '([^']+)'", output))


def hashes(project: Path) -> dict[str, str]:
    """Hash every file of the lake that two runs must have in common."""
    return {
        str(file.relative_to(project)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted((project / "lake").rglob("*"))
        if file.is_file() and file.stem not in TABLES_OF_TIMES and file.name not in OTHERS
    }


def make_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder that `make` fills, for all test files of a session: change copies of it.

    The first worker that needs it makes it, the others wait: see pytest-xdist's documentation,
    "Making session-scoped fixtures execute only once".
    """
    base = factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    project, done = shared / name, shared / f"{name}.done"
    with FileLock(shared / f"{name}.lock"):
        if not done.exists():
            shutil.rmtree(project, ignore_errors=True)
            make(project)
            done.touch()
    return project


def finished_run(factory: pytest.TempPathFactory) -> Path:
    """Return a project after `dvc repro`; see `make_once`."""

    def make(project: Path) -> None:
        make_project(project)
        run(project, "dvc", "repro")

    return make_once(factory, "finished-run", make)
