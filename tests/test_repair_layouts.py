"""Projects of any layout and habit are repaired by `coral repair`, if pytest runs there."""

import contextlib
import site
from pathlib import Path

import pytest

from coral_batch.lake import params
from coral_batch.repair import repair
from coral_batch.repair import tests as suite
from coral_batch.verdicts.functions import read_source
from tests.errors import refused
from tests.repairable import write
from tests.settings import set_params

WRONG, RIGHT = (f"def f(n):\n    return {value}\n" for value in ("-n", "n"))

# Projects with one wrong function, m.f; the tests are in `tests`.
PROJECTS = {
    "conftest": {"conftest.py": "", "src/m.py": WRONG, "tests/test_m.py": "from src.m import f\n"},
    "repository": {
        ".git/config": "",
        "day/src/m.py": "def f(n):\n    return -n * int(open('one.txt').read())\n",
        "day/one.txt": "1",
        "day/tests/test_m.py": "from src.m import f\n",
    },
    "repository with fixtures and modules at its root": {
        ".git/config": "",
        "conftest.py": "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef one():\n"
        "    import os\n    os.environ['ONE'] = '1'\n",
        "utils.py": "sign = -1\n",
        "week/m.py": "import os\nfrom utils import sign\n\n\n"
        "def f(n):\n    return sign * n * int(os.environ['ONE'])\n",
        "week/test_m.py": "from week.m import f\n",
    },
    "lambdas in a class": {
        "m.py": "from dataclasses import dataclass, field\n\n\n@dataclass\nclass A:\n"
        f"    b: list = field(default_factory=lambda: [1])\n\n\n{WRONG}",
        "tests/test_m.py": "from m import A, f\n\n\ndef test_a():\n    assert f(A().b[0]) == 1\n",
    },
    "a slow shared fixture": {
        "m.py": WRONG,
        "tests/test_m.py": "import pytest, time\nfrom m import f\n\n\n"
        "@pytest.fixture(scope='module', autouse=True)\ndef slow():\n"
        "    end = time.process_time() + 1\n    while time.process_time() < end:\n        pass\n",
    },
    "workspace": {
        "pytest.ini": "[pytest]\nusefixtures = one\n",
        "conftest.py": "import pytest\n\n\n@pytest.fixture\ndef one():\n    return 1\n",
        "packages/core/pyproject.toml": "[project]\nname = 'core'\n",
        "packages/core/src/core/__init__.py": "",
        "packages/core/src/core/m.py": WRONG,
        "packages/core/tests/test_m.py": "from core.m import f\n",
    },
    "a path with dots": {
        "m.py": WRONG,
        "tests/test_m.py": "import os, sys\n"
        "sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..'))\nfrom m import f\n",
    },
    "temporary files": {
        "m.py": "def f(n):\n    print(n, file=open('/var/tmp/out.txt', 'w'))\n    return -n\n",
        "tests/test_m.py": "from m import f\n",
    },
    "decorators": {
        "m.py": f"from functools import singledispatch\n\n\n@singledispatch\n{WRONG}",
        "tests/test_m.py": "import subprocess\nfrom m import f\n\n\n"
        "def test_jail():\n    subprocess.run(['true'])\n",
    },
    "a repository that is a package": {
        "other.txt": "",
        "repo/__init__.py": "",
        "repo/pyproject.toml": "[tool.pytest.ini_options]\npythonpath = '.'\n",
        "repo/m.py": WRONG,
        "repo/tests/test_m.py": "import os\nfrom m import f\n\n\ndef test_around():\n"
        "    assert os.listdir(os.path.dirname(__file__) + '/../..') == ['repo']\n",
    },
    "files named like packages": {
        "conftest.py": "",
        "examples/numpy.py": "",
        "clients/joblib.py": "",
        "clients/m.py": f"import joblib\nimport numpy\n\nassert joblib.Parallel\n\n\n{WRONG}",
        "tests/test_m.py": "from clients.m import f\n",
    },
    "more temporary files than fit": {
        "m.py": WRONG,
        "tests/test_m.py": "import pytest\nfrom m import f\n\n\n"
        "@pytest.mark.parametrize('n', range(99))\ndef test_files(tmp_path, n):\n"
        "    for name in range(200):\n        (tmp_path / str(name)).touch()\n",
    },
    "a log file": {
        "pytest.ini": "[pytest]\naddopts = --log-file=run.log\n",
        "m.py": WRONG,
        "tests/test_m.py": "from m import f\n",
    },
    "tests that are tried again": {
        "conftest.py": "from _pytest.runner import runtestprotocol\n\n\n"
        "def pytest_runtest_protocol(item, nextitem):\n"
        "    for _ in range(2):\n        runtestprotocol(item, log=False, nextitem=nextitem)\n"
        "    return True\n",
        "m.py": WRONG,
        "tests/test_m.py": "from m import f\n\nTRIES = []\n\n\ndef test_once_more():\n"
        "    TRIES.append(1)\n    assert len(TRIES) > 1\n",
    },
    "plugins that it names": {
        "pytest.ini": "[pytest]\naddopts = -n2 -p xdist -p no:hypothesispytest\n"
        "    -p no:cacheprovider\nstrict_config = true\nfilterwarnings = error\n",
        "m.py": WRONG,
        "tests/test_m.py": "import pytest\nfrom m import f\n\n\n"
        "def test_plugins(pytestconfig):\n    has = pytestconfig.pluginmanager.has_plugin\n"
        "    assert has('xdist') and not has('hypothesispytest')\n",
    },
    "a mapped file": {
        "m.py": WRONG,
        "tests/test_m.py": "import mmap\nfrom m import f\n\n\ndef test_mapped(tmp_path):\n"
        "    assert f(0) == 0\n    (tmp_path / 'a').write_bytes(b'0')\n"
        "    with open(tmp_path / 'a', 'r+b') as file:\n"
        "        mmap.mmap(file.fileno(), 0).flush()\n",
    },
    "a shared fixture that fails its own tests": {
        "m.py": f"{WRONG}\n\ndef load():\n    return f(1)\n\n\ndef other():\n    return 0\n",
        "tests/test_m.py": "import pytest\nfrom m import f, load, other\n\n\n"
        "@pytest.fixture(scope='session')\ndef data():\n    return load()\n\n\n"
        "def test_data(data):\n    assert data == 1\n\n\n"
        "def test_other():\n    assert other() == 1\n",
    },
    "a fixture that takes the place of functions of os, like pyfakefs": {
        "conftest.py": "import os, sys\nimport pytest\n\n\n"
        "def fake(*_):\n    raise OSError(9)\n\n\n"
        "@pytest.fixture(scope='module', autouse=True)\ndef fs():\n"
        "    every = [vars(one) for one in [*sys.modules.values()] if one is not os]\n"
        "    for one in every:\n        for name in ('read', 'write'):\n"
        "            if one.get(name) is getattr(os, name):\n                one[name] = fake\n",
        "m.py": WRONG,
        "tests/test_m.py": "from m import f\n",
    },
    "a module with the name of a standard one": {
        "m.py": "from queue import sign\n\n\ndef f(n):\n    return sign * n\n",
        "queue.py": "sign = -1\n",
        "tests/test_m.py": "from m import f\n",
    },
    "modules that answer any name": {
        "m.py": "import os, torch\n\n\ndef f():\n    return 1\n",
        "tests/test_m.py": "from m import f\n",
    },
}


