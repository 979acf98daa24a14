"""Linting: the commands' findings, at any speed, whatever the text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coral_batch.errors import CoralError
from coral_batch.linting.fixing import fix
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

CLEAN = "def double(x):\n    return 2 * x"

SOURCES = {
    "clean": CLEAN,
    "empty": "",
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
    "form feed": "x = 1\n\f\ndef f():\n    return x\f\n",
    "crlf": "def f(x):\r\n    return x \r\n\r\n\r\n\r\ny = 1",
    "bom": "\ufeffx=1\n",
    "latin-1 cookie": "# -*- coding: latin-1 -*-\nname = 'e'\nx=1\n",
    "unknown cookie": "# coding: no-such-encoding\nx=1\n",
    "not ascii": "имя = 'значение'\nprint(имя,1)\n",
    "line separators": "x = 'a\u2028b\x85c\x1cd'\ny=1\n",
    "null byte": "x = 1\0\ny=2\n",
    "f-string": "x = 1\nprint(f'{x!r:>{10}} {x }', f'nothing')\n",
}

if sys.version_info < (3, 11, 4):  # where flake8 itself crashes on it
    del SOURCES["null byte"]

FILES = {f"{number}.py": name for number, name in enumerate(SOURCES)}

TOO_DEEP = {
    "unary operators": "-" * 60_000 + "1",
    "attributes": "a" + ".b" * 5000,
    "sum": "x = " + "+".join(["1"] * 5000),
    "lambdas": "lambda:" * 3000 + "1",
}


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[bytes]:
    """Run a real command on the file of every source."""
    whole = [sys.executable, "-W", "ignore", "-m", *command, *FILES]
    return subprocess.run(whole, cwd=folder, capture_output=True, check=False)


def run_flake8(folder: Path, *options: str) -> dict[str, list[Finding]]:
    """Return the findings of flake8 by source; one finding a line of its output."""
    form = "--format=%(path)s %(row)d %(col)d %(code)s %(text)s"
    done = run(folder, "flake8", "--isolated", "--jobs=1", *options, form)
    assert done.stderr == b""
    findings: dict[str, list[Finding]] = {name: [] for name in SOURCES}
    for line in done.stdout.decode().removesuffix("\n").split("\n"):
        file, row, column, code, text = line.split(" ", 4)
        finding = Finding("flake8", code, text, int(row), int(column))
        findings[FILES[Path(file).name]].append(finding)
    return findings


def run_bandit(folder: Path) -> dict[str, list[Finding]]:
    """Return the findings of bandit by source; one finding a result or error of its report."""
    report = json.loads(run(folder, "bandit", "--ignore-nosec", "-q", "-f", "json").stdout)
    findings: dict[str, list[Finding]] = {name: [] for name in SOURCES}
    for error in report["errors"]:
        finding = failure("bandit", UNPARSEABLE, error["reason"])
        findings[FILES[Path(error["filename"]).name]].append(finding)
    for result in report["results"]:
        finding = Finding(
            "bandit",
            result["test_id"],
            result["issue_text"],
            result["line_number"],
            result["col_offset"] + 1,
            result["issue_severity"],
            result["issue_confidence"],
        )
        findings[FILES[Path(result["filename"]).name]].append(finding)
    return findings


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, list[Finding]]]:
    """The findings of the real commands, each run once on all sources."""
    plain, ended = (tmp_path_factory.mktemp(name) for name in ("plain", "ended"))
    for file, name in FILES.items():
        text = SOURCES[name]
        (plain / file).write_bytes(text.encode())
        end = "" if not text or text.endswith("\n") else "\n"
        (ended / file).write_bytes(f"{text}{end}".encode())
    return {
        "published": run_flake8(plain),
        "bandit": run_bandit(plain),
        "flake8": run_flake8(ended, "--disable-noqa"),
    }


@pytest.fixture(scope="module")
def linted() -> dict[str, list[Finding]]:
    return dict(zip(SOURCES, lint(list(SOURCES.values()), workers=2), strict=True))


@pytest.fixture(scope="module")
def published() -> dict[str, list[Finding]]:
    """The findings of flake8 with its default settings."""
    found = lint(list(SOURCES.values()), 2, ("flake8",), honour_noqa=True, final_newline=False)
    return dict(zip(SOURCES, found, strict=True))


def of(tool: str, findings: list[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.tool == tool]


def codes(findings: Iterable[Finding]) -> list[str]:
    return [finding.code for finding in findings]


@pytest.mark.parametrize("name", SOURCES)
def test_the_findings_are_those_of_the_commands(name, linted, published, commands):
    assert published[name] == commands["published"][name]
    for tool in ("bandit", "flake8"):
        assert of(tool, linted[name]) == commands[tool][name]


def test_code_cut_out_of_a_text_needs_no_final_newline():
    assert lint([CLEAN], 1, ("flake8",)) == [[]]
    (found,) = lint([CLEAN], 1, ("flake8",), final_newline=False)
    assert codes(found) == ["W292"]


def test_a_test_of_bandit_that_raises_is_never_silent():
    source = (
        "from cryptography.hazmat.primitives.asymmetric import rsa\n"
        "rsa.generate_private_key(65537, key_size=[1])\nexec('1')\n"
    )
    found, clean = lint([source, CLEAN], 1, ("bandit",))
    assert codes(found) == ["B102", ERROR]
    assert found[1].message.endswith("weak_cryptographic_key")
    assert clean == []


def test_nesting_beyond_the_parser_is_never_silent_nor_anothers():
    *deep, other = lint([*TOO_DEEP.values(), "x=1"], workers=2)
    for findings in deep:
        assert [finding.tool for finding in findings] == ["flake8", "bandit"]
        assert set(codes(findings)) <= FAILURES
    assert codes(other) == ["E225"]


def test_what_is_given_to_no_linter_is_never_silent():
    longest = "#  " + "\u0439" * ((MAX_BYTES - 6) // 2) + " #\n"
    assert len(longest.encode()) == MAX_BYTES
    accepted, too_long, lone = lint([longest, longest + "\n", "x = '\ud800'"], workers=1)
    assert codes(accepted) == ["E501"]
    assert codes(too_long) == [TOO_LONG, TOO_LONG]
    assert codes(lone) == [ERROR, ERROR]


def test_a_report_without_bounds_is_never_silent_nor_anothers():
    """Each finding of an unknown name repeats the module that may define it."""
    source = f"from {'a' * 30_000} import *\n" + "x\n" * 1000
    found, other = lint([source, "x=1"], 1, ("flake8",))
    assert codes(found) == [ERROR]
    assert codes(other) == ["E225"]


def test_a_finding_that_utf8_cannot_hold_is_never_silent():
    unprintable = "password = '\\ud800'\nx = '%(\\ud800)s' % {}\n"
    found, other = lint([unprintable, "x=1"], workers=1)
    assert found == [
        failure("flake8", ERROR, "flake8 raised UnicodeEncodeError"),
        failure("bandit", ERROR, "bandit raised RuntimeError"),
    ]
    assert codes(other) == ["E225"]


def test_no_text_can_give_another_a_finding():
    forged = "'%(a\\n./1.py:1:1:E999:forged\\n1.py:1:1:E999:forged)s' % {}\n"
    found, other = lint([forged, CLEAN], 1, ("flake8",))
    assert codes(found) == ["F505"]
    assert "\n./1.py:1:1:E999:forged\n" in found[0].message
    assert other == []


FAILING = """
import os, pathlib, signal, sys, time

