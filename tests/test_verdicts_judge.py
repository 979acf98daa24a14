"""What a program does while it is judged is its verdict: it neither ends a run nor holds it up."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coral_batch.corpus.readers import quixbugs
from coral_batch.records.problem import Case
from coral_batch.records.settings import Verdicts
from coral_batch.records.verdict import Program, Verdict
from coral_batch.verdicts import compare, pool
from coral_batch.verdicts.answers import CALL, defect, parse
from coral_batch.verdicts.cases import judge_cases
from coral_batch.verdicts.inside import encoding
from coral_batch.verdicts.jail import Jail, JailError
from coral_batch.verdicts.layers import isolation
from coral_batch.verdicts.pool import judge
from tests.errors import refused
from tests.hostile.fuzz import fuzz
from tests.processes import descendants
from tests.programs import NODE, kinds

SETTINGS = Verdicts(cpu_seconds=0.4, wall_seconds=1.0, memory_mb=256, require=("seccomp",))
PATIENT = Verdicts(cpu_seconds=10.0, wall_seconds=3.0, memory_mb=512, require=("seccomp",))


def program(code: str, *cases: tuple[tuple, object]) -> Program:
    return Program("f", code, tuple(Case(*case) for case in cases), None, {})


def with_tests(code: str, tests: str) -> Program:
    return Program("f", code, (), f"from f import f\n{tests}", {"node": NODE})


def judged(program: Program, within: Verdicts = SETTINGS) -> list[Verdict]:
    return judge([program], within, 1)[0]


def test_forged_answers_and_odd_results_stop_nothing() -> None:
    assert fuzz(0, 500).total() >= 500


def test_a_message_that_writes_out_what_was_returned_is_cut() -> None:
    code = "def f(n):\n    return [['a' * 40] * 10] * 15_000\n"
    tests = "def test():\n    r = f(1)\n    assert r == 1, f'{r}'\n"
    (verdict,) = judged(with_tests(code, tests), PATIENT)
    assert verdict.kind == "FAIL"
    assert verdict.detail.startswith("[['aaaa")


def test_what_breaks_the_test_files_own_statements_is_the_programs_verdict() -> None:
    tests = "expected = f(1) + 1\ndef test(): assert f(2) == expected\n"
    (verdict,) = judged(with_tests("def f(n):\n    return 'a'\n", tests))
    assert verdict.kind == "ERROR"
    assert "TypeError" in verdict.detail


_CATCHES = "def test_a():\n    try: f(1)\n    except: pass\ndef test_b(): pass\n"


def test_a_test_that_catches_everything_passes_by_exceptions_alone() -> None:
    unhashable = b'["value",0,[[0],["s",[1]],["l"]]]'
    found = {
        "while True: pass": "TIMEOUT",
        "os.abort()": "CRASH",
        "os._exit(0)": "ERROR",
        "return bytes(1 << 30)": "MEMORY",
        "return [0] * 1_000_000": "FAIL",
        "os.write(3, b'\\4\\0\\0\\0junk')": "ERROR",
        f"os.write(3, bytes([{len(unhashable)}, 0, 0, 0]) + {unhashable!r})": "FAIL",
        "raise ValueError": "PASS",
    }
    codes = [f"import os\ndef f(n):\n    {does}\n" for does in found]
    rows = judge([with_tests(code, _CATCHES) for code in codes], SETTINGS, 1)
    for row, (does, kind) in zip(rows, found.items(), strict=True):
        assert kinds(row) == [kind, "PASS"], does


def test_an_iterator_is_one_for_a_test_too() -> None:
    tests = "def test_a(): assert f(1) == [1]\ndef test_b(): assert list(f(1)) == [1]\n"
    tests += "def test_c():\n    found = f(1)\n    assert next(found) == 1 and [*found] == []\n"
    row = judged(with_tests("def f(n):\n    return map(abs, [n])\n", tests))
    assert kinds(row) == ["FAIL", "PASS", "PASS"]


def test_what_is_random_is_the_same_on_every_run() -> None:
    tests = "from random import random\ndef test(): assert f(0) == random()\n"
    code = "import random\ndef f(n):\n    return random.random() + 1\n"
    details = []
    for _ in range(2):
        pool.close_jails()
        details.append(judged(with_tests(code, tests))[0].detail)
    assert details[0] == details[1]


def test_a_module_that_does_not_load_is_no_exception_that_a_test_waits_for() -> None:
    tests = "import pytest\ndef test_a():\n    with pytest.raises(ValueError): f(1)\n"
    assert kinds(judged(with_tests("raise ValueError\n", tests))) == ["ERROR"]


def test_the_tests_that_run_are_those_that_the_file_defines() -> None:
    tests = (
        "test_data = lambda: [3]\nif True:\n    def test_inner(): pass\n"
        "def test_a(): assert f(1) == 1\ndef test_b(): assert f(1) == 2\n"
    )
    row = judged(with_tests("def f(n):\n    return n\n", tests))
    assert [(verdict.test, verdict.kind) for verdict in row] == [
        ("test_a", "PASS"),
        ("test_b", "FAIL"),
    ]


def test_a_test_file_that_does_not_run_is_the_users_to_mend() -> None:
    for tests, words in {
        "def test(): yield f(1)\n": "test is a generator or coroutine",
        "def test(): pass\nasync def f(): pass\ntest = f\n": "test is a generator or coroutine",
        "def test(): pass\ntest = 3\n": "test is not a function",
        "import nowhere\ndef test(): pass\n": "nowhere",
    }.items():
        with refused("does not run", words):
            judged(with_tests("def f(n):\n    return n\n", tests))
    with refused("neither cases nor tests"):
        judged(with_tests("def f(n):\n    return n\n", "x = 1\n"))


def test_what_a_test_file_does_between_calls_has_the_limits_of_a_case() -> None:
    tests = (
        "import time\ndef wait(seconds):\n    end = time.thread_time() + seconds\n"
        "    while time.thread_time() < end: pass\n"
        "def test_a():\n    wait(0.25)\n    assert f(1) == 1\ndef test_b(): wait(9)\n"
    )
    row = judged(with_tests("def f(n):\n    return n\n", tests))
    assert kinds(row) == ["PASS", "TIMEOUT"]


def test_objects_with_a_hash_of_their_own_cross_in_frozensets() -> None:
    node = f"{NODE}    def __hash__(self):\n        return hash(self.value)\n"
    tests = (
        "from f import f\nfrom node import Node\ndef test_a():\n"
        "    found = f(frozenset({Node(1)}), {(Node(2), 'a')})\n"
        "    assert type(found) is frozenset\n"
        "    assert sorted(node.value for node in found) == [1, 2]\n"
    )
    code = "def f(nodes, more):\n    return nodes | frozenset(node for node, _ in more)\n"
    (verdict,) = judged(Program("f", code, (), tests, {"node": node}))
    assert (verdict.kind, verdict.detail) == ("PASS", "")


def test_an_unforeseen_exception_is_the_verdict_of_its_case(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails(*_: object) -> bool:
        raise RuntimeError("a defect")

    equal = compare.equal
    monkeypatch.setattr(compare, "equal", lambda *all: (fails if all[0] == 2 else equal)(*all))
    monkeypatch.setattr(compare, "show", fails)
    code = "def f(n):\n    return n\n"
    row = judged(program(code, ((1,), 1), ((2,), 2), ((3,), 3)))
    assert kinds(row) == ["PASS", "ERROR", "PASS"]
    assert row[1].detail == "could not be judged: RuntimeError: a defect"
    tests = "def test_a(): assert f(1) == 1\ndef test_b(): pass\n"
    assert kinds(judged(with_tests(code, tests))) == ["ERROR", "PASS"]


@pytest.mark.parametrize(
    ("error", "raised"),
    [(OSError(24, "Too many open files"), JailError), (MemoryError(), MemoryError)],
)
def test_what_the_machine_does_wrong_is_no_programs_verdict(
    error: Exception, raised: type[Exception]
) -> None:
    with pytest.raises(raised):
        defect(error)


_FILLS = """
import sys, time
def f(edges):
    edges.update({number: number for number in range(60_000)})
    sys.modules["inside.program"].receive = lambda channel: time.sleep(1_000)
    return 1
