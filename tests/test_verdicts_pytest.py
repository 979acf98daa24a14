"""A program that attacks its tests gains nothing, wherever that can be told.

It disturbs no other candidate, and nothing of it gets out.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import venv
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from coral_batch.records.settings import Verdicts
from coral_batch.verdicts import suites
from coral_batch.verdicts.jail import JailError
from coral_batch.verdicts.layers import LAYERS
from coral_batch.verdicts.projects import open_project, options
from coral_batch.verdicts.suites import Outcome, ProjectJail, Request, digest, settled
from tests import REPOSITORY
from tests.errors import refused
from tests.hostile import Hostile, watched
from tests.hostile.escaping import DENIED, EITHER, HEAD
from tests.hostile.pytest_attacks import AROUND, ATTACKS, IDS, REACHING, REFUSED, TRACES
from tests.processes import alive, descendants, wait_until

SETTINGS = Verdicts(cpu_seconds=5.0, wall_seconds=15.0, memory_mb=256, require=LAYERS)
# For programs that are to reach them; others may take what a slow machine makes of them.
SHORT = replace(SETTINGS, cpu_seconds=0.4, wall_seconds=1.0)

HONEST = "def answer(n):\n    return 2 * n\n"
WRONG = "def answer(n):\n    return {n: {'a', 'b', answer}} if n == 4 else 2 * n\n"
TESTS = """
import calc
def test_one():
    assert calc.answer(1) == 2
def test_two():
    assert calc.answer(21) == 42
def test_three():
    assert calc.answer(4) == 8
