"""Which room may import which, and what stands in none: the house that CONTRIBUTING draws."""

import ast

import pytest

from tests import REPOSITORY
from tests.fresh import output_of
from tests.house import FLOORS, INSIDE, arrows, closure, drawing, files, imports, room

FLOOR = {name: number for number, rooms in enumerate(FLOORS) for name in rooms}
PACKAGES = sorted(
    path.name for path in (REPOSITORY / "coral_batch").iterdir() if (path / "__init__.py").is_file()
)


def test_no_arrow_runs_up_or_along_a_floor() -> None:
    wrong = [
        f"{one} -> {other}"
        for one, others in arrows().items()
        for other in others
        if FLOOR[other] >= FLOOR[one]
    ]
    assert wrong == []


def test_the_house_is_no_larger_than_it_was_drawn() -> None:
    assert len(PACKAGES) <= 15
    assert len(FLOORS) <= 10
    loose = {path.stem for path in (REPOSITORY / "coral_batch").glob("*.py")}
    assert loose == {"__init__", "errors", "seeding"}
    assert {*PACKAGES, "stages", "errors", "seeding", INSIDE} == FLOOR.keys()


def test_no_two_parts_of_a_room_import_each_other() -> None:
    """A part is a folder that stages depend on by itself, such as models/base."""
    nested = sorted({file.rsplit("/", 1)[0] for file in files() if file.count("/") > 2})
    known = {
        part: {
            other.rsplit("/", 1)[0]
            for file in files()
            if file.startswith(f"{part}/")
            for other in closure(file)
        }
        for part in nested
    }
    circles = [
        (one, other)
        for one in nested
        for other in known[one] & set(nested)
        if other != one and one in known[other] and not one.startswith(f"{other}/")
    ]
    assert circles == []


def test_files_do_not_import_in_circles() -> None:
    for file in files():
        around = {other for one in imports(file) for other in closure(one)}
        assert file not in around or file.endswith("__init__.py"), file


@pytest.mark.parametrize(
    ("rooms", "packages"),
    [
        # torch takes seconds to import: what scores, shows or prints help does without.
        (set(FLOOR) - {"models", "linteval", "stages", "commands"}, {"torch", "peft"}),
        ({"search", "objectives", "evidence", "records"}, {"os", "io", "shutil", "subprocess"}),
    ],
)
def test_heavy_packages_and_the_file_system_stay_where_they_belong(
    rooms: set[str], packages: set[str]
) -> None:
    for file in files():
        if room(file) not in rooms:
            continue
        for node in ast.walk(ast.parse((REPOSITORY / file).read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {name.split(".")[0] for name in names} & packages, file


def test_importing_the_package_does_nothing() -> None:
    code = (
        "import os, sys; before = dict(os.environ), set(sys.modules)\n"
        "import coral_batch\n"
        "assert (dict(os.environ), set(sys.modules) - {'coral_batch'}) == before\n"
    )
    output_of(code)


def test_contributing_shows_every_package_and_module_that_there_is_and_no_other() -> None:
    tree = (REPOSITORY / "CONTRIBUTING.md").read_text().split("```")[1]
    shown: set[str] = set()
    above = ""
    for line in tree.split("\ncoral_batch/\n")[1].splitlines():
        name, depth = line.split()[0].rstrip("/"), len(line) - len(line.lstrip())
        if depth == 0:
            break
        above = name if depth == 2 else above
        shown.add(name if depth == 2 else f"{above}/{name}")
    code = REPOSITORY / "coral_batch"
    packages = {file.parent.relative_to(code).as_posix() for file in code.rglob("__init__.py")}
    assert shown == (packages - {"."}) | {"errors.py", "seeding.py"}


def test_the_house_can_be_printed() -> None:
    assert len(drawing().splitlines()) == len(FLOOR)