@pytest.mark.parametrize("name", PROJECTS)
def test_a_project_of_any_make_is_repaired(workspace: Path, name: str) -> None:
    files = {f"mine/{file}": text for file, text in PROJECTS[name].items()}
    (module,) = [file for file in files if file.endswith("/m.py")]
    (test,) = [file for file in files if file.endswith("test_m.py")]
    files[test] += "\n\ndef test_f():\n    assert f(1) == 1\n"
    set_params({"verdicts.cpu_seconds": 0.5})
    write(workspace, files)
    function = "f" if "other()" in files[module] else None
    found = repair(module, Path(test).parent, function, draw=lambda *_: [RIGHT])
    assert found.outcome == "repaired"
    assert found.function == "f"


def test_an_installed_project_is_its_own_plugin_and_may_write_on_import(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here a package of `src` without __init__.py, installed as `pip install -e` does."""
    plugin = "import pytest\nfrom acme.m import C\n\n\n@pytest.fixture\ndef c():\n    return C()\n"
    wrong = "import plots.parts\n\n\nclass C:\n    def f(self, n):\n        return -n\n"
    test = "from acme.m import C\n\n\ndef test_f(c):\n    assert isinstance(c, C)\n"
    test += "    import plots\n    assert (plots.FOLDER / 'names').read_text() == 'a'\n"
    test += "    assert c.f(1) == 1\n"
    files = {"pyproject.toml": "", "src/acme/m.py": wrong, "src/acme/plugin.py": plugin}
    write(workspace / "mine", files | {"tests/test_m.py": test})
    written = "from pathlib import Path\n\nFOLDER = Path.home() / '.config'\nFOLDER.mkdir()\n"
    written += "(FOLDER / 'names').write_text('a')\n"
    packages = {
        "plots/__init__.py": f"import plots.parts\n{written}",
        "plots/parts.py": "",
        "other.py": "",
    }
    about = {
        "METADATA": "Name: mine\n",
        "entry_points.txt": "[pytest11]\nmine = acme.plugin\nsubtests = other\n",
    }
    installed = packages | {f"mine-1.dist-info/{name}": text for name, text in about.items()}
    write(workspace / "site", installed | {"mine.pth": f"{workspace}/mine/src\n"})
    sites = [*site.getsitepackages(), f"{workspace}/site"]
    monkeypatch.setattr(site, "getsitepackages", lambda: sites)
    monkeypatch.syspath_prepend(workspace / "site")
    right = wrong.replace("-n", "n")
    found = repair("mine/src/acme/m.py", "mine/tests", draw=lambda *_: [right])
    assert found.outcome == "repaired"


def test_tests_with_other_ids_in_each_run_are_refused(workspace: Path) -> None:
    test = "import uuid\nimport pytest\nfrom m import f\n\n\n"
    test += "@pytest.mark.parametrize('name', [str(uuid.uuid4())])\n"
    write(
        workspace, {"m.py": WRONG, "test_m.py": f"{test}def test_f(name):\n    assert f(1) == 1\n"}
    )
    with refused("tests have other ids in each run", "test_m.py::test_f["):
        repair("m.py", "test_m.py", draw=lambda *_: [])


def test_calls_in_a_shared_fixture_count_for_the_tests_that_it_is_for(workspace: Path) -> None:
    fixtures = """import pytest

@pytest.fixture(scope="module")
def result(request):
    return request.module.target()

@pytest.fixture(scope="session", autouse=True)
def everywhere():
    return 1

class Item(pytest.Item):
    def runtest(self):
        pass

class File(pytest.File):
    def collect(self):
        yield Item.from_parent(self, name="item")

def pytest_collect_file(parent, file_path):
    return File.from_parent(parent, path=file_path) if file_path.suffix == ".item" else None
"""
    test = """import pytest
from m import {0}, {1} as target

@pytest.fixture(scope="session")
def data():
    return {0}()

def test_data(data):
    assert data

def test_result(result):
    assert result
"""
    late = """import pytest, m
from m import e

@pytest.fixture(scope="module")
def late():
    return e()

@pytest.fixture(scope="module", params=["f", "g"])
def either(request):
    return getattr(m, request.param)()

def test_either(either):
    assert either

def test_first(late):
    assert not late

@pytest.mark.parametrize("n", [1, 2])
def test_late(request, n):
    assert request.getfixturevalue("late")
"""
    functions = "\n\n\n".join(f"def {name}():\n    return 0" for name in "abcdefg")
    tests = {"conftest.py": fixtures, "test_late.py": late, "a.item": ""}
    tests |= {"test_a.py": test.format("a", "c"), "test_b.py": test.format("b", "d")}
    write(workspace, {"m.py": functions} | {f"tests/{name}": text for name, text in tests.items()})
    file = read_source(Path("m.py"))
    found = suite.tests_of_file(file, Path("tests"), params.load().verdicts)
    with contextlib.closing(found):
        called = {one.test: "".join(sorted(one.called)) for one in found.at_first}
    assert called == {
        "tests/test_a.py::test_data": "a",
        "tests/test_a.py::test_result": "c",
        "tests/test_b.py::test_data": "b",
        "tests/test_b.py::test_result": "d",
        "tests/test_late.py::test_either[f]": "f",
        "tests/test_late.py::test_either[g]": "g",
        "tests/test_late.py::test_late[1]": "e",
        "tests/test_late.py::test_late[2]": "e",
    }
