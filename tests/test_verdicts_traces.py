"""No program changes what it shares with other programs, other jails or the host."""

from __future__ import annotations

import os
import termios
import zoneinfo
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from coral_batch.records.settings import Verdicts
from coral_batch.records.verdict import Verdict
from coral_batch.verdicts import layers
from coral_batch.verdicts.cases import judge_cases
from coral_batch.verdicts.jail import Jail
from coral_batch.verdicts.layers import isolation
from tests.hostile import LIBC
from tests.hostile.lasting import CHANGES, TRACES
from tests.programs import program

LIMITS = Verdicts(cpu_seconds=1.0, wall_seconds=3.0, memory_mb=256, require=())


@pytest.fixture(scope="module")
def bare_jail() -> Iterator[Jail]:
    """A jail that a machine without namespaces gives."""

    def fails(*_: object) -> list[str]:
        raise ImportError("no bubblewrap here")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layers, "_bubblewrap", fails)
        found = isolation.__wrapped__(())
    assert found.layers == ("landlock", "seccomp", "rlimits", "fixed_addresses")
    with Jail(found, LIMITS.memory_mb) as jail:
        yield jail


def look(jail: Jail, expression: str) -> Verdict:
    """Return the verdict on a program that returns an expression's text, which is no PASS."""
    code = f"{LIBC}import fcntl, mmap\ndef answer(n):\n    return str(({expression}))\n"
    return judge_cases(jail, program("answer", code, [((1,), None)]), LIMITS)[0]


def told(jail: Jail, expression: str) -> tuple[str, str]:
    verdict = look(jail, expression)
    return verdict.kind, verdict.detail


@pytest.mark.parametrize("expression", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("which", ["jail", "bare_jail"])
def test_a_change_of_what_is_shared_is_refused(
    request: pytest.FixtureRequest, which: str, expression: str
) -> None:
    before = Path(os.devnull).stat()
    verdict = look(request.getfixturevalue(which), expression)
    error = "OSError: [Errno 95]" if "xattr" in expression else "PermissionError: [Errno 1]"
    assert (verdict.kind, verdict.detail[: len(error)]) == ("ERROR", error)
    assert Path(os.devnull).stat() == before


@pytest.mark.parametrize(("leave", "find"), TRACES.values(), ids=TRACES)
def test_a_program_finds_no_trace_of_another(jail: Jail, leave: str, find: str) -> None:
    before = told(jail, find)
    look(jail, leave)
    assert told(jail, find) == before


def test_without_seccomp_the_null_device_still_cannot_be_changed() -> None:
    with Jail(replace(isolation(()), filters=None), LIMITS.memory_mb) as jail:
        for change in ("os.fchmod(1, 0o1666)", "os.utime(1)", "os.chmod('/null', 0)"):
            assert "Read-only file system" in look(jail, change).detail


def test_what_a_program_prints_is_lost_and_costs_it_nothing(jail: Jail) -> None:
    printing = "[print('x' * 100_000, file=file, flush=True) for file in (sys.stdout, sys.stderr)]"
    expression = f"__import__('sys') and (lambda sys: {printing})(__import__('sys'))"
    assert told(jail, expression) == ("FAIL", "returned '[None, None]'")
    assert told(jail, "os.read(0, 9), os.read(1, 9), os.read(2, 9)")[1].count("b''") == 3


def test_ordinary_files_of_the_scratch_folder_serve(jail: Jail) -> None:
    """Writing, appending, and emptying by opening to write; the next jail's folder is empty."""
    steps = (
        "open('x', 'w').write('ab')",
        "open('x', 'a').write('c')",
        "open('x').read()",
        "open('x', 'w+').read()",
        "open('x', 'r+').truncate(0)",
    )
    assert told(jail, ", ".join(steps))[1] == "returned \"(2, 1, 'abc', '', 0)\""
    assert told(jail, "os.listdir('.'), os.stat('.').st_mtime")[1] == "returned '([], 0.0)'"


def test_temporary_files_serve_and_descriptors_are_made_inheritable(jail: Jail) -> None:
    steps = "file := {}, file.write('abc'), file.seek(0), file.read()"
    temporary = ("tempfile.NamedTemporaryFile('w+')", "tempfile.TemporaryFile('w+')")
    for file in (*temporary, "open('x', 'w+', opener=os.open)"):
        found = told(jail, f"(tempfile := __import__('tempfile'), {steps.format(file)})[2:]")
        assert found == ("FAIL", "returned \"(3, 0, 'abc')\""), file
    steps = "os.set_inheritable(1, {}), os.get_inheritable(1)"
    found = told(jail, f"{steps.format(True)}, {steps.format(False)}")
    assert found == ("FAIL", "returned '(None, True, None, False)'")


def test_of_ioctl_only_the_two_that_mark_a_descriptor_are_allowed(jail: Jail) -> None:
    """All of the numbers of terminals, files and sockets, asked of the null device."""
    ask = "libc.ioctl(1, ctypes.c_ulong(n), None) == 0 or ctypes.get_errno() != 1"
    found = told(jail, f"[n for n in (*range(0x5400, 0x5500), *range(0x8900, 0x8A00)) if {ask}]")
    assert found == ("FAIL", f"returned '{[termios.FIONCLEX, termios.FIOCLEX]}'")


@pytest.mark.parametrize("which", ["jail", "bare_jail"])
def test_the_systems_time_zones_are_read(request: pytest.FixtureRequest, which: str) -> None:
    zones = zoneinfo.available_timezones() - {"localtime"}  # a link to this machine's own
    if "Europe/Berlin" not in zones:
        pytest.skip("this machine has no time zones")
    steps = "zones.ZoneInfo('Europe/Berlin').key, len(zones.available_timezones() - {'localtime'})"
    jail = request.getfixturevalue(which)
    found = told(jail, f"(zones := __import__('zoneinfo'), {steps})[1:]")
    assert found == ("FAIL", f"returned \"('Europe/Berlin', {len(zones)})\"")


def test_without_namespaces_nothing_is_written_but_names_can_be_asked_for(
    bare_jail: Jail, tmp_path: Path
) -> None:
    """docs/jail.md says so."""
    secret = tmp_path / "secret"
    secret.write_text("four")
    secret.chmod(0o666)
    before = secret.stat()
    assert told(bare_jail, f"os.stat({str(secret)!r}).st_size") == ("FAIL", "returned '4'")
    assert told(bare_jail, f"os.path.exists('/proc/{os.getpid()}')") == ("FAIL", "returned 'True'")
    for attempt in ("open({}).read()", "open({}, 'a')", "os.truncate({}, 0)", "os.utime({})"):
        assert look(bare_jail, attempt.format(repr(str(secret)))).kind == "ERROR"
    assert secret.stat() == before
