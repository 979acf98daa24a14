"""A user's tests under `coral repair` mean what they mean under pytest."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from coral_batch.commands import repair as command
from coral_batch.errors import CoralError
from coral_batch.repair import Repair, repair, repair_folder
from tests import REPOSITORY
from tests.command import coral
from tests.errors import refused
from tests.repairable import Scripted, write
from tests.settings import set_params

# Programs by name, each with its tests.
PROGRAMS: dict[str, tuple[str, str]] = {
    "what_is_found_beside_a_file": (
        """from pathlib import Path
LIMIT = int((Path(__file__).parent / 'limit.txt').read_text())
def limited(n):
    return min(n, LIMIT)
""",
        """def test_limit():
    assert [limited(1), limited(999)] == [1, 40]
""",
    ),
    "tests_of_any_make": (
        """def plus(a, b):
    return a - b
""",
        """import unittest as u
class Sums(u.TestCase):
    def test_two(self):
        self.assertEqual(plus(2, 2), 4)
    def test_none(self):
        for n in range(3):
            with self.subTest(n=n):
                self.assertEqual(plus(n, 0), n)
""",
    ),
    "parameters_and_fixtures": (
        """def times(n, by):
    return n * by
""",
        """import pytest
@pytest.fixture(params=[1, 3])
def by(request):
    return request.param
@pytest.mark.parametrize('n, want,', [(2, 4), (3, 6), pytest.param(4, 8, id='four')])
def test_twice(n, want):
    assert times(n, 2) == want
def test_fixtures(by, seven, tmp_path):
    (tmp_path / 'n').write_text(str(seven))
    assert times(int((tmp_path / 'n').read_text()), by) == 7 * by
@pytest.mark.xfail
def test_expected():
    assert times(1, 1) == 2
@pytest.mark.skip
def test_skipped():
    assert times(1, 1) == 2
""",
    ),
    "threads_loops_and_temporary_files": (
        """import asyncio
import getpass
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
async def _later(n):
    await asyncio.sleep(0)
    return n
def waited(n):
    return asyncio.run(_later(n))
def spread(values):
    with ThreadPoolExecutor(20) as pool:
        return [*pool.map(slow, values)]
def slow(n):
    time.sleep(0.01)
    return abs(n)
def written(data, kind):
    with getattr(tempfile, kind)() as file:
        file.write(data)
        return file.tell()
""",
        """import pytest
def test_loops():
    assert waited(3) == 3
def test_user():
    assert getpass.getuser()
def test_threads():
    assert spread(range(-20, 0)) == [*range(20, 0, -1)]
@pytest.mark.parametrize('kind', ['NamedTemporaryFile', 'TemporaryFile', 'SpooledTemporaryFile'])
def test_files(kind):
    assert written(b'abc', kind) == 3
""",
    ),
    "a_shared_fixture_fails_at_the_end": (
        """def closed(names):
    return len(names)
""",
        """import pytest
@pytest.fixture(scope='module')
def shared():
    yield
    assert closed([]) == 1
def test_first(shared):
    assert closed([0]) == 1
@pytest.mark.skip
def test_last(shared):
    assert closed([0]) == 2
""",
    ),
    "copies_with_all_that_files_have": (
        """import shutil
def backup(source, target):
    return shutil.copy2(source, target)
""",
        """import json
import os
import shutil
import pytest
def test_file(tmp_path):
    (tmp_path / 'a').write_text('x')
    assert (tmp_path / 'a').stat().st_mode & 0o777 == 0o644
    assert backup(tmp_path / 'a', tmp_path / 'b').read_text() == 'x'
def test_tree(tmp_path):
    (tmp_path / 'a').mkdir()
    assert shutil.copytree(tmp_path / 'a', tmp_path / 'b').is_dir()