"""


@dataclass
class Bench:
    """A project in its jail, and what its tests say of the file as it is."""

    root: Path
    jail: ProjectJail
    request: Request
    tests: tuple[str, ...]

    def outcomes(self, code: str) -> list[Outcome]:
        return settled(
            self.jail.run(self.request, code), self.tests, digest(self.tests, self.tests)
        )

    def said(self, code: str) -> list[tuple[str, str | None, str]]:
        return [(one.id, one.kind, one.detail) for one in self.outcomes(code)]


@contextlib.contextmanager
def bench(root: Path, settings: Verdicts = SETTINGS, tests: str = TESTS) -> Iterator[Bench]:
    (root / "calc.py").write_text(HONEST)
    (root / "test_calc.py").write_text(tests)
    with open_project(root, settings) as jail:
        request = Request(root / "calc.py", (root,), (*options(root), str(root)))
        ran = jail.run(request, None)
        assert ran.said == ""
        yield Bench(root, jail, request, ran.collected or ())


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with bench(tmp_path_factory.mktemp("patient")) as found:
        assert found.tests == tuple(IDS)
        yield found


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with bench(tmp_path_factory.mktemp("short"), SHORT) as found:
        yield found


@pytest.fixture(scope="module")
def wrong(patient: Bench, short: Bench) -> dict[Path, list[tuple[str, str | None, str]]]:
    """What each jail says of a candidate with a long detail, before any hostile one ran.

    The order of a set with a function in it follows from addresses, which are a jail's own.
    """
    return {where.root: where.said(WRONG) for where in (patient, short)}


@pytest.mark.parametrize("entry", ATTACKS, ids=lambda entry: entry.name.replace(" ", "_"))
def test_gets_the_verdict_of_an_honest_reading(
    patient: Bench, short: Bench, wrong: dict[Path, object], entry: Hostile
) -> None:
    where = short if "TIMEOUT" in "|".join(entry.kinds) else patient
    outcomes = where.outcomes(entry.code)
    for one, kinds in zip(outcomes, entry.kinds, strict=True):
        assert one.kind in kinds.split("|"), one
        assert len(one.detail) <= 400
        assert one.detail.isprintable()
    assert any(entry.detail in one.detail for one in outcomes)
    assert where.said(WRONG) == wrong[where.root]


@pytest.mark.parametrize("entry", AROUND, ids=lambda entry: entry.name.replace(" ", "_"))
def test_what_hangs_around_the_tests_is_stopped(
    short: Bench, monkeypatch: pytest.MonkeyPatch, entry: Hostile
) -> None:
    monkeypatch.setattr(suites, "COLLECTING", 0.7)
    assert [one.kind for one in short.outcomes(entry.code)] == [*entry.kinds]
    assert {one.kind for one in short.outcomes(HONEST)} == {"PASS"}


@pytest.fixture(scope="module")
def outside(patient: Bench) -> Iterator[str]:
    with watched(patient.root.parent, patient.root) as statements:
        yield statements


def contents(root: Path) -> dict[str, object]:
    """Everything of a folder that could have been changed."""
    found = {}
    for path in (root, *sorted(root.rglob("*"))):
        status = path.lstat()
        found[str(path)] = (status.st_mode, status.st_mtime_ns, status.st_ctime_ns, status.st_size)
    return found


@pytest.mark.parametrize("expression", (EITHER | REFUSED).values(), ids=EITHER | REFUSED)
def test_reaches_nothing_outside(patient: Bench, outside: str, expression: str) -> None:
    devices = [Path("/dev", name).stat() for name in ("null", "zero")]
    before = contents(patient.root)
    code = f"{HEAD}{REACHING}{outside}def answer(n):\n    {expression}\n    return 2 * n\n"
    for one in patient.outcomes(code):
        assert one.kind == "ERROR"
        assert re.match(DENIED, one.detail)
    assert contents(patient.root) == before
    assert [Path("/dev", name).stat() for name in ("null", "zero")] == devices


@pytest.mark.parametrize(("leave", "find"), TRACES.values(), ids=TRACES)
def test_a_candidate_finds_no_trace_of_another(patient: Bench, leave: str, find: str) -> None:
    head = "import fcntl, os, random, site, sys, tempfile\n"
    looking = f"{head}def answer(n):\n    return str({find})\n"
    before = patient.said(looking)
    assert patient.outcomes(f"{head}{leave}\n{HONEST}")[0].kind == "PASS"
    assert patient.said(looking) == before


def test_the_same_candidate_gets_the_same_details_to_the_byte(patient: Bench) -> None:
    """Between jails but for the addresses of objects, which the text of some holds as numbers."""
    head = "import random, tempfile\nclass Thing: pass\ndef answer(n):\n    raise ValueError("
    everywhere = f"{head}Thing(), answer, random.random(), {{'a', 'b'}}, tempfile.mkdtemp())\n"
    here = f"{head}id(Thing()), {{object(), Thing, 'a'}})\n"
    first = [patient.said(everywhere), patient.said(here)]
    for _ in range(2):
        assert [patient.said(everywhere), patient.said(here)] == first
    with bench(patient.root) as another:
        assert another.said(everywhere) == first[0]


def test_a_wrong_result_of_a_thousand_items_is_a_failure(tmp_path: Path) -> None:
    """pytest, asked for all of a result, compares it line by line, which takes minutes."""
    tests = (
        "import calc\ndef test_it():\n    assert calc.answer(1) == [n / 7 for n in range(1000)]\n"
    )
    with bench(tmp_path, SETTINGS, tests) as found:
        code = "def answer(n):\n    return [n / 7.01 for n in range(1000)]\n"
        ((_, kind, detail),) = found.said(code)
    assert (kind, detail[:42]) == ("FAIL", "assert [0.0, 0.14265335235378032, 0.285306"), detail


def test_a_wrong_text_of_many_lines_is_a_failure(tmp_path: Path) -> None:
    lines = "''.join(f'line {{n}} of the text, {}\\n' for n in range(400))"
    tests = f"import calc\ndef test_it():\n    assert calc.answer(1) == {lines.format('right')}\n"
    with bench(tmp_path, SETTINGS, tests) as found:
        ((_, kind, _),) = found.said(f"def answer(n):\n    return {lines.format('wrong')}\n")
    assert kind == "FAIL"


def test_messages_that_restart_the_clock_end_with_the_time_of_all_tests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suites, "COLLECTING", 4.0)
    monkeypatch.setattr(suites, "TESTS", 1)
    tests = "import calc\ndef test_it():\n    assert calc.answer(1) == 2\n"
    code = "import sys, time\ndef answer(n):\n    frame = sys._getframe()\n"
    code += "    while frame.f_code.co_name != 'run':\n        frame = frame.f_back\n"
    code += "    while True:\n        frame.f_locals['tell']('shared', True)\n"
    code += "        time.sleep(0.2)\n"
    with bench(tmp_path, SHORT, tests) as found:
        ((_, kind, detail),) = found.said(code)
    assert (kind, detail) == ("TIMEOUT", "the tests do not end")


def test_ids_of_any_characters_are_told_apart(tmp_path: Path) -> None:
    ids = ["a\nb", "a", "", "::", "#2", "é\x1b[31m", '"]', "x" * 5000]
    tests = f"""
