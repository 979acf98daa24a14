"""`coral repair`: the likeliest change of a function that passes its tests."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from coral_batch import lake
from coral_batch.commands import repair as command
from coral_batch.commands.repair import record, repair_text
from coral_batch.errors import CoralError
from coral_batch.models.base.checkpoint import materialise
from coral_batch.repair import Repair, repair
from tests import REPOSITORY
from tests.adapted_lake import make_adapter, make_run_on_tiny_base
from tests.command import coral
from tests.repairable import BROKEN, CLOSER, LONGER, RIGHT, TESTS, Scripted

CASES = "clamp.jsonl"
PAIR = "expected: one [inputs, expected] per line"


@pytest.fixture
def file(workspace: Path) -> Path:
    """A broken file next to its tests, in a project without a lake."""
    Path("test_numbers.py").write_text(TESTS)
    Path(CASES).write_text("[[3, 9], 3]\n[[30, 9], 9]\n[[9, 9], 9]\n")
    file = Path("numbers_.py")
    file.write_text(BROKEN)
    return file


def repaired(file: Path, *rounds: Sequence[str], **options: object) -> Repair:
    """Repair `clamp` with scripted answers, by JSON cases unless the test says otherwise."""
    given = {"tests": CASES, "draw": Scripted(*rounds), **options}
    return repair(file, function="clamp", **given)


def test_the_likeliest_change_that_passes_is_taken_and_only_the_functions_lines_change(
    file: Path,
) -> None:
    answers = ["def clamp(:", CLOSER, LONGER, RIGHT]
    found = repaired(file, answers, tests="test_numbers.py")
    assert found.outcome == "repaired"
    assert found.best.text == BROKEN.replace(
        "    # The bounds are inside.\n    return max(LOWEST, max(value, high))\n",
        "    if value > high:\n        return high\n    return max(0, value)\n",
    )
    assert file.read_text() == BROKEN
    assert [(one.test, one.kind, one.got) for one in found.failed] == [
        ("test_numbers.py::test_inside", "FAIL", "assert 9 == 3 + where 9 = clamp(3, 9)"),
        ("test_numbers.py::test_above", "FAIL", "assert 30 == 9 + where 30 = clamp(30, 9)"),
    ]
    assert (found.left, found.tests, found.drawn, found.rounds) == ([], 3, 3, 1)


def test_no_answer_is_drawn_after_a_repair(file: Path) -> None:
    taken: list[int] = []

    def draw(prompt: str, program: str, count: int, /) -> Iterator[str]:
        try:
            for number in range(count):
                taken.append(number)
                yield f"```python\n{RIGHT if number == 5 else CLOSER}```"
        finally:
            taken.append(-1)

    found = repaired(file, samples=16, draw=draw)
    assert (found.outcome, found.drawn) == ("repaired", 6)
    assert taken == [*range(6), -1]


def test_the_model_is_shown_the_function_with_what_it_uses_and_without_other_functions(
    file: Path,
) -> None:
    draw = Scripted([RIGHT])
    repaired(file, draw=draw)
    function = "    # The bounds are inside.\n    return max(LOWEST, max(value, high))"
    assert draw.programs == [f"LOWEST = 0\n\n\ndef clamp(value, high):\n{function}"]
    assert draw.programs[0] in draw.prompts[0]
    assert '"""\nReturn the value, held between LOWEST and `high`.\n"""' in draw.prompts[0]


def test_a_second_round_shows_the_best_attempt_and_a_test_that_it_fails(file: Path) -> None:
    wrong = CLOSER.replace("LOWEST, value", "value, value + 1")
    draw = Scripted([wrong, CLOSER], [RIGHT])
    found = repair(file, Path("test_numbers.py"), "clamp", draw=draw)
    assert (found.outcome, found.rounds, found.drawn) == ("repaired", 2, 3)
    assert "return max(LOWEST, value)" in draw.programs[1]
    told = "py::test_above:\n```\nassert 30 == 9 + where 30 = clamp(30, 9)\n```\n\nProvide"
    assert told in draw.prompts[1]
    assert "fails the test" not in draw.prompts[0]


def test_a_failed_repair_is_reported_with_the_best_attempt(file: Path) -> None:
    found = repaired(file, [CLOSER], [CLOSER], rounds=2)
    assert (found.outcome, len(found.left)) == ("not repaired", 1)
    assert "the best attempt fails 1 of 3 tests" in repair_text(found, False, False)
    told = record(found, "base", True)
    names = ("file", "function", "model", "tests", "rounds", "drawn", "diff", "code", "written")
    shown = ("numbers_.py", "clamp", "base", 3, 2, 2, None, None, False)
    assert [told[name] for name in names] == [*shown]
    with pytest.raises(CoralError, match="no repair"):
        found.write()
    assert file.read_text() == BROKEN


def test_a_repair_is_printed_in_colour_and_as_json(file: Path) -> None:
    found = repaired(file, [RIGHT])
    assert "\x1b[32m+    return max(LOWEST, min" in repair_text(found, True, True)
    assert json.loads(json.dumps(record(found, "best", True)))["code"] == found.best.text


def test_writing_replaces_the_file_and_keeps_its_mode(file: Path) -> None:
    file.chmod(0o755)
    link = Path("numbers.link.py")
    link.symlink_to(file)
    found = repaired(file, [RIGHT])
    found.write()
    assert file.read_bytes() == found.best.content
    assert file.stat().st_mode & 0o777 == 0o755
    assert link.is_symlink()
    assert repaired(file).outcome == "nothing to repair"


def test_a_file_that_changed_meanwhile_is_not_written_and_its_repair_is_shown(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def draw(prompt: str, program: str, count: int, /) -> list[str]:
        file.write_text(BROKEN + "\n# mine\n")
        return [f"```python\n{RIGHT}```"]

    monkeypatch.setattr(command, "search", partial(repair, draw=draw))
    done = coral("repair", file, "--tests", CASES, "--function", "clamp", "--write")
    assert done.returncode == 2
    assert file.read_text() == BROKEN + "\n# mine\n"
    assert "+    return max(LOWEST, min(value, high))" in done.stdout
    assert "changed since it was read" in done.stderr


def test_a_repair_that_fails_the_second_run_is_not_written(file: Path) -> None:
    found = repaired(file, [RIGHT])
    with pytest.raises(CoralError, match="ran again"):
        replace(found, best=found.source).write()
    assert file.read_text() == BROKEN


def test_tests_of_other_functions_may_keep_failing_but_not_start_to(file: Path) -> None:
    file.write_text(BROKEN.replace("isqrt(value)", "isqrt(value) + 1"))
    by_pytest = partial(repaired, file, tests="test_numbers.py")
    found = by_pytest([RIGHT])
    assert found.outcome == "repaired"
    assert [one.called for one in found.left] == [{"root"}]
    assert "because of other functions:\n  test_numbers.py::test_root: " in repair_text(
        found, False, False
    )
    calls = BROKEN.replace("math.isqrt(value)", "math.isqrt(clamp(value, 10) or 9)")
    file.write_text(calls.replace("max(value, high)", "min(value, high + 1)"))
    never = "def clamp(value, high):\n    return min(value, high) if high == 9 else 1\n"
    assert by_pytest([never], rounds=1).outcome == "not repaired"
    assert by_pytest([never, RIGHT], rounds=1).outcome == "repaired"


@pytest.mark.parametrize(
    "test",
    [
        "def test_f():\n    assert f(1) == 2\n",
        "import pytest\n\n\n@pytest.fixture\ndef one():\n    return 1\n\n\n"
        "def test_f(one):\n    assert f(one) == 2\n",
        "import unittest\n\n\nclass TestF(unittest.TestCase):\n"
        "    def setUp(self):\n        self.one = 1\n\n"
        "    def test_f(self):\n        self.assertEqual(f(self.one), 2)\n",
    ],
)
def test_tests_in_the_file_itself_are_not_repaired(workspace: Path, test: str) -> None:
    Path("test_m.py").write_text(f"def f(n):\n    return n\n\n\n{test}")
    found = repair("test_m.py", "test_m.py", draw=Scripted(["def f(n):\n    return n + 1\n"]))
    assert (found.outcome, found.function) == ("repaired", "f")


def test_a_function_that_no_test_calls_is_repaired_by_the_tests_of_those_that_call_it(
    workspace: Path,
) -> None:
    Path("m.py").write_text(
        "def half(n):\n    return n // 3\n\n\ndef middle(values):\n"
        '    """Return the middle one.\n\n    >>> middle([1, 2, 3])\n    2\n'
        "    >>> middle([4, 5, 6, 7, 8])\n    6\n"
        '    """\n    return values[half(len(values))]\n'
    )
    draw = Scripted(["def half(n):\n    return n // 2\n"])
    found = repair(Path("m.py"), function="half", draw=draw)
    assert (found.outcome, found.function, found.tests) == ("repaired", "half", 1)


