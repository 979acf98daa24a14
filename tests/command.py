"""The command line, run in the process of the tests."""

import contextlib
import io
import subprocess
import sys

import pytest

from coral_batch.commands import cli


def coral(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run `coral` with these arguments."""
    words = list(map(str, arguments))
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["coral", *words])
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                cli.main()
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else 0
    return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())
