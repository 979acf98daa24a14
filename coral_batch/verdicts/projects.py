"""Judge programs by the tests of their project; see `coral_batch.verdicts.suites`.

A program is one function of one file of the project. Its definition replaces the one in the file.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from coral_batch.errors import CoralError
from coral_batch.lake.hashes import file_sha256
from coral_batch.records.problem import Suite
from coral_batch.records.settings import Verdicts
from coral_batch.records.verdict import Program, Verdict
from coral_batch.verdicts.functions import SourceFile, read_source, with_answer
from coral_batch.verdicts.layout import package_roots, project_of, shadows
from coral_batch.verdicts.suites import LOSSES, ProjectJail, Request, settled

_LEFT_OUT = ("roles.jsonl",)
"""Files of a source with information about its problems, which the tests do not use."""

DOCTESTS = "--doctest-modules"

_ENVIRONMENT = ("pyvenv.cfg", "conda-meta/history")
"""Files that mark a virtual environment, as for pytest."""


def open_project(root: Path, settings: Verdicts) -> ProjectJail:
    """Return the jail of a project in a single folder.

    Raises:
        CoralError: a required layer of isolation is missing.
    """
    root = root.resolve()
    return ProjectJail(project_of([root], root, python_files(root)), settings)


def compile_project(jail: ProjectJail, root: Path) -> None:
    """Let pytest collect the original project, so that candidates need not recompile it."""
    root = root.resolve()
    jail.run(Request(root, (root,), (*options(root), "--collect-only")), None, losses=1)


def import_roots(root: Path) -> tuple[Path, ...]:
    """Return the folders from which a project's programs are imported."""
    source = [root / "src"] if (root / "src").is_dir() else []
    packages = [one for one in package_roots(python_files(root)) if not shadows(one, root)]
    return (root, *source, *packages)


def options(root: Path) -> tuple[str, ...]:
    """Return pytest's options for a project's folder."""
    settings = settings_of(root) or os.devnull
    return (DOCTESTS, f"--rootdir={root}", f"--confcutdir={root}", "-c", str(settings))


_SETTINGS = (
    *("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini"),
    *("pyproject.toml", "tox.ini", "setup.cfg"),
)
"""Files that may hold pytest's settings, in its order."""


def settings_of(folder: Path) -> Path | None:
    """Return the file with pytest's settings in a folder; None if there is none."""
    return next((folder / name for name in _SETTINGS if _is_settings(folder / name)), None)


def _is_settings(file: Path) -> bool:
    if not file.is_file():
        return False
    # Imported here, so that --help and a corpus without projects need not load pytest.
    import pytest  # noqa: PLC0415
    from _pytest.config.findpaths import load_config_dict_from_file  # noqa: PLC0415

    try:
        return load_config_dict_from_file(file) is not None
    except (pytest.UsageError, pytest.fail.Exception, ValueError):  # pytest will report the error
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
        why = f"not valid Python, or no def {program.function}"
        return {
            number: Verdict(number, test, "UNPARSEABLE", why, 0.0, 0.0)
            for number, test in enumerate(suite.tests)
        }
    roots, chosen = _read_once(root)
    request = Request(
        file,
        roots,
        chosen,
        files=tuple({str(root / test.partition("::")[0]): None for test in suite.tests}),
        only=suite.tests,
        lines=program.lines,
    )
    # With counted lines, a single test that does not end shows that this is not a valid bug.
    ran = jail.run(request, placed.content.decode(), losses=1 if program.lines else LOSSES)
    return {
        number: Verdict(number, one.id, one.kind, one.detail, one.cpu_seconds, one.wall_seconds)
        for number, one in enumerate(settled(ran, suite.tests, suite.collected))
        if one.kind is not None
    }


@lru_cache(maxsize=8)
def _read_once(root: Path) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """Return a project's import roots and options, the same for thousands of candidates."""
    return import_roots(root), options(root)


@lru_cache(maxsize=8)
def _source(file: Path, _changed_at: int) -> SourceFile:
    """Return a file, parsed once for thousands of candidates."""
    return read_source(file)


def check_unchanged(suites: Iterable[Suite]) -> None:
    """Check that projects are unchanged since their problems were read.

    Raises:
        CoralError: a project has changed.
    """
    for root, sha256 in sorted({(suite.root, suite.sha256) for suite in suites}):
        if folder_hash(Path(root)) != sha256:
            raise CoralError(
                "the project has changed since its problems were read",
                file=root,
                action="run `dvc repro` to read it again",
            )


def folder_hash(root: Path) -> str:
    """Return the SHA-256 of a project's file names and contents."""
    whole = hashlib.sha256()
    for file in project_files(root):
        if file.name not in _LEFT_OUT:
            name = file.relative_to(root).as_posix()
            whole.update(f"{file_sha256(file)} {name}\n".encode())
    return whole.hexdigest()


def python_files(root: Path) -> list[Path]:
    """Return the Python files of a project."""
    return [file for file in project_files(root) if file.suffix == ".py"]


def project_files(root: Path) -> list[Path]:
    """Return the files of a project, sorted by path.

    Hidden files, links, compiled modules, virtual environments and setuptools' copies in `build`
    are left out.
    """
    found: list[Path] = []
    for folder, folders, files in os.walk(root):
        here = Path(folder)
        folders[:] = [
            name
            for name in folders
            # Unlike Path.exists, it is False in a folder that may not be entered.
            if _is_shown(name)
            and not any(os.path.exists(here / name / mark) for mark in _ENVIRONMENT)  # noqa: PTH110
            and not (name == "build" and os.path.isdir(here / name / "lib"))  # noqa: PTH112
        ]
        found += [here / name for name in files if _is_shown(name)]
    return sorted(file for file in found if file.is_file() and not file.is_symlink())


def _is_shown(name: str) -> bool:
    return not name.startswith(".") and name != "__pycache__"
