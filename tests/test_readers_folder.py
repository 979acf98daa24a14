"""A folder of a user's programs becomes problems, with the tests that pytest runs there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from coral_batch.errors import CoralError
from coral_batch.models.prompts.prompt import repair_prompt
from coral_batch.records.problem import Problem, Suite
from tests.errors import refused
from tests.readers import judged, kinds, passes, read, reasons
from tests.repairable import write

STATS = '''"""Small statistics."""

import math

LIMIT = 3


def mean(values, *, trim=0):
    """Return the mean, without the `trim` smallest and largest values."""
    values = sorted(values)[trim : len(values) - trim]
    if not values:
        raise ValueError("no values left")
    return _total(values) / len(values)


def _total(values):
    return math.fsum(values)
'''
PLAIN = "from stats import mean\n\n\ndef test_two():\n    assert mean([1, 3]) == 2\n"
BUG = STATS.replace("/ len", "/ 1 + len")


def by_name(folder: Path) -> dict[str, Problem]:
    return {problem.name: problem for problem in read("folder", folder)[0]}


# Tests that rest on a call of `twice` by other means than calling it.
SHARED = {
    "collected": """
found = twice(4)
def test_type():
    assert isinstance(found, int) and twice(1)
def test_value():
    assert found == 8
""",
    "fixture": """
class TestTwice(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.found = twice(4)
    def test_type(self):
        assert isinstance(self.found, int)
    def test_value(self):
        assert self.found == 8
""",
    "cached": """
def test_type():
    assert isinstance(twice(4), int)
def test_value():
    assert twice(4) == 8
""",
    "skipped": """
class TestTwice(unittest.TestCase):
    def test_value(self):
        for n in range(3):
            with self.subTest():
                if n == 0:
                    self.skipTest("")
                self.assertEqual(twice(n), 2 * n)
""",
    "varying": """
@pytest.mark.parametrize('n', [time.time_ns()])
def test_time(n):
    assert n
def test_value():
    assert twice(4) == 8
""",
}
TWICE = "import functools\n\n\n{}def twice(n):\n    return 2 * n\n"
PROJECT = {
    "stats.py": STATS,
    "tests/test_stats.py": PLAIN,
    "stats.buggy.py": BUG,
    "stack.py": "class Stack:\n    def __init__(self):\n        self.items = []\n\n"
    "    def push(self, item):\n        self.items.append(item)\n        return self\n",
    "tests/test_stack.py": "from stack import Stack\n\n\nclass TestStack:\n    def test_it(self):\n"
    "        assert Stack().push(1).items == [1]\n",
    "src/shop/__init__.py": "from .cart import total\n",
    "src/shop/cart.py": "import numpy as np\nfrom .tax import taxed\n\n\n"
    "def total(prices):\n    return taxed(float(np.sum(prices)))\n",
    "src/shop/tax.py": "RATE = 2\n\n\ndef taxed(price):\n    return price * RATE\n",
    "buggy/src/shop/tax.py": "RATE = 2\n\n\ndef taxed(price):\n    return price + RATE\n",
    "venv/pyvenv.cfg": "",
    "venv/lib/absent.buggy.py": "",
    "conftest.py": "import sys\nfrom pathlib import Path\nimport pytest\n"
    "sys.path.insert(0, str(Path(__file__).parent / 'src'))\n\n\n"
    "@pytest.fixture\ndef prices():\n    return [1, 2]\n",
    "tests/test_cart.py": "from shop import total\n\n\n"
    "def test_total(prices, tmp_path, monkeypatch):\n"
    "    monkeypatch.setattr('shop.tax.RATE', 3)\n    assert total(prices) == 9\n",
    "bag.py": "def test_bit(n):\n    return n & 1\n\n\ndef add(bag, name):\n"
    '    """Add.\n\n    >>> bag = []\n    >>> add(bag, 1)\n    1\n    >>> add(bag, 2)\n'
    '    2\n    """\n    bag.append(name)\n    return len(bag) + test_bit(2) \n',
    **{
        f"{name}.py": TWICE.format("@functools.cache\n" if name == "cached" else "")
        for name in SHARED
    },
    **{
        f"test_{name}.py": "import time\nimport unittest\nimport pytest\n"
        f"from {name} import twice\n{tests}"
        for name, tests in SHARED.items()
    },
    "buggy/cached.py": TWICE.format("").replace("2 * n", "n"),
}


@pytest.fixture(scope="module")
def problems(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Problem]:
    folder = tmp_path_factory.mktemp("project")
    write(folder, PROJECT)
    return by_name(folder)