import calc, pytest
@pytest.mark.parametrize("n", range({len(ids)}), ids={ids!r})
def test_it(n):
    assert calc.answer(n) == 2 * n
"""
    with bench(tmp_path, SETTINGS, tests) as found:
        assert len(set(found.tests)) == len(ids)
        assert {one.kind for one in found.outcomes(HONEST)} == {"PASS"}
        last = found.outcomes("def answer(n):\n    assert n < 7\n    return 2 * n\n")
    assert [one.kind for one in last] == ["PASS"] * 7 + ["FAIL"]


def test_what_is_compiled_of_the_file_is_not_run_for_a_candidate(tmp_path: Path) -> None:
    """Not even if both have one size and the file a time from before all files."""
    (tmp_path / "calc.py").write_text(HONEST)
    with bench(tmp_path) as found:
        for seconds in (1, 2):
            os.utime(tmp_path / "calc.py", (seconds, seconds))
            found.jail.run(found.request, None)
            assert [one.kind for one in found.outcomes(HONEST)] == ["PASS"] * 3
            assert [one.kind for one in found.outcomes(HONEST.replace("2", "3"))] == ["FAIL"] * 3


def test_a_jail_whose_first_process_dies_says_so_and_is_started_again(tmp_path: Path) -> None:
    def kill() -> None:
        for pid in descendants(os.getpid()):
            if b"inside.zygote" in Path(f"/proc/{pid}/cmdline").read_bytes():
                os.kill(pid, signal.SIGKILL)

    with bench(tmp_path) as found:
        kill()
        with pytest.raises(JailError):
            found.outcomes(HONEST)
        assert {one.kind for one in found.outcomes(HONEST)} == {"PASS"}
        kill()
        with refused("the jail in which pytest runs does not start", "coral doctor"):
            found.jail.run(found.request, None)


def test_nothing_outlives_a_judge_that_is_killed(tmp_path: Path) -> None:
    (tmp_path / "calc.py").write_text(HONEST)
    (tmp_path / "test_calc.py").write_text(TESTS)
    hanging = (
        "import threading, time\\n[threading.Thread(target=time.sleep, args=(600,)).start()]\\n"
    )
    judge = f"""
from pathlib import Path
from coral_batch.records.settings import Verdicts
from coral_batch.verdicts.projects import open_project
from coral_batch.verdicts.suites import Request
root = Path({str(tmp_path)!r})
with open_project(root, Verdicts(600.0, 600.0, 256, ())) as jail:
    print(jail.layers, flush=True)
    jail.run(Request(root / "calc.py", (root,), (str(root),)), "{hanging}while True: pass")
"""
    started = subprocess.Popen(
        [sys.executable, "-c", judge], cwd=REPOSITORY, stdout=subprocess.PIPE
    )
    with started:
        assert started.stdout is not None
        started.stdout.readline()
        # bubblewrap, the first process and the candidate.
        wait_until(lambda: len(descendants(started.pid)) == 3)
        found = descendants(started.pid)
        started.kill()
    wait_until(lambda: not any(map(alive, found)))


def test_the_jail_sees_what_is_installed_and_no_folder_of_this_process(tmp_path: Path) -> None:
    venv.create(tmp_path / "venv")
    python = tmp_path / "venv/bin/python"
    packages = next((tmp_path / "venv/lib").glob("*/site-packages"))
    for name in ("named", "home", "script"):
        (tmp_path / name).mkdir()
    (packages / "some.pth").write_text(f"import os\n\n{tmp_path}/named\n")
    script = tmp_path / "script/main.py"
    script.write_text(
        "from coral_batch.verdicts.layers import environment\nprint(*environment(), sep='\\n')"
    )
    said = subprocess.run(
        [python, script],
        env={"PYTHONPATH": f"{REPOSITORY}:{tmp_path}/home"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert {str(tmp_path / "venv"), str(tmp_path / "named"), str(packages)} <= {*said}
    assert not {str(tmp_path / "home"), str(tmp_path / "script"), str(REPOSITORY)} & {*said}
