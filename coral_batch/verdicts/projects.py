"""Programs judged by the tests of their project; see `coral_batch.verdicts.suites`.

A program is one function of one file of the project. What is judged is a definition of it, put in
the place of that in the file.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from coral_batch.errors import CoralError
from coral_batch.records.problem import Suite
from coral_batch.records.settings import Verdicts
from coral_batch.records.verdict import Program, Verdict
from coral_batch.verdicts.functions import SourceFile, read_source, with_answer
from coral_batch.verdicts.suites import (
    LOSSES,
    ProjectJail,
    Request,
    import_root,
    project_of,
    settled,
)

_LEFT_OUT = ("roles.jsonl",)
"""Files of a source that say something of its problems and nothing to them."""

DOCTESTS = "--doctest-modules"


def open_project(root: Path, settings: Verdicts) -> ProjectJail:
    """Return the jail of a project whose folder holds all of it.

    Raises:
        CoralError: a required layer of isolation is missing.
    """
    root = root.resolve()
    return ProjectJail(project_of([root], root, python_files(root)), settings)


def compile_project(jail: ProjectJail, root: Path) -> None:
    """Let pytest collect a project as it is, so that no candidate has to compile it again."""
    root = root.resolve()
    jail.run(Request(root, root, (*options(root), "--collect-only", str(root))), None)


def options(root: Path) -> tuple[str, ...]:
    """Return pytest's options for a project's folder, whichever of its files are run."""
    settings = settings_of(root) or os.devnull
    return (DOCTESTS, f"--rootdir={root}", f"--confcutdir={root}", "-c", str(settings))


_SETTINGS = (
    *("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini"),
    *("pyproject.toml", "tox.ini", "setup.cfg"),
)
"""Where pytest's settings may be, in its order."""


def settings_of(folder: Path) -> Path | None:
    """Return the file of a folder that has settings of pytest's; None if none has."""
    return next((folder / name for name in _SETTINGS if _is_settings(folder / name)), None)


def _is_settings(file: Path) -> bool:
    if not file.is_file():
        return False
    # Imported here: neither --help nor a corpus without projects waits for pytest.
    import pytest  # noqa: PLC0415
    from _pytest.config.findpaths import load_config_dict_from_file  # noqa: PLC0415

    try:
        return load_config_dict_from_file(file) is not None
    except pytest.UsageError:  # pytest will say what is wrong with it
        return True


def judge_project(jail: ProjectJail, program: Program, suite: Suite) -> dict[int, Verdict]:
    """Judge a function by the tests of its project.

    Args:
        jail: the project's.
        program: the function.
        suite: the tests.

    Returns:
        Test number -> verdict.

    Raises:
        CoralError: the function's file cannot be read.
        JailError: the jail or the machine failed.
    """
    root = Path(suite.root).resolve()
    file = root / suite.file
    source = _source(file, file.stat().st_mtime_ns if file.exists() else 0)
    placed = with_answer(source, program.function, program.code)
    if placed is None:
        why = f"no Python, or no def {program.function}"
        return {
            number: Verdict(number, test, "UNPARSEABLE", why, 0.0, 0.0)
            for number, test in enumerate(suite.tests)
        }
    request = Request(
        file,
        import_root(file),
        (*options(root), str(root)),
        files=tuple({str(root / test.partition("::")[0]): None for test in suite.tests}),
        only=suite.tests,
        lines=program.lines,
    )
    # With the lines counted a single test that does not end says that this is no bug.
    ran = jail.run(request, placed.content.decode(), losses=1 if program.lines else LOSSES)
    return {
        number: Verdict(number, one.id, one.kind, one.detail, one.cpu_seconds, one.wall_seconds)
        for number, one in enumerate(settled(ran, suite.tests, suite.collected))
        if one.kind is not None
    }


@lru_cache(maxsize=8)
def _source(file: Path, _changed_at: int) -> SourceFile:
    """Return a file that thousands of candidates are placed in, parsed once."""
    return read_source(file)


def check_unchanged(suites: Iterable[Suite]) -> None:
    """Check that projects are still what their problems were made of.

    Raises:
        CoralError: one is not.
    """
    for root, sha256 in sorted({(suite.root, suite.sha256) for suite in suites}):
        if folder_hash(Path(root)) != sha256:
            raise CoralError(
                "the project has changed since its problems were read",
                file=root,
                action="run `dvc repro`, which reads it again",
            )


def folder_hash(root: Path) -> str:
    """Return the SHA-256 of a project's files, by their names and contents."""
    whole = hashlib.sha256()
    for file in project_files(root):
        if file.name not in _LEFT_OUT:
            name = file.relative_to(root).as_posix()
            whole.update(f"{hashlib.sha256(file.read_bytes()).hexdigest()} {name}\n".encode())
    return whole.hexdigest()


def python_files(root: Path) -> list[Path]:
    """Return the Python files of a project."""
    return [file for file in project_files(root) if file.suffix == ".py"]


def project_files(root: Path) -> list[Path]:
    """Return the files of a project, sorted by path.

    What is hidden is left out, and so are links, compiled modules and virtual environments.
    """
    found: list[Path] = []
    for folder, folders, files in os.walk(root):
        here = Path(folder)
        folders[:] = [
            name
            for name in folders
            if _is_shown(name) and not (here / name / "pyvenv.cfg").exists()
        ]
        found += [here / name for name in files if _is_shown(name)]
    return sorted(file for file in found if file.is_file() and not file.is_symlink())


def _is_shown(name: str) -> bool:
    return not name.startswith(".") and name != "__pycache__"