"""


@pytest.mark.parametrize("form", [program, with_tests])
def test_a_program_whose_jail_is_killed_is_judged_again(form: Callable[..., Program]) -> None:
    code = "import time\n\n\ndef f(x):\n    time.sleep(1.5)\n    return x\n"
    asked = {program: ((1,), 1), with_tests: "def test(): assert f(1) == 1\n"}[form]

    def kill() -> None:
        jails: list[int] = []
        while not jails:
            time.sleep(0.01)
            found = descendants(os.getpid())
            jails = [pid for pid in found if "bwrap" in Path(f"/proc/{pid}/cmdline").read_text()]
        time.sleep(0.5)
        for jail in jails:
            with suppress(ProcessLookupError):  # some die with others
                os.kill(jail, signal.SIGKILL)

    isolation(PATIENT.require)  # which starts jails of its own, to see what they give
    killer = threading.Thread(target=kill)
    killer.start()
    (verdict,) = judged(form(code, asked), PATIENT)
    killer.join()
    assert verdict.kind == "PASS"


def test_two_halves_of_a_character_are_another_program_than_the_character() -> None:
    code = 'def f(x):\n    s = "\U0001f600"\n    return x\n'
    halves = program(code.replace("\U0001f600", "\ud83d\ude00"), ((1,), 1))
    found = judge([halves, program(code, ((1,), 1))], SETTINGS, 1)
    assert [verdict.kind for verdicts in found for verdict in verdicts] == ["UNPARSEABLE", "PASS"]


def test_a_program_that_reads_no_more_is_late() -> None:
    tests = "edges = {}\ndef test_a(): assert f(edges) == 1\ndef test_b(): assert f(edges) == 1\n"
    row = judged(with_tests(_FILLS, tests), PATIENT)
    assert kinds(row) == ["PASS", "TIMEOUT"]
    assert row[1].detail == "no result after 3 s of wall time"


def test_the_calls_of_one_test_have_one_limit_together() -> None:
    code = "import time\ndef f(n):\n    time.sleep(0.1)\n"
    tests = "def test_a():\n    while f(1) is None: pass\ndef test_b(): assert f(1) is None\n"
    row = judged(with_tests(code, tests))
    assert kinds(row) == ["TIMEOUT", "PASS"]
    assert row[0].detail == "no result after 1 s of wall time"


def test_a_test_that_goes_on_after_its_program_died_gets_no_second_process() -> None:
    code = "import os\ndef f(n):\n    os._exit(3)\n"
    tests = "def test():\n    while True:\n        try: f(1)\n        except: pass\n"
    assert kinds(judged(with_tests(code, tests))) == ["TIMEOUT"]


def test_cases_that_end_late_are_left_to_other_workers_as_those_that_time_out(jail: Jail) -> None:
    late = "import os, time\ndef f(n):\n    {}\n    os._exit(0)\n"
    slow = program(late.format("time.sleep(0.6)"), ((1,), 1), ((2,), 2), ((3,), 3))
    assert list(judge_cases(jail, slow, SETTINGS)) == [0]
    quick = program(late.format("pass"), ((1,), 1), ((2,), 2))
    assert list(judge_cases(jail, quick, SETTINGS)) == [0, 1]
    assert kinds(judge([slow], SETTINGS, 2)[0]) == ["ERROR", "ERROR", "ERROR"]


_LIES = """
import sys
runner = sys.modules["inside.program"]
runner.thread_time_ns = lambda: 0
def f(n):
    if n == 1:
        runner.thread_time_ns = lambda: 10**14
    return sum(1 for _ in range(1_500_000))