for file in pathlib.Path(sys.argv[-1]).iterdir():
    text = file.read_text()
    if "loop" in text:
        while True:
            pass
    elif "crash" in text:
        os.kill(os.getpid(), signal.SIGSEGV)
    elif "raise" in text:
        raise KeyError(text)
    elif "eat" in text:
        eaten = bytes(1 << 30)
    print(f"{file}:1:1:E100:{text.strip()}")
"""


@pytest.fixture
def failing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand for a flake8 that some texts make fail."""
    (tmp_path / "flake8.py").write_text(FAILING)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr("coral_batch.linting.programs.CPU_SECONDS", 1)
    return tmp_path


def test_a_text_on_which_a_linter_fails_is_found_and_costs_no_other_its_findings(failing: Path):
    texts = [f"text {number}" for number in range(40)]
    texts[3], texts[17], texts[18], texts[30] = "loop", "crash", "raise", "eat"
    found = lint(texts, 1, ("flake8",))
    assert codes(one for findings in found for one in findings).count("E100") == 36
    assert {texts[number]: found[number][0] for number in (3, 17, 18, 30)} == {
        "loop": failure("flake8", TIMEOUT, "no result within 1 s of CPU time"),
        "crash": failure("flake8", CRASH, "flake8 was killed by SIGSEGV"),
        "raise": failure("flake8", ERROR, "flake8 raised KeyError"),
        "eat": failure("flake8", ERROR, "flake8 raised MemoryError"),
    }
    assert [one[0].message for one in found[4:17]] == texts[4:17]


