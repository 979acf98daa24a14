"""A program is compared with its twin by what can be seen of calls, and by no text of its own."""

from __future__ import annotations

import json
import marshal
from pathlib import Path

import pytest

from coral_batch.records.problem import Case
from coral_batch.records.settings import Verdicts
from coral_batch.records.verdict import Program, Twin, Verdict
from coral_batch.verdicts.pool import judge
from coral_batch.verdicts.twins import RAN_TEXT

SETTINGS = Verdicts(cpu_seconds=1.0, wall_seconds=3.0, memory_mb=256, require=("seccomp",))
TWIN = "def f(x):\n    return [x, 1]\n"


def judged(code: str, twin: str = TWIN, *calls: str, passes: bool = True) -> list[Verdict]:
    cases = (Case((), None),) if not passes else ()
    tests = None if cases else "from f import f\n\n\ndef test_1():\n    assert f\n"
    program = Program("x", "f", code, cases, tests, {}, Twin(twin, calls or ("(2,)",)))
    return judge([program], SETTINGS, 1)[0]


def kinds(*arguments: str) -> list[str]:
    return [verdict.kind for verdict in judged(*arguments)[1:]]


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("def f(x):\n    y = [x]\n    y.append(1)\n    return y\n", "PASS"),
        ("def f(x):\n    return [x, 2]\n", "FAIL"),
        ("def f(x):\n    return (x, 1)\n", "FAIL"),
        ("def f(x):\n    return [x, True]\n", "FAIL"),
        ("def f(x):\n    return [x, 1.0]\n", "FAIL"),
        ("def f(x):\n    return iter([x, 1])\n", "FAIL"),
        ("def f(x):\n    yield x\n    yield 1\n", "FAIL"),
        ("def f(x):\n    print(x)\n    return [x, 1]\n", "FAIL"),
        ("print(1)\n\n\ndef f(x):\n    return [x, 1]\n", "FAIL"),
        ("def f(x):\n    raise ValueError\n", "ERROR"),
        ("def f(x):\n    while True:\n        pass\n", "TIMEOUT"),
        ("def f(x):\n    exit()\n", "ERROR"),
        ("def f(x):\n    import os\n    os.kill(os.getpid(), 9)\n", "CRASH"),
        ("def g(x):\n    return [x, 1]\n", "UNPARSEABLE"),
        ("def f(x)\n", "UNPARSEABLE"),
    ],
)
def test_a_call_passes_where_the_twin_does_the_same(code: str, kind: str) -> None:
    assert kinds(code) == [kind]


def test_arguments_are_left_as_the_twin_leaves_them() -> None:
    twin = "def f(x):\n    x.append(1)\n    return 0\n"
    assert kinds(twin.replace("x.append(1)", "x += [1]"), twin, "([],)") == ["PASS"]
    assert kinds("def f(x):\n    return 0\n", twin, "([],)") == ["FAIL"]


def test_each_call_is_compared_by_what_it_printed_itself() -> None:
    twin = 'def f(x):\n    print("a" * 100_000)\n    return x\n'
    calls = [f"({number},)" for number in range(2, 40)]
    assert kinds(twin, twin, *calls) == ["PASS"] * 38
    wrong = twin.replace("return x", "return x if x < 30 else 0")
    assert kinds(wrong, twin, *calls) == ["PASS"] * 28 + ["FAIL"] * 10
    assert kinds(twin.replace('"a"', '"ab"[x > 30]'), twin, *calls)[-10:] == ["PASS"] + ["FAIL"] * 9


def test_what_an_iterator_prints_while_it_is_listed_is_seen() -> None:
    twin = 'def f(x):\n    yield x\n    print("hello")\n'
    assert kinds(twin, twin) == ["PASS"]
    assert kinds("def f(x):\n    yield x\n", twin) == ["FAIL"]


def test_a_set_may_hold_what_is_nested_as_deep_as_it_likes() -> None:
    twin = "def f(x):\n    r = ()\n    for _ in range(5000):\n        r = (r,)\n    return {r, x}\n"
    assert kinds(twin.replace("{r, x}", "{x, r}"), twin) == ["PASS"]
    assert kinds(twin.replace("5000", "5001"), twin) == ["FAIL"]


def test_exceptions_are_the_same_by_their_type() -> None:
    twin = "def f(x):\n    raise ValueError(x)\n"
    assert kinds(twin.replace("(x)\n", "(1)\n").replace("f(1)", "f(x)"), twin) == ["PASS"]
    assert kinds(twin.replace("ValueError", "KeyError"), twin) == ["ERROR"]
    assert kinds(TWIN, twin) == ["FAIL"]