@pytest.mark.parametrize('module, name', [(json, 'dumps'), (os, 'write')])
def test_replaced(tmp_path, monkeypatch, module, name):
    monkeypatch.setattr(module, name, None)
    (tmp_path / 'a').touch()
    assert backup(tmp_path / 'a', tmp_path / 'b').exists()
""",
    ),
    "many_calls": (  # which take ten times as long while they are noted
        """def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
""",
        """def test_27():
    assert fib(27) == 196418
""",
    ),
    "one_test_hangs": (
        """def down(n):
    while n != 0:
        n -= 2
    return n
""",
        """def test_even():
    assert down(4) == 0
def test_odd():
    assert down(3) == 1
""",
    ),
    "one_test_ends_the_process": (
        """import os
def leave(n):
    return n if n != 1 else os._exit(0)
""",
        """def test_1():
    assert leave(1) == 1
def test_2():
    assert leave(2) == 2
""",
    ),
}
OTHERS = {
    "limit.txt": "40\n",
    "conftest.py": "import pytest\n\n\n@pytest.fixture\ndef seven():\n    return 7\n",
    "resource.py": "def plan(n):\n    return n\n",
    "test_resource.py": "from resource import plan\n\n\ndef test():\n    assert plan(1) == 2\n",
    "pack/__init__.py": "from .double import double\n",
    "pack/double.py": "from . import parts\n\n\ndef double(n):\n    return parts.add(n, n + 1)\n",
    "pack/parts.py": "def add(a, b):\n    return a + b\n",
    "pack/test_double.py": "from . import double\n\n\ndef test_2():\n    assert double(2) == 4\n",
}


def test_the_tests_that_fail_are_those_that_fail_under_pytest(workspace: Path) -> None:
    """Also of a program named like a standard module, and of a function like its own module."""
    set_params({"verdicts.cpu_seconds": 0.5, "verdicts.wall_seconds": 5.0})
    folder = workspace / "project"
    write(folder, OTHERS)
    for name, (program, tests) in PROGRAMS.items():
        files = {f"{name}.py": program, f"test_{name}.py": f"from {name} import *\n{tests}"}
        write(folder, files)
    found = [*repair_folder(folder, draw=lambda *_: [])]
    ending = {"one_test_hangs": "test_odd", "one_test_ends_the_process": "test_1"}
    options = ("-qq", "--tb=no", "-rfE", "--doctest-modules", "-p", "no:cacheprovider")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *(f"--ignore=test_{one}.py" for one in ending)],
        cwd=folder,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    failed = {*re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)}
    failed |= {f"test_{name}.py::{test}" for name, test in ending.items()}
    repairs = [one for one in found if isinstance(one, Repair)]
    assert len(repairs) == len(found)
    assert {test.test for one in repairs for test in one.failed} == failed


def test_a_candidate_that_changes_which_tests_run_does_not_pass(workspace: Path) -> None:
    tests = """import pytest
from m import sizes
@pytest.mark.parametrize("size", sizes(4))
def test_four(size):
    assert sizes(size)[0] == 4
def test_first():
    assert sizes(1) == [0, 1]
