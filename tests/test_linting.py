"""Linting: the command lines' findings, at any speed, whatever the text."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coral_batch.linting.bandit import bandit
from coral_batch.linting.cookies import misread
from coral_batch.linting.fixing import fix
from coral_batch.linting.flake8 import flake8
from coral_batch.linting.pool import MAX_BYTES, lint
from coral_batch.records.finding import (
    CRASH,
    ERROR,
    FAILURES,
    TIMEOUT,
    TOO_LONG,
    UNPARSEABLE,
    Finding,
    failure,
)
from tests.processes import alive, descendants

CLEAN = "def double(x):\n    return 2 * x"

SOURCES = {
    "clean": CLEAN,
    "empty": "",
    "blank": "\n\n",
    "style": "import os, sys\ndef f(a,b):\n  x=1;y = lambda: 2\n  return a==None",
    "security": (
        "import subprocess\nimport pickle\nimport hashlib\n\n\ndef f(x):\n"
        "    assert x\n    exec(x)\n    subprocess.call(x, shell=True)\n"
        "    password = 'hunter2'\n    return pickle.loads(x), hashlib.md5(x), password\n"
    ),
    "suppressed": (
        "# flake8: noqa\nimport os  # noqa\nexec('1')  # nosec\n"
        "x=1  # noqa: E225\ny=1  # noqa:E501\n"
    ),
    "file noqa with code": "# flake8: noqa: E225\nx=1\n",
    "syntax error": "def f(:\n    pass",
    "indentation error": "def f():\nreturn 1",
    "unclosed": "x = (1,\n     2",
    "unclosed string": 'x = """abc\n',
    "tabs": "def f(x):\n\tif x:\n        return 1\n\treturn 2\n",
    "form feed": "x = 1\n\f\ndef f():\n    return x\f\n",
    "crlf": "def f(x):\r\n    return x \r\n\r\n\r\n\r\ny = 1",
    "cr": "x = 1\ry=2\r",
    "bom": "\ufeffx=1\n",
    "latin-1 cookie": "# -*- coding: latin-1 -*-\nname = 'e'\nx=1\n",
    "unknown cookie": "# coding: no-such-encoding\nx=1\n",
    "not ascii": "имя = 'значение'\nprint(имя,1)\n",
    "line separators": "x = 'a\u2028b\x85c\x1cd'\ny=1\n",
    "null byte": "x = 1\0\ny=2\n",
    "long line": "x = [" + ", ".join(["1"] * 5000) + "]\n",
    "nested lists": "x = " + "[" * 150 + "]" * 150 + "\n",
    "too many parentheses": "x = " + "(" * 250 + ")" * 250 + "\n",
    "too many indents": "".join(" " * n + "if x:\n" for n in range(120)),
    "escapes": "import re\nre.compile('\\d')\nx = 1 is 1\n",
    "surrogate in a message": "password = '\\ud800'\nx = {'\\ud800': 1, '\\ud800': 2}\n",
    "f-string": "x = 1\nprint(f'{x!r:>{10}} {x }', f'nothing')\n",
    "bare except": "try:\n    pass\nexcept:\n    pass\n",
    "bidirectional": "x = 1  # \u202e hidden\n",
    "all names": "__all__ = ['missing']\nfrom os import *\nl = 1\nprint(undefined)\n",
}

TOO_DEEP = {
    "unary operators": "-" * 100_000 + "1",
    "attributes": "a" + ".b" * 5000,
    "sum": "x = " + "+".join(["1"] * 5000),
    "lambdas": "lambda:" * 3000 + "1",
}


def run(
    command: list[str], text: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        command, input=text, env={**os.environ, **environment}, capture_output=True, check=False
    )


def run_flake8(source: str, *options: str) -> list[Finding]:
    """Run the real command; one finding a line of its output."""
    command = [sys.executable, "-W", "ignore", "-m", "flake8", "--isolated", *options]
    form = "--format=%(row)d %(col)d %(code)s %(text)s"
    done = run([*command, form, "-"], source.encode())
    assert done.stderr == b""
    findings = []
    for line in done.stdout.decode().splitlines():
        row, column, code, text = line.split(" ", 3)
        findings.append(Finding("flake8", code, text, int(row), int(column)))
    return findings


