"""The code, machine, versions and files of a run, as of the time of the page."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from coral_batch.lake.hashes import file_sha256
from coral_batch.work.machine import processor

_PACKAGES = (
    *("torch", "transformers", "peft", "numpy", "polars", "moocore"),
    *("flake8", "bandit", "joblib", "dvc", "coral-batch"),
)


def identity(files: Sequence[Path], arithmetic: Mapping[str, Any]) -> dict[str, Any]:
    """Return code, machine and versions as (name, value), and the SHA-256 of `files`.

    Args:
        files: the files.
        arithmetic: that of the best genome's adapter; see `coral_batch.models.base.device`.
    """
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "code": [*_code(), ("page made", f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC")],
        "machine": [
            ("processor", processor()),
            ("cores", str(len(os.sched_getaffinity(0)))),
            ("memory", f"{memory / 2**30:.1f} GiB"),
            ("device", arithmetic.get("model", arithmetic["device"])),
            ("computed in", arithmetic["dtype"]),
            ("system", f"{platform.system()} {platform.release()}"),
        ],
        "versions": [
            ("Python", platform.python_version()),
            *((name, version(name)) for name in _PACKAGES),
        ],
        "files": {str(file): file_sha256(file) for file in files},
    }


def _code() -> list[tuple[str, str]]:
    commit = _git("rev-parse", "HEAD")
    if commit is None:
        return [("commit", "none: not in a git repository, or no git")]
    # `dvc repro` itself writes dvc.lock.
    changed = _git("diff", "--name-only", "HEAD", "--", ".", ":!dvc.lock") or ""
    names = ", ".join(changed.splitlines()) or "no tracked file"
    return [("commit", commit), ("changed since", names)]


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *arguments],
            capture_output=True,
            text=True,
            errors="backslashreplace",
            check=False,
        )
    except FileNotFoundError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None