BELOW = "def below(value, low):\n    if value < low:\n        return value\n    return low\n"
MENDED = "def below(value, low):\n    if value < low:\n        return low\n    return value\n"
BLOCK = f"```python\n{MENDED}```\n"


@pytest.mark.parametrize(
    "answer",
    [
        MENDED,
        f"```\n{MENDED}",
        f"As of now:\n```python\n{BELOW}```\nIt should be:\n{BLOCK}",
        f"{BLOCK}Then `below(1, 2)` is 2:\n```python\nprint(below(1, 2))\n```\n",
        f"{BLOCK}Before it was:\n```python\n{BELOW}```\n",
        f"<think>\n```\nbelow(1, 2)\n```\n</think>\n~~~py\n{MENDED}~~~\n",
        "1. Turn them round:\n\n" + "".join(f"   {line}\n" for line in BLOCK.splitlines()),
        BLOCK.replace("\n", "\r\n"),
        f"```python\nLOW = 0\n\n\n@cache\n{MENDED}\n\nprint(below(1, 2))\n```\n",
    ],
    ids=["bare", "open", "last", "usage", "reversed", "thought", "list", "windows", "more"],
)
def test_each_block_of_an_answer_that_defines_the_function_is_tried(
    workspace: Path, answer: str
) -> None:
    Path("m.py").write_text(BELOW)
    Path("m.jsonl").write_text("[[1, 2], 2]\n[[3, 2], 3]\n")
    found = repair("m.py", "m.jsonl", draw=lambda *_: [answer])
    assert (found.best.text, found.drawn) == (MENDED, 1)