def run_bandit(source: str) -> list[Finding]:
    """Run the real command; one finding a result or error of its report."""
    command = [sys.executable, "-W", "ignore", "-m", "bandit", "--ignore-nosec", "-q", "-f", "json"]
    done = run([*command, "-"], source.encode())
    report = json.loads(done.stdout)
    return [failure("bandit", UNPARSEABLE, error["reason"]) for error in report["errors"]] + [
        Finding(
            "bandit",
            result["test_id"],
            result["issue_text"],
            result["line_number"],
            result["col_offset"] + 1,
            result["issue_severity"],
            result["issue_confidence"],
        )
        for result in report["results"]
    ]


@pytest.fixture(scope="module")
def linted() -> dict[str, list[Finding]]:
    return dict(zip(SOURCES, lint(list(SOURCES.values()), workers=2), strict=True))


def of(tool: str, findings: list[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.tool == tool]


def codes(findings: list[Finding]) -> set[str]:
    return {finding.code for finding in findings}


@pytest.mark.parametrize("name", SOURCES)
def test_flake8_finds_what_its_command_line_finds(name, linted):
    source = SOURCES[name]
    newline = "" if source.endswith("\n") or not source else "\n"
    assert of("flake8", linted[name]) == run_flake8(source + newline, "--disable-noqa")


@pytest.mark.parametrize(
    "name",
    ["security", "suppressed", "syntax error", "unknown cookie", "null byte", "crlf", "bom",
     "nested lists", "too many parentheses", "bidirectional", "bare except"],
)  # fmt: skip
def test_bandit_finds_what_its_command_line_finds(name, linted):
    assert of("bandit", linted[name]) == run_bandit(SOURCES[name])


@pytest.mark.parametrize("name", ["suppressed", "file noqa with code", "style", "crlf"])
def test_official_mode_is_plain_flake8(name):
    found = flake8(SOURCES[name], honour_noqa=True, final_newline=False)
    assert found == run_flake8(SOURCES[name])


def test_official_mode_reads_a_source_as_its_cookie_says():
    source = "# -*- coding: latin-1 -*-\nname = 'é'\nx=1\n"
    assert flake8(source) == run_flake8(source, "--disable-noqa")


HIDING = (
    "# coding: utf-7\n#+AAoAIgAiACI-\nimport os, sys\ndef f(x) :\n  l=eval(x)\n  return l\n"
    "# +ACIAIgAi-\n"
)


@pytest.mark.parametrize(
    "source",
    [
        HIDING,
        HIDING.replace("\n", "\r\n"),
        HIDING.replace("\n", "\r"),
        f"# first\r{HIDING}",
        f"\r{HIDING}",
        f"\ufeff{HIDING}",
        "# coding: unicode_escape\n# \\x0aimport os\n",
        "# coding: mac_cyrillic\n\uff45\uff56\uff41\uff4c('1')\n",
        "# coding: latin-1\nname = 'é'\n",
    ],
)
def test_what_a_cookie_makes_another_text_is_never_clean(source):
    message = "a coding cookie makes it another text"
    (findings,) = lint([source], workers=1)
    assert findings == [failure("flake8", ERROR, message), failure("bandit", ERROR, message)]


@pytest.mark.parametrize(
    "source",
    [
        "# coding: utf-8\nname = 'é'\n",
        "# coding: latin-1\nname = 'e'\n",
        "# vim: set fileencoding=cp1252 :\r\nname = 'e'\r\n",
        "name = 1\nother = 2\n# coding: utf-7\n# +AAo-\n",
    ],
)
def test_other_cookies_change_nothing(source):
    assert not misread(source)
    (findings,) = lint([source], workers=1)
    assert not codes(findings) & FAILURES


def test_a_test_of_bandit_that_raises_is_never_silent():
    source = (
        "from cryptography.hazmat.primitives.asymmetric import rsa\n"
        "rsa.generate_private_key(65537, key_size=[1])\nexec('1')\n"
    )
    found = bandit(source)
    assert [finding.code for finding in found] == ["B102", ERROR]
    assert found[1].message.endswith("weak_cryptographic_key")
    assert codes(bandit(CLEAN)) == set()


def test_only_the_missing_final_newline_separates_the_two_newline_modes():
    assert flake8(CLEAN) == []
    assert codes(flake8(CLEAN, final_newline=False)) == {"W292"}


def test_suppressing_comments_silence_nothing(linted):
    assert {"F401", "E225"} <= codes(linted["suppressed"])
    assert "B102" in codes(linted["suppressed"])


def test_severities_and_confidences_come_from_bandit_alone(linted):
    for finding in linted["security"]:
        known = finding.severity in {"LOW", "MEDIUM", "HIGH"}
        assert known == (finding.tool == "bandit")
        assert (finding.confidence is None) == (finding.severity is None)


def test_messages_can_be_written_as_utf8(linted):
    assert any("d800" in finding.message for finding in linted["surrogate in a message"])
    for findings in linted.values():
        for finding in findings:
            finding.message.encode()


@pytest.mark.parametrize("name", TOO_DEEP)
def test_nesting_beyond_the_parser_is_never_silent(name):
    source = TOO_DEEP[name][:MAX_BYTES]
    for linter in (flake8, bandit):
        assert codes(linter(source)) <= FAILURES
        assert linter(source)


def test_text_that_utf8_cannot_hold_is_never_silent():
    (findings,) = lint(["x = '\ud800'"], workers=1)
    assert [(finding.tool, finding.code) for finding in findings] == [
        ("flake8", ERROR),
        ("bandit", ERROR),
    ]


def test_too_long_a_source_is_not_linted():
    longest = "#" * (MAX_BYTES - 1) + "\n"
    accepted, refused = lint([longest, longest + "\n"], workers=1)
    assert codes(accepted) == {"E501"}
    assert [finding.code for finding in refused] == [TOO_LONG, TOO_LONG]


def test_length_counts_bytes_of_utf8():
    (findings,) = lint(["# " + "й" * (MAX_BYTES // 2)], workers=1)
    assert codes(findings) == {TOO_LONG}


def hostile(source: str) -> list[Finding]:
    """Stand for a linter that `source` drives to its death."""
    match source:
        case "loop":
            while True:
                pass
        case "crash":
            # In this thread: a signal to the process may reach another one, and later.
            signal.raise_signal(signal.SIGSEGV)
        case "defect":
            raise KeyError(source)
    return []


def test_a_source_that_kills_or_stalls_a_linter_takes_no_other_down():
    linters = {"flake8": flake8, "hostile": hostile}
    texts = ["x=1", "loop", "crash", "y =1", "crash"]
    found = lint(texts, workers=1, linters=linters)
    assert [codes(findings) for findings in found] == [
        {"E225"},
        {"F821", TIMEOUT},
        {"F821", CRASH},
        {"E225"},
        {"F821", CRASH},
    ]
    assert of("hostile", found[2]) == [failure("hostile", CRASH, "hostile was killed by SIGSEGV")]


def kill_the_worker_once(marker: Path, source: str) -> list[Finding]:
    """Stand for a linter whose worker is killed from outside."""
    if source == "kill" and not marker.exists():
        marker.touch()
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(60)
    return [Finding("killer", source, "", 1, 0)]


def test_killing_a_worker_loses_no_finding(tmp_path: Path):
    sources = [*(f"x = {number}\n" for number in range(70)), "kill"]
    linters = {"killer": partial(kill_the_worker_once, tmp_path / "killed")}
    found = lint(sources, workers=2, linters=linters)
    assert (tmp_path / "killed").exists()
    assert [[finding.code for finding in findings] for findings in found] == [[s] for s in sources]


_SLOW = """
import sys, time
from pathlib import Path
from coral_batch.linting.pool import lint
def slow(source):
    if source:
        Path(sys.argv[1], source).touch()
        time.sleep(600)
    return []
lint(["a", "b"], 2, {"slow": slow})
"""


def test_killing_the_parent_leaves_no_orphan(tmp_path: Path):
    parent = subprocess.Popen([sys.executable, "-c", _SLOW, str(tmp_path)])
    deadline = time.monotonic() + 300
    while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    marked = descendants(parent.pid)
    assert len(marked) >= 4  # two workers and the two children that lint
    parent.kill()
    parent.wait()
    while any(map(alive, marked)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [pid for pid in marked if alive(pid)] == []


def test_a_defect_of_a_linter_function_is_not_taken_for_a_finding(capfd):
    with pytest.raises(RuntimeError, match="hostile ended with status 1"):
        lint(["defect"], workers=1, linters={"hostile": hostile})
    assert "KeyError" in capfd.readouterr().err


def test_a_limit_that_leaves_no_room_for_a_linter_is_no_finding() -> None:
    code = """
import resource
from coral_batch.linting.pool import lint

lint(["x = 1\\n"], workers=1)
used = int(open("/proc/self/statm").read().split()[5]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_DATA, (used + 2**25, resource.RLIM_INFINITY))
try:
    lint(["x = 2\\n"], workers=1)
except MemoryError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "the process that runs flake8 cannot start a thread\n"
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("coral: linting: 1 of 1 sources")


def test_linters_run_under_a_hard_limit_below_their_own() -> None:
    code = """
import resource
from coral_batch.linting.pool import lint

lint(["x = 1\\n"], workers=1)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**29, used + 2**29))
print([finding.code for finding in lint(["x=1\\n"], workers=1)[0]])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("['E225']\n", 0), done.stderr


def test_results_follow_the_order_of_the_sources_whatever_the_workers(linted):
    names = [*SOURCES, *reversed(SOURCES)]
    assert lint([SOURCES[name] for name in names], workers=1) == [linted[name] for name in names]
    assert lint([], workers=2) == []


def test_linters_can_be_chosen():
    linters = {"flake8": partial(flake8, honour_noqa=True, final_newline=False)}
    assert [codes(found) for found in lint(["import os  # noqa\n", "x=1"], 1, linters)] == [
        set(),
        {"E225", "W292"},
    ]


def frames_left(source: str) -> list[Finding]:
    """Stand for a linter that recurses as deeply as it can."""

    def descend(depth: int) -> int:
        try:
            return descend(depth + 1)
        except RecursionError:
            return depth

    return [Finding("frames", source, "", descend(0), 0)]


def test_how_deep_is_too_deep_depends_neither_on_the_caller_nor_on_the_workers():
    def deep(levels: int, workers: int) -> list[list[Finding]]:
        linters = {"frames": frames_left}
        return deep(levels - 1, workers) if levels else lint(["a", "b", "c"], workers, linters)

    found = deep(0, workers=1)
    assert deep(100, workers=1) == found
    assert deep(0, workers=2) == found


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(st.characters(categories=None), max_size=40), max_size=6))
def test_any_text_gets_findings_of_the_documented_form(texts):
    results = lint(texts, workers=1)
    assert len(results) == len(texts)
    for finding in (finding for findings in results for finding in findings):
        assert finding.tool in {"flake8", "bandit"}
        assert finding.line >= 0
        assert finding.column >= 0
        finding.message.encode()


def test_files_to_be_ignored_around_the_temporary_folder_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".ignore").write_text("*\n")
    (tmp_path / ".gitignore").write_text("*.py\n")
    (tmp_path / ".git").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert fix(["import os\nx=1\n"], 1, ("ruff",)) == ["x = 1\n"]


