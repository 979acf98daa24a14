"""Which package imports which: ``python -m tests.house`` prints it, floor by floor.

A room is a package at the top of `coral_batch`; `stages` is one as well. Its parts are the modules
and the packages in it.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests import REPOSITORY

# From the ground up: a room imports rooms of lower floors alone.
INSIDE = "verdicts/inside"
"""What runs inside the jail: a room of its own, of the standard library and pytest alone."""

KINDS = ("coral_batch/corpus/readers",)
"""Folders whose packages import every module in them by name."""

FLOORS = (
    ("errors", "records", "seeding", INSIDE),
    ("evidence", "lake", "objectives"),
    ("search", "work"),
    ("linting", "verdicts"),
    ("corpus",),
    ("models",),
    ("linteval", "repair", "report"),
    ("stages",),
    ("audit",),
    ("commands",),
)


def files() -> Iterator[str]:
    """Yield every file of the code, seen from the repository."""
    for folder in ("coral_batch", "stages"):
        for file in sorted((REPOSITORY / folder).rglob("*.py")):
            yield file.relative_to(REPOSITORY).as_posix()


@cache
def _file_of(module: str) -> str | None:
    """Return the file of a module of this repository; None of any other."""
    path = module.replace(".", "/")
    for candidate in (f"{path}.py", f"{path}/__init__.py"):
        if path.startswith(("coral_batch", "stages")) and (REPOSITORY / candidate).is_file():
            return candidate
    return None


@cache
def imports(file: str) -> frozenset[str]:
    """Return the files of this repository that a file imports, at any depth of its code."""
    found: set[str] = set()
    for node in ast.walk(ast.parse((REPOSITORY / file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            base = Path(file).parents[node.level - 1].as_posix() if node.level else ""
            module = f"{base.replace('/', '.')}.{node.module or ''}".strip(".")
            # A name is a module of the package, or stands in the package itself.
            names = [
                name if _file_of(name := f"{module}.{alias.name}") else module
                for alias in node.names
            ]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        found |= {other for name in names if (other := _file_of(name))}
    folder = file.removesuffix("/__init__.py")
    if folder in KINDS:
        found |= {other for other in files() if other.startswith(f"{folder}/")}
    return frozenset(found - {file})


@cache
def closure(file: str, without: tuple[str, ...] = ()) -> frozenset[str]:
    """Return the files that run when `file` does, those below the paths in `without` left out."""
    found: set[str] = set()
    waiting = [file]
    while waiting:
        current = waiting.pop()
        if current in found or current.startswith(without or ("//",)):
            continue
        found.add(current)
        waiting += imports(current)
    return frozenset(found)


def room(file: str) -> str:
    """Return the room of a file; of the package itself ``coral_batch``."""
    if file.startswith(f"coral_batch/{INSIDE}/"):
        return INSIDE
    first, *rest = Path(file).with_suffix("").parts
    return first if first == "stages" or rest == ["__init__"] else rest[0]


def arrows() -> dict[str, set[str]]:
    """Return room -> the rooms that it imports."""
    found: dict[str, set[str]] = {}
    for file in files():
        if room(file) == "coral_batch":  # the door, which imports nothing until it is asked
            continue
        for other in imports(file):
            if room(other) not in (room(file), "coral_batch"):
                found.setdefault(room(file), set()).add(room(other))
    return found


def lines(name: str) -> int:
    """Return how many lines a room has."""
    return sum(
        len((REPOSITORY / file).read_text(encoding="utf-8").splitlines())
        for file in files()
        if room(file) == name
    )


def drawing() -> str:
    """Return the house as text, the top floor first."""
    known = arrows()
    found = []
    for number, rooms in reversed(list(enumerate(FLOORS, start=1))):
        for name in rooms:
            below = ", ".join(sorted(known.get(name, ()))) or "nothing"
            found.append(f"{number}  {name:<11}{lines(name):>6} lines  imports {below}")
    return "\n".join(found)


if __name__ == "__main__":
    print(drawing())