def test_a_function_name_is_normalised_like_python_does(workspace: Path) -> None:
    Path("m.py").write_text("def gr\u00f6\u00dfe(n):\n    return n\n\n\ndef f():\n    pass\n")
    Path("m.jsonl").write_text("[[1], 1]\n", "utf-8-sig")
    done = coral("repair", "m.py", "--tests", "m.jsonl", "--function", "gro\u0308\u00dfe")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "nothing to repair: m.py passes its 1 test\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere.py"], ["no such file", "nowhere.py"]),
        (["numbers_.py", "--model", ""], ["a path or a name is empty"]),
        (["torn.py"], ["does not parse", "torn.py"]),
        (["cookie.py"], ["encoded in latin-1, not in UTF-8"]),
        (["numbers_.py"], ["no tests", "--tests"]),
        (["numbers_.py", "--tests", "cases.json"], ["--function NAME, one of clamp, root"]),
        (["boxed.py", "--tests", "cases.json"], ["defines none", "def at module level"]),
        (["foreign.py", "--tests", "cases.json"], ["imports numpy", "write a test file instead"]),
        (["one.py", "--tests", "row.json"], ["not a pair", PAIR]),
        (["one.py", "--tests", "array.json"], ["not valid JSON", PAIR]),
        (["boxed.py", "--tests", "test_boxed.py"], ["failing tests call Box.get, Box.put"]),
        (["boxed.py", "--tests", "test_numbers.py"], ["no test calls", "installed copy"]),
        (["numbers_.py", "--function", "clam"], ["no such function", "clamp, root"]),
        (["kinds.py", "--function", "get"], ["a method: Box.get"]),
        (["kinds.py", "--function", "inner"], ["nested in a function or block"]),
        (["kinds.py", "--function", "twice"], ["2 definitions"]),
        (["kinds.py", "--function", "later"], ["not defined by def"]),
        (["shared.py"], ["do not parse on their own", "shared.py", "lines of their own"]),
        (["pipe.py"], ["not a regular file", "pipe.py"]),
        (["numbers_.py", "--tests", "test_numbers.py", "--function", "root"], ["one of clamp"]),
    ],
)
def test_an_error_is_one_message_and_status_2(
    file: Path, arguments: list[str], words: list[str]
) -> None:
    for name, text in {
        "torn.py": "def f(:\n",
        "cases.json": "[1, 2, 3]\n",
        "row.json": "[[[1], 2], [[3], 4], [[5], 6]]\n",
        "array.json": "[\n  [[1], 2],\n  [[3], 4]\n]\n",
        "one.py": "def f(values, n):\n    return values\n",
        "boxed.py": "class Box:\n    def get(self):\n        return 1\n\n"
        "    def put(self):\n        return 2\n",
        "test_boxed.py": "from boxed import Box\n\n\n"
        "def test_a():\n    assert Box().get() == Box().put()\n",
        "kinds.py": "class Box:\n    def get(self):\n        def inner():\n            pass\n\n\n"
        "def twice():\n    pass\n\n\ndef twice():\n    pass\n\n\nasync def later():\n    pass\n",
        "shared.py": "import os; X = [\n    1,\n]\n\n\ndef f():\n"
        '    """F.\n\n    >>> f()\n    2\n    """\n    return os.sep\n',
        "foreign.py": "import numpy\n\n\ndef f(n):\n    return n\n",
    }.items():
        Path(name).write_text(text)
    Path("cookie.py").write_text("# coding: latin-1\n\n\ndef f():\n    return len('\u00e9')\n")
    before = {path: path.read_bytes() for path in Path().iterdir()}
    os.mkfifo("pipe.py")
    done = coral("repair", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    said = done.stderr
    assert said.splitlines()[-1] and "error: " in said and "Traceback" not in said
    for word in words:
        assert word in said
    Path("pipe.py").unlink()
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


def make_base(base: Path) -> None:
    materialise(str(base), None, lake.path("base"), lake.DOWNLOADS)


def refusal(*arguments: object) -> str:
    """Return what `coral repair` says when it cannot try."""
    done = coral("repair", *arguments)
    assert done.returncode == 2
    return done.stderr


def test_tests_with_a_name_that_no_file_can_have_are_one_message(file: Path) -> None:
    assert "File name too long" in refusal(file, "--tests", "x" * 300)


def test_an_unknown_model_is_one_message(file: Path, base: Path) -> None:
    arguments = (file, "--tests", CASES, "--function", "clamp", "--model")
    assert "dvc repro base" in refusal(*arguments, "best")
    make_base(base)
    for model, words in {
        "best": ["no best genome", "--model"],
        "007-00": ["one of the generations 000"],
        "elsewhere": ["no such model", "adapter_config.json"],
        "x" * 256: ["File name too long"],
    }.items():
        said = refusal(*arguments, model)
        assert all(word in said for word in words), said


@pytest.mark.slow
def test_the_model_can_be_a_genome_or_an_exported_folder(file: Path) -> None:
    make_run_on_tiny_base()
    folder = shutil.copytree(make_adapter(), "mine")
    arguments = (file, "--tests", CASES, "--function", "clamp", "-n", 2, "--rounds", 1)
    for model in ("best", "001-00", folder):
        done = coral("repair", *arguments, "--model", model)
        assert done.returncode == 1
        assert "clamp is not repaired after 2 changes in 1 round" in done.stdout
    done = coral("repair", *arguments, "--model", "base", "--json", "--write")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert (found["outcome"], found["drawn"], found["rounds"]) == ("not repaired", 2, 1)
    assert found["written"] is False and len(found["failed_before"]) == 2
    assert file.read_text() == BROKEN
    configuration = Path(folder) / "adapter_config.json"
    configuration.write_text(json.dumps(json.loads(configuration.read_text()) | {"r": None}))
    assert "no rank" in refusal(*arguments, "--model", folder)
    assert "one of 000-01, 001-00, 001-01" in refusal(*arguments, "--model", "001-07")
    shutil.copytree(lake.path("base"), "other")
    (Path("other") / "generation_config.json").write_text("{}")
    shutil.rmtree(lake.path("base"))
    make_base(Path("other"))
    changed = "the lake or params.yaml has changed since"
    assert changed in refusal(*arguments, "--model", "best")


def test_the_example_of_the_docs_is_up_to_date(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(REPOSITORY / "examples", "examples")
    program = Path("examples/text.py")
    draw = Scripted([program.read_text().replace(">=", ">")])
    found = repair(program, Path("examples/test_text.py"), draw=draw)
    shown = f"{repair_text(found, False, False)}\n```"
    command = "$ coral repair examples/text.py --tests examples/test_text.py"
    said = "coral: repairing with the released adapter in released"
    assert f"```\n{command}\n{said}\n{shown}" in (REPOSITORY / "README.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", (REPOSITORY / "docs/repair.md").read_text(), re.S)
    exec(code, {})
    assert "\n+        if len(word) > len(best):\n" in capsys.readouterr().out