def test_plugins_installed_beside_the_linters_change_nothing(tmp_path: Path):
    (tmp_path / "thirdparty.py").write_text(
        "import bandit\nfrom bandit.core import test_properties\n"
        "def every_line(physical_line):\n    return 0, 'X100 seen'\n"
        "@test_properties.checks('Assign')\n"
        "@test_properties.test_id('B999')\n"
        "def every_assignment(context):\n"
        "    return bandit.Issue(severity=bandit.HIGH, confidence=bandit.HIGH, text='seen')\n"
    )
    metadata = tmp_path / "thirdparty-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: thirdparty\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[flake8.extension]\nX = thirdparty:every_line\n"
        "[bandit.plugins]\nevery_assignment = thirdparty:every_assignment\n"
    )

    def output(*command: str) -> bytes:
        return run([sys.executable, *command], b"x = 1\n", PYTHONPATH=str(tmp_path)).stdout

    assert b"X100" in output("-m", "flake8", "--isolated", "-")
    assert b"B999" in output("-m", "bandit", "-q", "-")
    program = (
        "from coral_batch.linting.pool import LINTERS; "
        "print([linter('x = 1') for linter in LINTERS.values()])"
    )
    assert output("-c", program) == b"[[], []]\n"


def test_importing_the_package_loads_no_linter():
    program = (
        "import sys, coral_batch.linting, coral_batch.objectives.score; "
        "print({'flake8', 'bandit', 'joblib', 'torch'} & set(sys.modules))"
    )
    assert run([sys.executable, "-c", program]).stdout == b"set()\n"