"""
    write(workspace, {"m.py": "def sizes(n):\n    return [n]\n", "test_m.py": tests})
    bodies = (
        "return []",
        "return [*range(n + 1)]",  # right, were it not for the first test
        "import pytest; n == 4 or pytest.skip('a'); return [4]",
        "return [n] if n != 1 else [0, 1]",
    )
    draw = Scripted([f"def sizes(n):\n    {body}\n" for body in bodies])
    found = repair("m.py", "test_m.py", draw=draw)
    assert [one.test for one in found.failed] == ["test_m.py::test_first"]
    assert (found.outcome, found.drawn) == ("repaired", len(bodies))


@pytest.mark.parametrize(
    ("end", "kind"), [("while True: pass", "TIMEOUT"), ("import os; os._exit(0)", "ERROR")]
)
def test_tests_of_another_function_that_end_the_process_do_not_matter(
    workspace: Path, end: str, kind: str
) -> None:
    set_params({"verdicts.cpu_seconds": 0.5, "verdicts.wall_seconds": 5.0})
    program = f"def wait():\n    {end}\n\n\ndef first(items):\n    return items[1]\n"
    tests = (
        "import pytest\nfrom m import first, wait\n\n\n"
        '@pytest.mark.parametrize("n", range(13))\ndef test_wait(n):\n    wait()\n\n\n'
        "def test_first():\n    assert first([1, 2]) == 1\n"
    )
    write(workspace, {"m.py": program, "test_m.py": tests})
    answer = "def first(items):\n    return items[0]\n"
    found = repair("m.py", "test_m.py", "first", draw=lambda *_: [answer])
    assert [one.kind for one in found.failed] == [*[kind] * 13, "FAIL"]
    assert found.outcome == "repaired"
    found.write()
    assert answer in (workspace / "m.py").read_text()
    ended = repair("m.py", "test_m.py", "wait", draw=lambda *_: ["def wait():\n    return 1\n"])
    assert ended.outcome == "repaired"


def test_a_test_that_a_repair_mends_unseen_is_no_failure_left(workspace: Path) -> None:
    """Calls while a module is imported are not seen."""
    set_params({"verdicts.cpu_seconds": 0.5, "verdicts.wall_seconds": 5.0})
    program = (
        "def count():\n    n = 0\n    while n != LIMIT:\n        n += 1\n    return n\n\n\n"
        "def limit():\n    return -1\n\n\nLIMIT = limit()\n"
    )
    tests = (
        "from m import count, limit\n\n\ndef test_count():\n    assert count() == 10\n\n\n"
        "def test_limit():\n    assert limit() == 10\n"
    )
    write(workspace, {"m.py": program, "test_m.py": tests})
    found = repair("m.py", "test_m.py", "limit", draw=lambda *_: ["def limit():\n    return 10\n"])
    assert len(found.failed) == 2
    assert (found.outcome, found.left) == ("repaired", [])
    found.write()
    assert "return 10" in (workspace / "m.py").read_text()


def test_no_option_ends_the_tests_early(workspace: Path) -> None:
    tests = "from m import f\n\n\n" + "\n".join(
        f"def test_{n}(): assert f({n}) == 0" for n in "123"
    )
    options = "[pytest]\naddopts = -x --maxfail=1 --stepwise\n"
    write(
        workspace, {"m.py": "def f(n):\n    return n\n", "test_m.py": tests, "pytest.ini": options}
    )
    found = repair("m.py", "test_m.py", draw=lambda *_: [])
    assert [one.kind for one in found.failed] == ["FAIL"] * 3


def test_a_method_next_to_an_async_one_is_not_taken_for_it(workspace: Path) -> None:
    client = "class Client:\n    def __init__(self):\n        self.n = 1\n\n"
    client += "    async def fetch(self):\n        return -self.n\n"
    test = "import asyncio\nfrom m import Client\n\n\n"
    test += "def test_fetch():\n    assert asyncio.run(Client().fetch()) == 1\n"
    write(workspace, {"m.py": client, "test_m.py": test})
    with refused("the failing tests call Client.__init__, Client.fetch", "--function"):
        repair("m.py", "test_m.py", draw=lambda *_: [])


def test_plugins_that_settings_require_are_found_and_their_late_errors_change_nothing(
    workspace: Path,
) -> None:
    settings = "[pytest]\nrequired_plugins = hypothesis\n"
    late = "def pytest_sessionfinish():\n    open('report.txt', 'w')\n"
    files = {"m.py": "def f(n):\n    return n\n", "pytest.ini": settings, "conftest.py": late}
    write(workspace / "mine", files | {"test_m.py": TEST})
    assert repair("mine/m.py", "mine/test_m.py").outcome == "nothing to repair"


def test_a_wrong_result_that_a_cache_keeps_counts_in_every_test(workspace: Path) -> None:
    text = "from functools import cache\n\n\n@cache\ndef sizes():\n    return {'a': 0, 'b': 0}\n"
    tests = "from m import sizes\n\n\ndef test_a():\n    assert sizes()['a'] == 1\n\n\n"
    tests += "def test_b():\n    assert sizes()['b'] == 2\n"
    write(workspace, {"m.py": text, "test_m.py": tests})
    right = "def sizes():\n    return {'a': 1, 'b': 2}\n"
    draw = Scripted([right.replace("2", "0"), right])
    found = repair("m.py", "test_m.py", draw=draw)
    assert (found.outcome, found.drawn, found.left) == ("repaired", 2, [])


def test_a_function_that_runs_only_on_import_can_be_named(workspace: Path) -> None:
    text = "def build():\n    return {1: 2}\n\n\nTABLE = build()\n\n\n"
    text += "def f(n):\n    return TABLE[n]\n"
    write(workspace, {"m.py": text, "test_m.py": TEST})
    draw = Scripted(["def build():\n    return {1: 1}\n"])
    assert repair("m.py", "test_m.py", "build", draw=draw).outcome == "repaired"


def test_failing_tests_that_call_nothing_are_shown(workspace: Path) -> None:
    started = "import subprocess\n\n\ndef test_script():\n    subprocess.run(['true'])\n"
    write(workspace, {"m.py": "def f(n):\n    return n\n", "test_m.py": f"{TEST}\n\n{started}"})
    with refused("not seen to call any: test_m.py::test_script: PermissionError", "--function"):
        repair("m.py", "test_m.py", draw=lambda *_: [])


TEST = "from m import f\n\n\ndef test_f():\n    assert f(1) == 1\n"


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"test_m.py": "from m import g\n"}, ["cannot collect", "test_m.py", "cannot import name"]),
        ({"test_m.py": f"import absent_package\n{TEST}"}, ["absent_package", "do:       install"]),
        ({"conftest.py": "raise SystemExit('over')\n"}, ["over in ", "conftest.py"]),
        ({"conftest.py": "import os\n\nos._exit(0)\n"}, ["cannot collect", "exited with status 0"]),
        ({"setup.cfg": "[pytest]\n"}, ["cannot collect", "no longer supported"]),
        ({"pytest.ini": "[pytest]\naddopts = --absent\n"}, ["unrecognized arguments: --absent"]),
        ({"test_m.py": "while True:\n    pass\n"}, ["hang", "test_m.py: no end after 1 s"]),
        ({"test_m.py": "from m import f\n"}, ["no tests found", "found:    'none'"]),
        ({"test_m.py": f"import pytest\n\npytestmark = pytest.mark.skip\n{TEST}"}, ["all skipped"]),
        ({"test_m.py": "def test_f(absent):\n    pass\n"}, ["no test calls", "'absent' not found"]),
    ],
    ids=lambda value: value[-1] if isinstance(value, list) else "",
)
def test_an_error_of_pytest_is_one_message_with_its_output(
    workspace: Path, files: dict[str, str], words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("coral_batch.verdicts.suites.COLLECTING", 1.0)
    write(workspace, {"m.py": "def f(n):\n    return n + 1\n", "test_m.py": TEST, **files})
    before = sorted(workspace.rglob("*"))
    with pytest.raises(CoralError, match=r"(?m)^  file:     (test_)?m\.py$") as caught:
        repair("m.py", "test_m.py", draw=lambda *_: [])
    assert all(word in str(caught.value) for word in words)
    assert sorted(workspace.rglob("*")) == before


SHOP = {
    "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "--doctest-modules '
    '--junitxml=report.xml"\n',
    "shop/__init__.py": "from .basket import Basket\n",
    "shop/prices.py": "import numpy as np\n\n\n"
    "def taxed(prices, rate):\n    return np.round(np.asarray(prices) * (1 + rate), 2)\n",
    "shop/basket.py": '''from .prices import taxed

class Basket:
    """What somebody buys.

    >>> basket = Basket()
    >>> basket.add("tea", 2.5)
    >>> basket.total()
    2.5
    """

    def __init__(self):
        self.prices = {}

    def add(self, name, price):
        self.prices[name] = price

    def total(self, rate=0):
        """Return what all of it costs, taxes included."""
        return float(taxed([*self.prices.values()], rate).max())
''',
    "tests/conftest.py": """import pytest