def test_each_function_that_a_test_calls_is_a_problem(problems: dict[str, Problem]) -> None:
    assert {name: one.function for name, one in problems.items()} == {
        "stats_mean": "mean",
        "stats__total": "_total",
        "stack_Stack___init__": "Stack.__init__",
        "stack_Stack_push": "Stack.push",
        "src_shop_cart": "total",
        "src_shop_tax": "taxed",
        "bag_add": "add",
        "bag_test_bit": "test_bit",
        **dict.fromkeys(SHARED, "twice"),
    }
    mean = problems["stats_mean"]
    assert mean.docstring.startswith("Return the mean")
    assert "Return the mean" not in mean.reference and "LIMIT" not in mean.reference
    assert "import math" in mean.reference and "def _total" in mean.reference
    push = problems["stack_Stack_push"].reference
    assert push.startswith("class Stack:\n    def push(self, item):\n")


def test_a_file_with_a_bug_lies_beside_the_program_or_in_a_folder(
    problems: dict[str, Problem],
) -> None:
    mean, cached = problems["stats_mean"], problems["cached"]
    assert mean.buggy == mean.reference.replace("/ len", "/ 1 + len")
    assert cached.buggy == "def twice(n):\n    return n\n"
    assert problems["src_shop_tax"].buggy.endswith("return price + RATE\n")
    buggy = {name for name, one in problems.items() if one.buggy}
    assert buggy == {"stats_mean", "cached", "src_shop_tax"}


def test_references_pass_every_test_that_rests_on_a_call_of_them_and_others_fail(
    problems: dict[str, Problem],
) -> None:
    root = Path(suite(problems["bag_add"]).root)
    before = sorted(root.rglob("*"))
    assert set(passes([*problems.values()])) == {True}
    push = problems["stack_Stack_push"]
    wrong = {
        "stats_mean": "def mean(values, *, trim=0):\n    return 0\n",
        "stack_Stack_push": push.reference.replace("return self", "return None"),
        "bag_add": "def add(bag, name):\n    return 1\n",
    }
    rows = judged(*((problems[name], code) for name, code in wrong.items()))
    assert rows == [["FAIL"], ["ERROR"], ["FAIL"]]
    thrice = "def twice(n):\n    return 3 * n\n"
    for name, row in zip(SHARED, judged(*((problems[one], thrice) for one in SHARED)), strict=True):
        assert set(row) >= {"FAIL"}, name
    assert sorted(root.rglob("*")) == before


def suite(problem: Problem) -> Suite:
    assert isinstance(problem.tests, Suite)
    return problem.tests


def test_tests_that_do_not_pass_are_left_out_and_told(tmp_path: Path) -> None:
    tests = "import pytest\n" + PLAIN + "\n\ndef test_wrong():\n    assert mean([1]) == 2\n"
    tests += "\n\n@pytest.mark.skip('later')\ndef test_later():\n    pass\n"
    files = {"stats.py": STATS, "test_stats.py": tests, "other.py": "def f():\n    return 1\n"}
    later = "import asyncio\nimport wait\ndef test_wait(): assert asyncio.run(wait.wait()) == 1\n"
    files |= {"wait.py": "async def wait():\n    return 1\n", "test_wait.py": later}
    files |= {"test_also.py": "raise ImportError(9999 * 'long')\n"}
    write(tmp_path, {**files, "test_broken.py": "import missing_package\n"})
    problems, dropped = read("folder", tmp_path)
    assert {suite(problem).tests for problem in problems} == {("test_stats.py::test_two",)}
    assert set(reasons(dropped)) == {
        ("test_stats.py::test_wrong", "failing"),
        ("test_stats.py::test_later", "skipped"),
        ("test_broken.py", "failing"),
        ("test_also.py", "failing"),
        ("other.py", "untested"),
        ("wait", "untestable"),
    }
    assert any(one.detail == "not defined by def" for one in dropped)
    assert any("missing_package" in one.detail for one in dropped)


def test_a_name_is_made_of_any_path_and_is_given_once(tmp_path: Path) -> None:
    files = {name: f"def f():\n    return 1\n{more}" for name, more in NAMED.items()}
    test = "from day_1 import b\nfrom day_1_b import f\n\n\ndef test_b():\n    assert b() == f()\n"
    late = "def test_f():\n    from importlib import import_module\n"
    late += "    assert [import_module(name).f() for name in ('1day', 'day_1')] == [1, 1]\n"
    write(tmp_path, files | {"test_any.py": f"{test}\n\n{late}"})
    problems, dropped = read("folder", tmp_path)
    assert [problem.name for problem in problems] == ["_1day", "day_1_f", "day_1_b"]
    assert reasons(dropped) == [("day_1_b", "untestable")]


NAMED = {"1day.py": "", "day_1.py": "\n\ndef b():\n    return 1\n", "day_1_b.py": ""}


