"""Fix code with common tools so that flake8 accepts it.

Three steps, over all files at once: ``ruff check --fix`` with the fixes that ruff calls unsafe (it
removes unused names and turns ``== None`` into ``is None``), ``ruff format``, and autopep8 where
ruff's format violates flake8 (E203). The tools guarantee neither that flake8 is silent nor that the
program still works: the caller has to check both.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import autopep8

from coral_batch.errors import CoralError
from coral_batch.work.parallel import run
from coral_batch.work.progress import progress

TOOLS = ("ruff", "autopep8")
LINE_LENGTH = 79
_CHUNK = 32
_VERSION = f"py{sys.version_info.major}{sys.version_info.minor}"
# --preview: ruff's pycodestyle rules on blank lines and spaces are still in preview.
_STEPS = (
    ("check", "--select=E,W,F", "--preview", "--fix", "--unsafe-fixes", "--exit-zero", "--quiet"),
    ("format", "--quiet"),
)
_OPTIONS = {"aggressive": 2, "max_line_length": LINE_LENGTH}


def fix(
    sources: Sequence[str], workers: int | None = None, tools: Sequence[str] = TOOLS
) -> list[str]:
    """Return each source as the tools leave it; one that ruff cannot parse may come back unchanged.

    Args:
        sources: Python sources, each at most `coral_batch.linting.pool.MAX_BYTES` long.
        workers: number of processes, >= 1; None means one per core.
        tools: those of `TOOLS` to use.

    Raises:
        CoralError: ruff does not run.
    """
    chunks = [sources[start : start + _CHUNK] for start in range(0, len(sources), _CHUNK)]
    results = run(_fix_chunk, [(chunk, tools) for chunk in chunks], workers)
    fixed = dict(progress(results, "fixing", len(chunks), units="chunks"))
    return [source for number in sorted(fixed) for source in fixed[number]]


def _fix_chunk(sources: Sequence[str], tools: Sequence[str]) -> list[str]:
    fixed = list(sources)
    if "ruff" in tools:
        fixed = _with_ruff(fixed)
    if "autopep8" in tools:
        fixed = [autopep8.fix_code(source, options=_OPTIONS) for source in fixed]
    return fixed


def _with_ruff(sources: Sequence[str]) -> list[str]:
    with tempfile.TemporaryDirectory(prefix="coral-fixing-") as folder:
        files = [Path(folder, f"{number}.py") for number in range(len(sources))]
        for file, source in zip(files, sources, strict=True):
            file.write_text(source, encoding="utf-8", newline="\n")
        for step in _STEPS:
            _ruff(*step, folder)
        return [file.read_text(encoding="utf-8") for file in files]


def _ruff(command: str, *arguments: str) -> None:
    """Run ruff without any configuration of this machine."""
    general = ["--isolated", "--no-respect-gitignore", "--no-cache", f"--line-length={LINE_LENGTH}"]
    general.append(f"--target-version={_VERSION}")
    done = subprocess.run(
        [sys.executable, "-m", "ruff", command, *general, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    # Status 2: ruff could not parse one of the files; the others are done.
    if done.returncode not in {0, 2} or "unexpected argument" in done.stderr:
        raise CoralError(
            "ruff does not run",
            found=done.stderr.strip() or done.returncode,
            action="install the pinned version: pip install -c constraints.txt ruff",
        )
