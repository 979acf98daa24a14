"""`coral repair --allow`: packages that a file and its tests may import, in the jail."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from coral_batch import repair
from coral_batch.commands.repair import Repair, repair_folder
from coral_batch.commands.repair.checks import failures, parse_all
from coral_batch.commands.repair.source import read_source
from coral_batch.errors import CoralError
from coral_batch.lake import params
from coral_batch.records.verdict import Program
from coral_batch.verdicts.containment import PACKAGES
from coral_batch.verdicts.layers import isolation
from coral_batch.verdicts.pool import judge
from tests.repairable import Scripted, coral

PROGRAM = """import numpy as np
from helpers import twice


def mean(values):
    return float(np.mean(values)) + twice(1)


class Grid:
    def __init__(self, rows):
        self.cells = np.array(rows)

    def turned(self):
        return self.cells
"""
TESTS = """import numpy as np
from grids import Grid, mean


def test_mean():
    assert mean([1, 2, 6]) == 3.0


def test_turned():
    assert Grid([[1, 2], [3, 4]]).turned().tolist() == np.array([[1, 3], [2, 4]]).tolist()
"""
ALLOW = ("numpy", "lib/helpers.py")


@pytest.fixture
def file(workspace: Path) -> Path:
    """A file that imports an installed package and a module beside it, and its tests."""
    Path("grids.py").write_text(PROGRAM)
    Path("test_grids.py").write_text(TESTS)
    Path("lib").mkdir()
    Path("lib/helpers.py").write_text("def twice(n):\n    return 2 * n\n")
    return Path("grids.py")


def test_a_file_that_imports_packages_is_repaired_where_they_are_allowed(file: Path) -> None:
    right = (
        "import numpy as np\n\n\nclass Grid:\n    def turned(self):\n        return self.cells.T\n"
    )
    with pytest.raises(CoralError, match=r"import numpy(?s:.*)let packages in by --allow"):
        repair(file, Path("test_grids.py"), "Grid.turned", draw=Scripted())
    with pytest.raises(CoralError, match=r"imports helpers: the jail has .* and numpy"):
        repair(file, Path("test_grids.py"), "mean", allow=["numpy"], draw=Scripted())
    found = repair(file, Path("test_grids.py"), "Grid.turned", allow=ALLOW, draw=Scripted([right]))
    assert found.outcome == "repaired" and [one.function for one in found.left] == ["mean"]
    found = repair(
        file,
        Path("test_grids.py"),
        "mean",
        allow=ALLOW,
        draw=Scripted(["def mean(values):\n    return float(np.mean(values))\n"]),
    )
    assert found.outcome == "repaired"
    found.write()
    assert "+ twice" not in file.read_text()


SCALARS = """import numpy as np


def total(values):
    return np.array(values).sum()


def mean(values):
    return np.mean(values)


def is_positive(value):
    return np.float32(value) > 0


def distinct(values):
    return set(np.unique(values))


def counted(values):
    return {value: values.count(value) for value in np.unique(values)}


def shares(values):
    return list(np.array(values) / sum(values))
"""
SCALARS_TESTS = """import pytest
from scalars import counted, distinct, is_positive, mean, shares, total


def test_total():
    assert total([1, 2]) == 3


def test_order():
    assert 2 < total([1, 2]) < 4 and total([1, 2]) in (3, 4) and total([1]) != 2


def test_mean():
    assert round(mean([1, 1, 2]), 2) == 1.33 and mean([1, 2]) + 1 == 2.5


def test_near():
    assert mean([1, 1, 2]) == pytest.approx(4 / 3) and pytest.approx(4 / 3) == mean([1, 1, 2])
    assert shares([1, 2]) == pytest.approx([1 / 3, 2 / 3])


def test_positive():
    assert is_positive(1) == True and not is_positive(-1)


def test_in_sets_and_dicts():
    assert distinct([1, 2, 1]) == {1, 2}
    assert counted([1, 2, 1]) == {1: 2, 2: 1} and counted([3])[3] == 1


def test_wrong():
    assert total([1, 2]) == 4


def test_wrong_near():
    assert shares([1, 2]) == pytest.approx([0.3, 0.6])