def test_a_linter_that_does_not_run_is_no_finding(failing: Path):
    (failing / "flake8.py").write_text("import nothing_of_this_name\n")
    with pytest.raises(CoralError, match="flake8 does not run") as raised:
        lint(["x = 1"], 1)
    assert "nothing_of_this_name" in str(raised.value)


def test_linters_run_under_a_hard_limit_below_their_own() -> None:
    program = "from coral_batch.linting.pool import lint; print(lint(['x=1'], 1)[0][0].code)"
    command = ["sh", "-c", 'ulimit -v 700000; exec "$@"', "sh", sys.executable, "-c", program]
    assert subprocess.run(command, capture_output=True, check=False).stdout == b"E225\n"


def test_results_follow_the_order_of_the_sources_whatever_the_workers(linted):
    names = [*SOURCES, *reversed(SOURCES)]
    assert lint([SOURCES[name] for name in names], workers=1) == [linted[name] for name in names]
    assert lint([], workers=2) == []


@settings(max_examples=5)
@given(st.lists(st.text(st.characters(categories=None), max_size=40), max_size=60))
def test_any_text_gets_findings_of_the_documented_form(texts):
    results = lint(texts, workers=1)
    assert len(results) == len(texts)
    for finding in (finding for findings in results for finding in findings):
        assert finding.tool in {"flake8", "bandit"}
        assert finding.line >= 0
        assert finding.column >= 0
        assert (finding.severity is None) == (finding.confidence is None)
        finding.message.encode()


def test_files_around_the_temporary_folder_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".ignore").write_text("*\n")
    (tmp_path / ".gitignore").write_text("*.py\n")
    inside = tmp_path / ".git"
    inside.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(inside))
    assert fix(["import os\nx=1\n"], 1, ("ruff",)) == ["x = 1\n"]
    assert codes(lint(["exec('1')  # a\nx=1"], 1)[0]) == ["E225", "B102"]


def test_a_plugin_of_flake8_that_happens_to_be_installed_adds_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "always.py").write_text(
        "def check(tree):\n    yield 1, 0, 'D100 always', None\n\n\n"
        "check.name = 'always'\ncheck.version = '1'\n"
    )
    record = tmp_path / "always-1.dist-info"
    record.mkdir()
    (record / "METADATA").write_text("Metadata-Version: 2.1\nName: always\nVersion: 1\n")
    (record / "entry_points.txt").write_text("[flake8.extension]\nD = always:check\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    command = [sys.executable, "-m", "flake8", "-"]
    plain = subprocess.run(command, input=b"x=1\n", capture_output=True, check=False)
    assert b"D100" in plain.stdout
    assert codes(lint(["x=1\n"], 1, ("flake8",))[0]) == ["E225"]
