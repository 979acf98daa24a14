"""Run a script in a new Python process, with given environment variables."""

import os
import subprocess
import sys

from tests import REPOSITORY


def output_of(script: str, **environment: str) -> str:
    """Return what a script prints, with some variables of the environment set."""
    command = [sys.executable, "-c", script]
    known = {**os.environ, **environment}
    return subprocess.check_output(command, cwd=REPOSITORY, env=known, text=True)