"""


def test_numbers_of_numpy_are_the_numbers_that_they_hold(workspace: Path) -> None:
    Path("scalars.py").write_text(SCALARS)
    Path("test_scalars.py").write_text(SCALARS_TESTS)
    source = read_source(Path("scalars.py"))
    tested = parse_all(source, Path("test_scalars.py"), ["numpy"])
    limits = replace(params.load().verdicts, packages=("numpy",))
    (found,) = failures([source], tested, limits)
    assert {one.test for one in found} == {
        "assert total([1, 2]) == 4",
        "assert shares([1, 2]) == pytest.approx([0.3, 0.6])",
    }


def test_a_folder_may_import_packages_as_well(file: Path) -> None:
    Path("mine").mkdir()
    file.rename("mine/grids.py")
    Path("test_grids.py").rename("mine/test_grids.py")
    (found,) = repair_folder(Path("mine"), draw=Scripted())
    assert not isinstance(found, Repair) and "import numpy" in found.reason
    first, _ = repair_folder(Path("mine"), allow=ALLOW, draw=Scripted([], []))
    assert isinstance(first, Repair) and first.function == "mean"


@pytest.mark.parametrize(
    ("allowed", "words"),
    [
        ("nothing_like_it", "there is no such package"),
        ("lib/nothing.py", "there is no such package"),
        ("lib", "there is no such package"),
        ("os.path", "there is no such package"),
        ("./numpy", "there is no such package"),
        ("again/helpers.py", "two packages have one name"),
    ],
)
def test_a_package_that_there_is_not_is_one_message(
    file: Path, allowed: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("again").mkdir()
    Path("again/helpers.py").write_text("")
    before = file.read_bytes()
    arguments = [file, "--tests", "test_grids.py", "--function", "mean", "--allow", "numpy"]
    assert coral(*arguments, "--allow", "lib/helpers.py", "--allow", allowed) == 2
    shown = capsys.readouterr()
    assert words in shown.err and f"--allow {allowed}" in shown.err
    assert "Traceback" not in shown.err and file.read_bytes() == before


@pytest.mark.parametrize("path", ["./mine", "mine/"])
def test_a_folder_here_is_named_by_a_path(workspace: Path, path: str) -> None:
    Path("mine").mkdir()
    Path("mine/__init__.py").write_text("ONE = 1\n")
    Path("m.py").write_text("import mine\n\n\ndef one():\n    return mine.ONE + 1\n")
    Path("test_m.py").write_text("from m import one\n\n\ndef test_one():\n    assert one() == 1\n")
    draw = Scripted(["def one():\n    return mine.ONE\n"])
    found = repair(Path("m.py"), Path("test_m.py"), allow=[path], draw=draw)
    assert found.outcome == "repaired"


def test_what_a_package_prints_is_not_let_in(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The paths that a package needs are printed by the process that imports it."""
    Path("site").mkdir()
    Path("site/chatty.py").write_text("print()\nprint('/root')\n")
    monkeypatch.syspath_prepend(Path("site").resolve())
    with_package, without = isolation((), ("chatty",)), isolation(())
    assert {*with_package.readable} - {*without.readable} == {PACKAGES}


LOOKS = """import os


def look(folder="/packages"):
    try:
        with open(folder + "/new.py", "w"):
            return "written"
    except OSError as error:
        return sorted(name for name in os.listdir(folder) if name != "__pycache__")
"""
TEST = """import pytest
from look import look


def test_look():
    {}
"""


@pytest.mark.parametrize(
    ("packages", "statement"),
    [
        ((), "with pytest.raises(FileNotFoundError): look()"),
        (("lib/helpers.py",), "assert look() == ['helpers.py']"),
    ],
)
def test_packages_are_read_only_and_nothing_else_of_the_machine_is_there(
    file: Path, packages: tuple[str, ...], statement: str
) -> None:
    program = Program("p", "look", LOOKS, (), TEST.format(statement), {})
    limits = replace(params.load().verdicts, packages=packages)
    ((verdict,),) = judge([program], limits, workers=1)
    assert (verdict.kind, verdict.detail) == ("PASS", "")


def test_without_a_mount_namespace_no_package_is_let_in() -> None:
    assert isolation(()).packages is False
    lowered = pytest.MonkeyPatch()
    with lowered.context() as patch:
        patch.setattr("coral_batch.verdicts.layers._bubblewrap", _missing)
        isolation.cache_clear()
        try:
            with pytest.raises(CoralError, match="no package can be let into the jail"):
                isolation(("seccomp",), ("numpy",))
        finally:
            isolation.cache_clear()


def _missing(*_: object) -> list[str]:
    raise OSError("not here")


def test_no_setting_of_a_run_lets_packages_in(workspace: Path) -> None:
    file = Path("params.yaml")
    file.write_text(file.read_text().replace("verdicts:\n", "verdicts:\n  packages: [numpy]\n"))
    with pytest.raises(CoralError, match="packages"):
        params.load()