from shop import Basket

@pytest.fixture
def basket():
    basket = Basket()
    basket.add("tea", 2.5)
    basket.add("jam", 4)
    return basket
""",
    "tests/test_basket.py": "def test_total(basket):\n"
    "    assert [basket.total(), basket.total(0.1)] == [6.5, 7.15]\n",
}


def test_a_method_of_a_whole_project_is_repaired_and_passes_under_pytest(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(workspace / "project", SHOP)
    monkeypatch.chdir(workspace / "project")
    shutil.copy(REPOSITORY / "params.yaml", ".")
    right = """class Basket:
    def total(self, rate=0):
        return float(taxed([*self.prices.values()], rate).sum())
"""
    draw = Scripted([right.replace("sum()", "min()"), right])
    monkeypatch.setattr(command, "search", partial(repair, draw=draw))
    # The fixture calls others.
    done = coral("repair", "shop/basket.py", "--tests", ".", "--write")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Basket.total is repaired after 2 changes in 1 round: 2 of 2 tests pass" in done.stdout
    text = SHOP["shop/basket.py"].replace("max()", "sum()")
    assert Path("shop/basket.py").read_text() == text
    options = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts=--doctest-modules")
    assert subprocess.run([sys.executable, "-B", *options], check=False).returncode == 0
    assert {*map(str, Path().rglob("*.*"))} == {*SHOP, "params.yaml"}


STACK = """class Stack:
    def __init__(self):
        self.items = []

    def push(self, item):
        self.items.append(-item)

    def __repr__(self):
        return str(self.items)