"""


def test_a_claim_on_one_case_or_test_makes_no_other_cheap() -> None:
    tests = "def test_a(): assert f(0)\ndef test_b(): assert f(1) == 0\ndef test_c(): assert f(2)\n"
    cases = ((0,), 1_500_000), ((1,), 0), ((2,), 1_500_000)
    for asked in (program(_LIES, *cases), with_tests(_LIES, tests)):
        row = judged(asked)
        assert kinds(row) == ["PASS", "FAIL", "PASS"]
        assert all(0.01 < verdict.cpu_seconds < 10 for verdict in row)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@settings(deadline=None)
@given(JSON)
def test_every_value_that_json_can_say_crosses_and_equals_itself(value: object) -> None:
    text, _ = encoding.encode(value)
    document = parse(f'["value",0,{text}]'.encode(), CALL).document
    assert compare.equal(value, document)
    assert not compare.equal([value, 1], document)
    assert len(compare.shorten(compare.show(document))) <= 400


def test_only_a_case_of_quixbugs_sqrt_has_a_tolerance(tmp_path: Path) -> None:
    programs, cases = tmp_path / "correct_python_programs", tmp_path / "json_testcases"
    programs.mkdir()
    cases.mkdir()
    within = [((9, 0.1), 3), ((9, 0.1), 3.0)]
    exactly = [((9,), 3), ((9.0,), 3), ((9, 9), 3), ((9, 0.1, 9.0), 3), ((9, -0.1), 3)]
    exactly += [((9, True), 3), ((9, "0.1"), 3), (([9], 0.1), 3), ((9, 0.1), "three"), ((), 3)]
    exactly += [((9, 0.1), [3])]
    for name in ("sqrt", "root"):
        (programs / f"{name}.py").write_text(f"def {name}(*arguments):\n    return 3\n")
        lines = "".join(f"{json.dumps(case)}\n" for case in [*within, *exactly])
        (cases / f"{name}.json").write_text(lines)
    root, sqrt = quixbugs.read(tmp_path)[0]
    assert [case.tolerance for case in sqrt.cases] == [0.1] * len(within) + [None] * len(exactly)
    assert {case.tolerance for case in root.cases} == {None}
