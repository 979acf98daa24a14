"""Run flake8 or bandit on many texts in one process, each text in its own file.

The findings on a text are those of ``flake8 --isolated`` and ``bandit --ignore-nosec`` on the text
as a UTF-8 file. Bandit's ``errors`` are findings too, and so are bandit's tests that raise, which
it only logs. So no findings always means that the linter read the text.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from coral_batch.errors import CoralError
from coral_batch.records.finding import CRASH, ERROR, TIMEOUT, UNPARSEABLE, Finding, failure

TOOLS = ("flake8", "bandit")

CPU_SECONDS = 5
"""CPU time of one process, however many texts it reads (a usual text takes milliseconds).

One limit for all: a text that finishes with others would also finish alone.
"""

MEMORY_BYTES = 1 << 30
"""Address space of one process; a lower hard limit of the calling shell takes precedence."""

REPORT_BYTES = 16 << 20
"""Report of one process. A name of 50,000 letters can stand in thousands of findings."""

_LIMITED = """
ulimit -S -c 0
ulimit -S -t "$1"
ulimit -S -v "$2" 2>/dev/null
ulimit -S -f "$3" 2>/dev/null
shift 3
exec "$@"
"""
# -P: nothing is imported from the working directory.
_PYTHON = (sys.executable, "-P", "-W", "ignore", "-m")
# With --exit-zero, any status but 0 means that the linter failed.
_FLAKE8 = (
    "flake8",
    "--isolated",
    "--exit-zero",
    "--jobs=1",
    "--format=%(path)s:%(row)d:%(col)d:%(code)s:%(text)s",
)
_BANDIT = ("bandit", "--ignore-nosec", "--exit-zero", "-q", "-f", "json", "-r")
_OWN = re.compile(r"[EFW]\d+|C901")
"""flake8's own codes, without those of plugins that happen to be installed."""
_RAISED = re.compile(r"\b\w*Error\b")
_RAISED_IN_BANDIT = re.compile(r"(Bandit internal error running: \w+) on file \./(\d+)\.py ")


def find(tool: str, texts: Sequence[str], honour_noqa: bool) -> list[list[Finding]]:
    """Run a linter on texts; if it fails, bisect to find the texts that break it.

    Args:
        tool: one of `TOOLS`.
        texts: texts that UTF-8 can encode.
        honour_noqa: let ``# noqa`` comments silence findings of flake8.

    Returns:
        Each text's findings, in the linter's order. A text on which the linter fails has one
        finding: an ERROR, CRASH or TIMEOUT.

    Raises:
        CoralError: the linter does not run at all.
    """
    if not texts:
        return []
    with tempfile.TemporaryDirectory(prefix="coral-linting-") as folder:
        for number, text in enumerate(texts):
            Path(folder, f"{number}.py").write_bytes(text.encode())
        status, report, log = _run(tool, folder, honour_noqa)
    if status == 0:
        found: list[list[Finding]] = [[] for _ in texts]
        read = _of_flake8(report, folder) if tool == "flake8" else _of_bandit(report, log)
        for number, finding in read:
            found[number].append(finding)
        return found
    if len(texts) > 1:
        middle = len(texts) // 2
        halves = texts[:middle], texts[middle:]
        return [findings for half in halves for findings in find(tool, half, honour_noqa)]
    if texts[0] == "":
        raise CoralError(
            f"{tool} does not run",
            found=(log or report).strip().rpartition("\n")[2] or f"status {status}",
            action=f"install the pinned version: pip install -c constraints.txt {tool}",
        )
    find(tool, [""], honour_noqa)
    return [[_failure(tool, status, report + log)]]


def _run(tool: str, folder: str, honour_noqa: bool) -> tuple[int, str, str]:
    """Return a linter's exit status, its report and its log."""
    if tool == "bandit":
        # Relative, since bandit skips every path that has, say, `.git` in it.
        command = [*_BANDIT, "."]
    else:
        # Absolute: the folder's name marks the start of a finding, and no text can contain it.
        command = [*_FLAKE8, folder] if honour_noqa else [*_FLAKE8, "--disable-noqa", folder]
    limits = [str(CPU_SECONDS), str(MEMORY_BYTES >> 10), str(REPORT_BYTES // 512)]
    with tempfile.TemporaryFile() as report, tempfile.TemporaryFile() as log:
        ended = subprocess.run(
            ["sh", "-c", _LIMITED, "sh", *limits, *_PYTHON, *command],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=report,
            stderr=log,
            check=False,
        )
        report.seek(0)
        log.seek(0)
        told, logged = (file.read().decode(errors="replace") for file in (report, log))
    return ended.returncode, told, logged


def _of_flake8(report: str, folder: str) -> Iterator[tuple[int, Finding]]:
    """Yield the number of each finding's text, and the finding."""
    start = rf"^{re.escape(folder)}/(\d+)\.py:(\d+):(\d+):(\w+):"
    fields = re.split(start, report, flags=re.MULTILINE)[1:]
    for number, line, column, code, message in zip(*[iter(fields)] * 5, strict=True):
        if _OWN.fullmatch(code):
            text = message.removesuffix("\n")
            yield int(number), Finding("flake8", code, text, int(line), int(column))


def _of_bandit(report: str, log: str) -> Iterator[tuple[int, Finding]]:
    """Yield the number of each finding's text, and the finding; failures come last."""
    read = json.loads(report)
    for issue in read["results"]:
        finding = Finding(
            "bandit",
            issue["test_id"],
            issue["issue_text"],
            issue["line_number"],
            issue["col_offset"] + 1,
            issue["issue_severity"],
            issue["issue_confidence"],
        )
        yield _number(issue["filename"]), finding
    for error in read["errors"]:
        code = UNPARSEABLE if error["reason"].startswith("syntax error") else ERROR
        yield _number(error["filename"]), failure("bandit", code, error["reason"])
    raised: dict[int, str] = {}
    for what, number in _RAISED_IN_BANDIT.findall(log):
        raised.setdefault(int(number), what)
    for number, what in raised.items():
        yield number, failure("bandit", ERROR, what)


def _number(name: str) -> int:
    return int(Path(name).stem)


def _failure(tool: str, status: int, said: str) -> Finding:
    """Return the finding for a text on which a linter ended with this status."""
    if status == -signal.SIGXCPU:
        return failure(tool, TIMEOUT, f"no result within {CPU_SECONDS} s of CPU time")
    if status < 0:
        return failure(tool, CRASH, f"{tool} was killed by {signal.Signals(-status).name}")
    raised = _RAISED.findall(said)
    how = f"raised {raised[-1]}" if raised else f"ended with status {status}"
    return failure(tool, ERROR, f"{tool} {how}")