"""
OF_UNITTEST = """import unittest
from m import Stack


class TestStack(unittest.TestCase):
    def setUp(self):
        self.stack = Stack()

    def test_push(self):
        self.stack.push(1)
        assert self.stack.items == [1], self.stack
"""
SHOWN = OF_UNITTEST.replace(
    "assert self.stack.items == [1], self.stack", "self.assertEqual([self.stack], [])"
)
OF_PYTEST = OF_UNITTEST.replace("setUp", "setup_method").replace("unittest.TestCase", "")


@pytest.mark.parametrize("test", [OF_UNITTEST, SHOWN, OF_PYTEST])
def test_neither_a_set_up_nor_what_pytest_shows_is_called_by_the_test(
    workspace: Path, test: str
) -> None:
    write(workspace, {"m.py": STACK, "test_m.py": test})
    assert repair("m.py", "test_m.py", draw=lambda *_: []).function == "Stack.push"


def test_a_call_that_does_not_fit_counts_like_one_that_does(workspace: Path) -> None:
    price = "class Price:\n    def __init__(self):\n        self.n = 2\n\n"
    price += "    def scale(self):\n        return self.n\n"
    test = "from m import Price\n\n\ndef test_scale():\n    assert Price().scale(by=3) == 6\n"
    write(workspace, {"m.py": price, "test_m.py": test})
    with refused("the failing tests call Price.__init__, Price.scale", "--function"):
        repair("m.py", "test_m.py", draw=lambda *_: [])


def test_an_example_of_the_module_is_not_taken_for_its_function(workspace: Path) -> None:
    write(workspace, {"f.py": '"""A sign.\n\n>>> f(1)\n1\n"""\n\n\ndef f(n):\n    return -n\n'})
    found = repair("f.py", draw=lambda *_: ["def f(n):\n    return n\n"])
    assert (found.function, found.outcome) == ("f", "repaired")