def test_what_the_twin_does_not_say_twice_says_nothing() -> None:
    other = "def f(x):\n    return 0\n"
    assert kinds(other, "import random\n\n\ndef f(x):\n    return random.random()\n") == ["PASS"]
    slow = "def f(x):\n    while x == 2:\n        pass\n    return 1\n"
    assert kinds(other, slow, "(2,)", "(3,)") == ["PASS", "FAIL"]
    assert kinds(other, "def g(x):\n    return 1\n", "(2,)", "(3,)") == ["PASS", "PASS"]


def test_a_program_cannot_write_the_answer_to_a_call() -> None:
    forged = (
        'import os\n\n\ndef f(x):\n    text = b\'["value",0,[[0],["l",2,1]]]\'\n'
        "    for number in range(3, 64):\n        try:\n"
        "            os.write(number, len(text).to_bytes(4, 'little') + text)\n"
        "        except OSError:\n            pass\n    return 0\n"
    )
    assert kinds(forged) != ["PASS"]


TEXT = "def f(x):\\n    return [x, 1]\\n"
RUNS_TEXT = {
    "exec": f'exec("{TEXT}")\n',
    "code of code": "def f(x):\n    return [x, 1]\n\n\nf.__code__.replace()\n",
    "a function of code": ("def g(x):\n    return [x, 1]\n\n\nf = type(g)(g.__code__, {})\n"),
    "import of a text": f"""\
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec


class Loader(SourceFileLoader):
    def get_data(self, path):
        return b"{TEXT}"


loader = Loader("m", "PATH")
module = module_from_spec(ModuleSpec("m", loader))
loader.exec_module(module)
f = module.f
""",
    "import of code that was read": """\
import importlib._bootstrap_external as external

code = external._compile_bytecode(memoryview(
    bytes.fromhex("CODE")), bytecode_path="PATH")
space = {}
external._bootstrap._call_with_frames_removed(exec, code, space)
f = space["f"]
""",
    "code of a type hint": """\
import importlib._bootstrap as bootstrap
import typing

code = typing.ForwardRef("[1].append(1) or (lambda x: [x, 1])").__forward_code__
f = bootstrap._call_with_frames_removed(eval, code, {})
""",
    "the loader of programs": f"""\
import sys

(load,) = [one.load for name, one in sys.modules.items() if name.endswith(".program")]
_, f = load("f", "{TEXT}")
""",
    "the memory of the interpreter": "import ctypes\n\n\ndef f(x):\n    return [x, 1]\n",
}


@pytest.mark.parametrize("how", RUNS_TEXT)
def test_a_program_may_not_run_text_where_its_twin_does_not(how: str) -> None:
    code = marshal.dumps(compile("def f(x):\n    return [x, 1]\n", "f.py", "exec")).hex()
    program = RUNS_TEXT[how].replace("PATH", str(json.__file__)).replace("CODE", code)
    (found,) = judged(program)[1:]
    assert (found.kind, found.detail) == ("ERROR", RAN_TEXT)
    # Where the twin does, it may.
    (found,) = judged(program, f'exec("{TEXT}")\n')[1:]
    assert found.kind == "PASS"


def test_import_runs_what_stands_in_the_librarys_files() -> None:
    modules = "zipfile", "email.message", "http.client", "logging.config", "xml.dom.minidom"
    imports = "".join(f"import {name}\n" for name in modules)
    late = "def f(x):\n    import plistlib\n    return [x, 1]\n"
    assert kinds(f"{imports}\n\n{late}") == ["PASS"]


def test_verdicts_are_named_by_the_arguments_and_number_on_from_the_tests() -> None:
    found = judged(TWIN, TWIN, "(2,)", "('a',)")
    assert [(verdict.case, verdict.test, verdict.kind) for verdict in found] == [
        (0, "test_1", "PASS"),
        (1, "as the original: (2,)", "PASS"),
        (2, "as the original: ('a',)", "PASS"),
    ]


def test_a_program_that_fails_its_own_cases_is_not_called() -> None:
    found = judged(TWIN, TWIN, "(2,)", passes=False)
    assert [(verdict.kind, verdict.detail) for verdict in found[1:]] == [
        ("FAIL", "not called: it fails its tests")
    ]


def test_another_twin_is_another_question_to_the_journal(tmp_path: Path) -> None:
    case = (Case((2,), [2, 1]),)
    programs = [
        Program("x", "f", TWIN, case, None, {}, Twin(twin, ("(3,)",)))
        for twin in (TWIN, TWIN.replace("1", "x - 1"))
    ]
    journal = tmp_path / "journal"
    for _ in range(2):
        found = [judge([one], SETTINGS, 1, journal)[0] for one in programs]
        assert [[verdict.kind for verdict in one] for one in found] == [
            ["PASS", "PASS"],
            ["PASS", "FAIL"],
        ]
    assert len(journal.read_text().splitlines()) == 2
