"""Python in a process of its own, where what it goes by can be set before it begins."""

import os
import subprocess
import sys

from tests import REPOSITORY


def output_of(script: str, **environment: str) -> str:
    """Return what a script prints, with some variables of the environment set."""
    command = [sys.executable, "-c", script]
    known = {**os.environ, **environment}
    return subprocess.check_output(command, cwd=REPOSITORY, env=known, text=True)