def test_settings_of_pytest_hold_wherever_it_looks_for_them(tmp_path: Path) -> None:
    files = {
        "stats.py": STATS,
        "check_stats.py": PLAIN.replace("test_two", "check_two"),
        "pyproject.toml": "[tool.pytest-watcher]\n",  # which has none
        "setup.cfg": "[tool:pytest]\npython_files = check_*.py\npython_functions = check_*\n"
        "filterwarnings = error\n",
    }
    write(tmp_path, files)
    assert suite(by_name(tmp_path)["stats_mean"]).tests == ("check_stats.py::check_two",)


def test_a_problem_has_what_its_function_uses_and_no_more(tmp_path: Path) -> None:
    program = '"""The licence."""\nimport sys\nfrom abc import ABCMeta\n\n\n'
    program += "class Box(metaclass=ABCMeta):\n    def size(self, all):\n"
    program += "        total = len(all)\n        return total\n\n\n"
    program += 'if __name__ == "__main__":\n    total = Box().size(sys.argv)\n    print(total)\n'
    test = "from box import Box\n\n\ndef test_it():\n    assert Box().size([1]) == 1\n"
    write(tmp_path, {"box.py": program, "test_box.py": test})
    (problem,) = by_name(tmp_path).values()
    assert problem.docstring == ""
    assert problem.reference.startswith("from abc import ABCMeta\n\n\nclass Box(metaclass=")
    assert "sys" not in problem.reference
    assert repair_prompt(replace(problem, buggy=problem.reference), True).count("in size.py") == 1


FOUND = {
    "tests where its settings say": {
        "calc.py": "def twice(n):\n    return 2 * n\n",
        "pytest.ini": "[pytest]\ntestpaths = tests\n",
        "scripts/test_camera.py": "while True:\n    pass\n",
        "tests/test_calc.py": "import calc\ndef test_twice():\n    assert calc.twice(4) == 8\n",
    },
    "the name of an installed package": {
        "sortedcontainers.py": TWICE.format(""),
        "test_it.py": "import sortedcontainers\n"
        "def test_twice():\n    assert sortedcontainers.twice(4) == 8\n",
    },
    "an option that the conftest.py of another folder defines": {
        "calc.py": 'def twice(n):\n    """Double.\n\n    >>> twice(4)\n    8\n    """\n'
        "    return 2 * n\n",
        "pytest.ini": "[pytest]\naddopts = --quickly\n",
        "tests/conftest.py": "def pytest_addoption(parser):\n    parser.addoption('--quickly',"
        " action='store_true')\n",
        "tests/test_other.py": "def test_other():\n    assert True\n",
    },
    "two modules of one name": {
        "app/calc.py": "def twice(n):\n    return 2 * n\n",
        "app/config.py": "X = 1\n",
        "config.py": "X = 8\n",
        "pytest.ini": "[pytest]\naddopts = --import-mode=importlib\n",
        "test_calc.py": "import config\nfrom app.calc import twice\n"
        "def test_twice():\n    assert twice(4) == config.X\n",
    },
}


@pytest.mark.parametrize("what", FOUND)
def test_a_right_program_passes_in_a_project_with(tmp_path: Path, what: str) -> None:
    write(tmp_path, FOUND[what])
    (problem,) = [one for one in by_name(tmp_path).values() if one.function == "twice"]
    assert passes([problem]) == [True]


def test_a_folder_that_changes_after_it_was_read_is_not_judged(tmp_path: Path) -> None:
    write(tmp_path, {"stats.py": STATS, "test_stats.py": PLAIN})
    problem = by_name(tmp_path)["stats_mean"]
    write(tmp_path, {"test_stats.py": PLAIN + "\n# changed\n"})
    with pytest.raises(CoralError, match="changed since its problems were read"):
        kinds(problem)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (
            {"test_stats.py": "x = (\n"},
            ["no test of the folder passes", "test_stats.py", "never closed"],
        ),
        ({"test_stats.py": "def test_it(): pass\n"}, ["no test of the folder calls"]),
        ({"conftest.py": "raise SystemExit(3)\n"}, ["pytest does not run", "SystemExit"]),
        ({"__init__.py": ""}, ["the folder is a package", "the folder that holds"]),
        ({"stats.buggy.py": "def mean(:\n"}, ["stats.buggy.py", "does not parse"]),
        ({"stats.buggy.py": STATS + "\nx = 1\n"}, ["stats.buggy.py", "no change in mean, _total"]),
        ({"stats.buggy.py": BUG, "buggy/stats.py": BUG}, ["two buggy files"]),
        ({"stats.buggy.py": BUG + "\n\n" + BUG}, ["stats.buggy.py", "mean", "2 definitions"]),
        ({"stat.buggy.py": BUG}, ["stat.buggy.py", "without its program"]),
    ],
)
def test_a_folder_that_cannot_be_used_is_refused_by_name(
    tmp_path: Path, files: dict[str, str], words: list[str]
) -> None:
    write(tmp_path, {**{"stats.py": STATS, "test_stats.py": PLAIN, **files}})
    with refused(*words):
        read("folder", tmp_path)
