"""Python in a process of its own, where what it goes by can be set before it begins."""

from __future__ import annotations

import os
import subprocess
import sys

from tests import REPOSITORY


def output_of(script: str, **environment: str) -> str:
    """Return what a script prints, with some variables of the environment set."""
    return subprocess.run(
        [sys.executable, "-c", script],
        cwd=REPOSITORY,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
