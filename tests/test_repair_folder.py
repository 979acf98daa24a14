"""`coral repair FOLDER`: every function of a folder that fails tests, and a table of them."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from coral_batch.errors import Unfit
from coral_batch.repair import Repair, Untried, repair_folder
from tests.command import coral
from tests.repairable import BROKEN, CLOSER, RIGHT, TESTS, Scripted, write
from tests.settings import set_params

FIRST = """def first(items):
    \"\"\"Return the first of several.

    >>> first([3, 4])
    3
    \"\"\"
    return items[-1]
"""


TEST = "from m import f\n\n\ndef test_f():\n    assert f(1) == 1\n"


def tried(folder: str, *rounds: Sequence[str], **options: Any) -> list[tuple[str, str, str]]:
    """Repair a folder with scripted answers; return file, function and outcome of what is tried."""
    found = repair_folder(folder, draw=Scripted(*rounds), **options)
    repairs = [one for one in found if isinstance(one, Repair)]
    return [(str(one.source.file), one.function, one.outcome) for one in repairs]


@pytest.fixture
def folder(workspace: Path) -> Path:
    """A folder with two programs that fail, one that passes and some that cannot be tried."""
    files = {
        "numbers_.py": BROKEN,
        "tests/test_numbers_.py": TESTS,
        "deep/head.py": FIRST,
        "fine.py": FIRST.replace("-1", "0"),
        "heavy.py": f"import absent_package\n\n\n{FIRST}",
        "script.py": f"raise SystemExit(1)\n\n\n{FIRST}",
        "endless.py": "while True:\n    pass\n",  # without doctests, so nothing runs it
        "untested.py": "def untested():\n    return 1\n",
        ".hidden/head.py": FIRST,
        "venv/pyvenv.cfg": "",
        "venv/lib/head.py": FIRST,
        "test_broken.py": "def test_it(:\n",
    }
    write(workspace / "mine", files)
    return Path("mine")


def test_the_tests_of_a_program_are_those_that_call_it(workspace: Path) -> None:
    wrong = "def first(items):\n    return items[-1]\n"
    files = {
        "mine/a/head.py": wrong,
        "mine/b/head.py": wrong,
        "mine/c/head.py": wrong,
        "tests/test_any.py": "import b.head\nimport c.head\n\n\n"
        "def test_b():\n    assert b.head.first([3, 4]) == 3\n\n\n"
        "def test_c(three):\n    assert c.head.first([three]) == 3\n",
        "conftest.py": "import pytest\n\n\n@pytest.fixture\ndef three():\n    return 3\n",
    }
    write(workspace, files)
    assert tried("mine", [wrong.replace("-1", "0")], tests="tests") == [
        ("mine/b/head.py", "first", "repaired"),
        ("mine/c/head.py", "", "nothing to repair"),
    ]


def test_files_that_pytest_cannot_collect_are_named_where_they_are(workspace: Path) -> None:
    """One among the programs, one among the tests in another folder, though the last test hangs."""
    set_params({"verdicts.cpu_seconds": 0.5, "verdicts.wall_seconds": 5.0})
    files = {"mine/deep/bad.py": f"import absent\n\n\n{FIRST}", "tests/test_bad.py": "def it(:\n"}
    fine = {
        "mine/fine.py": "def halved(n):\n    while n > 1:\n        n += 1\n    return n\n",
        "tests/test_fine.py": "from fine import *\n\n\ndef test():\n    assert halved(2) == 1\n",
    }
    write(workspace, files | fine)
    found = [*repair_folder("mine", tests="tests", draw=lambda *_: [])]
    assert {str(one.file) for one in found if isinstance(one, Untried)} == set(files)
    (failed,) = [test for one in found if isinstance(one, Repair) for test in one.failed]
    assert (failed.test, failed.kind) == ("test_fine.py::test", "TIMEOUT")


def test_failing_tests_that_call_nothing_are_reported(workspace: Path) -> None:
    late = "\n\ndef test_absent(absent):\n    assert f(1) == 2\n"
    write(workspace / "mine", {"m.py": "def f(n):\n    return n\n", "test_m.py": TEST + late})
    done = coral("repair", "mine")
    assert done.returncode == 2
    assert "nothing to repair: mine/m.py passes its 1 test" in done.stdout
    assert "mine/test_m.py could not be tried: test_absent fails" in done.stdout
    assert "fixture 'absent' not found" in done.stdout


def test_a_call_that_does_not_fit_the_parameters_is_a_call(workspace: Path) -> None:
    price = "class Price:\n    def scale(self{}):\n        return {}\n"
    text = price.format("", "2") + "\n\ndef twice():\n    return 2\n"
    tests = "from m import Price, twice\n\n\n"
    tests += "def test_scale():\n    assert Price().scale(by=3) == 6\n\n\n"
    tests += "def test_twice():\n    assert twice(3) == 6\n"
    write(workspace / "mine", {"m.py": text, "test_m.py": tests})
    right = [price.format(", by", "2 * by"), "def twice(n):\n    return 2 * n"]
    assert tried("mine", right[1:], right[:1], write=True) == [
        ("mine/m.py", "twice", "repaired"),
        ("mine/m.py", "Price.scale", "repaired"),
    ]


def test_tests_that_did_not_run_after_others_hung_run_later(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("coral_batch.verdicts.suites.LOSSES_AT_FIRST", 2)
    set_params({"verdicts.cpu_seconds": 0.5, "verdicts.wall_seconds": 5.0})
    digits = "def digits(n):\n    count = 0\n    while n >= 0:\n        n //= 10\n"
    digits += "        count += 1\n    return count\n"
    hangs = "import pytest\nfrom a import digits\n\n\n"
    hangs += "@pytest.mark.parametrize('n, want', [(1, 1), (5, 1), (42, 2)])\n"
    hangs += "def test_digits(n, want):\n    assert digits(n) == want\n"
    first = "from b import first, last\n\n\ndef test_first():\n    assert first([3, 4]) == 3\n"
    files = {"a.py": digits, "b.py": "def first(items):\n    return items[-1]\nlast = max\n"}
    fine = {"c.py": "def f(n):\n    return n\n", "test_c.py": TEST.replace("from m", "from c")}
    write(workspace / "mine", files | fine | {"test_a.py": hangs, "test_b.py": first})
    right = [digits.replace(">=", ">"), "def first(items):\n    return items[0]\n"]
    assert tried("mine", ["def digits(n):\n    return 1\n", right[0]], right[1:]) == [
        ("mine/a.py", "digits", "repaired"),
        ("mine/b.py", "first", "repaired"),
        ("mine/c.py", "", "nothing to repair"),
    ]
    found = next(repair_folder("mine", draw=Scripted([right[0]])))
    assert isinstance(found, Repair)
    assert len(found.failed) == 3


def test_right_functions_that_failing_tests_call_are_not_reported(workspace: Path) -> None:
    """In the same file, and in another one that sorts before it."""
    cart = "class Cart:\n    def __init__(self, prices):\n        self.prices = prices\n\n"
    cart += "    def total(self):\n        return {}(self.prices)\n"
    test = "from shop.cart import Cart\nfrom shop.app import create\n\n\n"
    test += "def test_total():\n    create()\n    assert Cart([1, 2]).total() == 3\n"
    files = {"app.py": "def create():\n    pass\n", "cart.py": cart.format("max")}
    write(workspace / "mine", {f"src/shop/{name}": text for name, text in files.items()})
    write(workspace / "mine", {"src/shop/__init__.py": "", "tests/test_cart.py": test})
    draw = Scripted([], [], [cart.format("sum")])
    (found,) = repair_folder("mine", draw=draw)
    assert isinstance(found, Repair)
    assert (found.function, found.outcome) == ("Cart.total", "repaired")


def test_tests_that_rest_on_others_do_not_count(workspace: Path) -> None:
    test = "import store\nfrom a import f\nfrom b import g\n\n\n"
    test += "def test_0():\n    store.ALL.append(f(0))\n\n\n"
    test += "def test_1():\n    assert store.ALL and g() == 1\n\n\n"
    test += "def test_2():\n    assert f(1) == 1\n"
    files = {"store.py": "ALL = []\n", "a.py": "def f(n):\n    return -n\n", "test_all.py": test}
    write(workspace / "mine", files | {"b.py": "def g():\n    return 1\n"})
    found = tried("mine", ["def f(n):\n    return n\n"])
    assert found == [("mine/a.py", "f", "repaired"), ("mine/b.py", "", "nothing to repair")]


def test_a_repair_breaks_no_test_of_the_folder(workspace: Path) -> None:
    """Also none that is not seen to call the function: here a cache answers."""
    text = "from functools import cache\n\n\n@cache\ndef sizes():\n    return {'a': 0, 'b': 2}\n"
    tests = "from m import sizes\n\n\ndef test_a():\n    assert sizes()['a'] == 1\n\n\n"
    tests += "def test_b():\n    assert sizes()['b'] == 2\n"
    write(workspace / "mine", {"m.py": text, "test_m.py": tests})
    wrong, right = (f"def sizes():\n    return {{'a': 1{rest}}}\n" for rest in ("", ", 'b': 2"))
    (found,) = repair_folder("mine", draw=Scripted([wrong, right]))
    assert isinstance(found, Repair)
    assert (found.outcome, found.drawn) == ("repaired", 2)


def test_files_with_tests_of_any_name_are_not_repaired(workspace: Path) -> None:
    tests = (
        "import unittest\nfrom app.price import total\n\n\nclass TotalTest(unittest.TestCase):\n"
    )
    tests += "    def setUp(self):\n        self.prices = [1, 2]\n\n"
    tests += "    def test_total(self):\n        self.assertEqual(total(self.prices), 3)\n"
    files = {
        "pytest.ini": "[pytest]\npython_files = tests.py\n",
        "app/__init__.py": "",
        "app/price.py": "def total(prices):\n    return max(prices)\n",
        "app/tests.py": tests,
    }
    write(workspace / "mine", files)
    assert tried("mine", [], []) == [("mine/app/price.py", "total", "not repaired")]


def test_imports_and_async_functions_are_told_from_failing_functions(workspace: Path) -> None:
    text = "import helper\n\n\nasync def f(n):\n    return -n\n\n\ndef g(n):\n    return -n\n"
    test = "def test_g():\n    from m import g\n    assert g(1) == 1\n\n\n"
    late = "def test_f():\n    import asyncio, m\n    assert asyncio.run(m.f(1)) == 1\n"
    files = {"m.py": text, "helper.py": "class A:\n    pass\n", "test_m.py": test + late}
    write(workspace / "mine", files)
    found = [*repair_folder("mine", draw=Scripted(["def g(n):\n    return n\n"]))]
    (untried,) = [one for one in found if isinstance(one, Untried)]
    assert untried.reason == "failing tests call f: no plain def at module level or in a class"
    assert [one.function for one in found if isinstance(one, Repair)] == ["g"]
    # Of no account once the test passes.
    both = (
        "def test_both():\n    import asyncio, m\n    asyncio.run(m.f(1))\n    assert m.g(1) == 1\n"
    )
    write(workspace / "mine", {"test_m.py": both})
    (repaired,) = repair_folder("mine", draw=Scripted(["def g(n):\n    return n\n"]))
    assert isinstance(repaired, Repair)
    assert repaired.outcome == "repaired"


def test_repairs_of_a_folder_are_written_one_after_the_other(folder: Path) -> None:
    both = BROKEN.replace("isqrt(value)", "isqrt(value) + 1")
    (folder / "numbers_.py").write_text(both)
    right = "def root(value):\n    return math.isqrt(value)\n"
    scripted = Scripted(["def first(items):\n    return items[0]\n"], [RIGHT], [right])
    list(repair_folder(folder, write=True, draw=scripted))
    assert (folder / "deep/head.py").read_text() == FIRST.replace("-1", "0")
    text = (folder / "numbers_.py").read_text()
    kept = BROKEN.replace("    # The bounds are inside.\n", "")
    assert text == kept.replace("LOWEST, max", "LOWEST, min")


def test_functions_fixed_by_another_repair_are_not_tried(workspace: Path) -> None:
    text = "def a(n):\n    return n\n\n\ndef b(n):\n    return a(n)\n\n\ndef c(n):\n    return n\n"
    tests = [f"def test_{name}():\n    assert {name}(1) == 2\n" for name in "abc"]
    files = {"m.py": text, "test_m.py": "\n".join(["from m import a, b, c\n", *tests])}
    write(workspace / "mine", files)
    right = [f"def {name}(n):\n    return n + 1" for name in "ac"]
    assert tried("mine", right[:1], right[1:], write=True) == [
        ("mine/m.py", "a", "repaired"),
        ("mine/m.py", "c", "repaired"),
    ]


def test_a_test_of_two_broken_functions_keeps_neither_from_being_repaired(workspace: Path) -> None:
    text = "def f(n):\n    return n\n\n\ndef g(n):\n    return n\n"
    test = "from m import f, g\n\n\ndef test_f():\n    assert f(1) == 2\n\n\n"
    test += "def test_g():\n    assert g(1) == 3\n\n\n"
    test += "def test_both():\n    assert g(0) == 0 or True\n    assert f(0) == 1\n"
    write(workspace / "mine", {"m.py": text, "test_m.py": test})
    right = {"f": "def f(n):\n    return n + 1", "g": "def g(n):\n    return 3 * n"}

    def draw(prompt: str, program: str, count: int, /) -> list[str]:
        return [right["f" if "def f" in program else "g"]]

    found = [one for one in repair_folder("mine", draw=draw) if isinstance(one, Repair)]
    assert [(one.function, one.outcome) for one in found] == [
        ("f", "repaired"),
        ("g", "repaired"),
    ]


def test_a_decorated_function_is_tried_and_not_its_decorator(workspace: Path) -> None:
    begin = "import functools\n\n\ndef logged(function):\n    @functools.wraps(function)\n"
    begin += "    def wrapper(*given):\n        return function(*given)\n\n    return wrapper\n\n\n"
    text = f"{begin}@logged\ndef twice(n):\n    return n\n"
    test = "from m import twice\n\n\ndef test_twice():\n    assert twice(1) == 2\n"
    write(workspace / "mine", {"m.py": text, "test_m.py": test})
    right = "def twice(n):\n    return 2 * n"
    assert tried("mine", [right]) == [("mine/m.py", "twice", "repaired")]


def test_a_function_that_cannot_be_tried_is_reported_and_the_others_are_tried(folder: Path) -> None:
    (folder / "joined.py").write_text(
        "LIMIT = 3; TABLE = [\n    1,\n]\n\n\ndef f(x):\n"
        '    """Cut.\n\n    >>> f(9)\n    3\n    """\n    return max(x, LIMIT)\n'
    )

    def draw(prompt: str, program: str, count: int, /) -> list[str]:
        if "clamp" in program:
            raise Unfit("the prompt does not fit")
        return ["```python\ndef first(items):\n    return items[0]\n```"]

    found = list(repair_folder(folder, draw=draw))
    told = {one.function: one.reason for one in found if not isinstance(one, Repair)}
    assert told["clamp"] == "the prompt does not fit"
    assert "do not parse on their own" in told["f"]
    assert next(one.outcome for one in found if isinstance(one, Repair)) == "repaired"


def test_the_output_for_a_folder_ends_with_a_table(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "coral_batch.repair.folders.lazy_draw",
        lambda model, settings: Scripted([FIRST.replace("-1", "0")], [CLOSER], [CLOSER]),
    )
    before = sorted(folder.rglob("*"))
    done = coral("repair", folder)
    assert done.returncode == 1
    assert sorted(folder.rglob("*")) == before
    assert "first is repaired after 1 change" in done.stdout
    row = re.compile(r"^mine/(\S+) +(first|clamp)? +(re|not|noth)", re.MULTILINE)
    assert row.findall(done.stdout) == [
        ("heavy.py", "", "not"),
        ("script.py", "", "not"),
        ("test_broken.py", "", "not"),
        ("deep/head.py", "first", "re"),
        ("fine.py", "", "not"),
        ("numbers_.py", "clamp", "not"),
    ]


def test_files_that_cannot_be_tried_set_the_status_if_the_rest_passes(folder: Path) -> None:
    shutil.rmtree(folder / "deep")
    (folder / "numbers_.py").unlink()
    done = coral("repair", folder, "--json")
    assert done.returncode == 2
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["outcome"] for one in records] == [*["not tried"] * 4, "nothing to repair"]
    words = ("ModuleNotFoundError", "SystemExit", "test_broken.py", "ModuleNotFoundError")
    assert all(word in one["reason"] for word, one in zip(words, records, strict=False))
    for name in ("heavy.py", "script.py", "test_broken.py", "tests/test_numbers_.py"):
        (folder / name).unlink()
    assert coral("repair", folder).returncode == 0


def test_a_folder_that_cannot_be_tried_is_one_message(folder: Path) -> None:
    Path("apart").mkdir()
    Path("apart/test_a.py").write_text("def test_a():\n    pass\n")
    for arguments, words in {
        ("mine", "--function", "first"): "`coral repair FILE --function first`",
        ("mine", "--tests", "elsewhere"): "no such folder",
        ("mine", "--tests", "mine/fine.py"): "not a folder",
        ("apart",): "no test calls a function in the folder",
    }.items():
        done = coral("repair", *arguments)
        assert done.returncode == 2
        assert words in done.stderr


def test_a_correct_function_behind_tests_that_hang_is_left_alone(workspace: Path) -> None:
    set_params({"verdicts.cpu_seconds": 0.5, "verdicts.wall_seconds": 5.0})
    program = "def a():\n    while True:\n        pass\n\n\ndef b():\n    return 2\n"
    tests = (
        "import pytest\nfrom m import a, b\n\n\n"
        '@pytest.mark.parametrize("n", range(4))\ndef test_a(n):\n    a()\n\n\n'
        "def test_b():\n    assert b() == 2\n"
    )
    write(workspace, {"mine/buggy/m.py": program, "mine/buggy/test_m.py": tests})
    draw = ["def b():\n    return 1 + 1\n"]
    assert tried("mine", draw, write=True, rounds=1) == [("mine/buggy/m.py", "a", "not repaired")]
    assert (workspace / "mine/buggy/m.py").read_text() == program
