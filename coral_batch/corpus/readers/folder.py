"""Read a folder of Python files with tests: a user's own project.

pytest runs the folder's tests, doctests included, once in the jail. Each function or method
that a test calls becomes a problem with the tests that call it. Tests that fail or are skipped are
left out. ``NAME.buggy.py`` next to ``NAME.py``, or its path in the folder ``buggy``, is the same
file with a bug; without it, the problems have no bug.

The tests stay in the folder: a problem only has its path and the hash of its files.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

from coral_batch.corpus.sources.rows import make_problem
from coral_batch.corpus.sources.views import view
from coral_batch.errors import CoralError
from coral_batch.lake import params
from coral_batch.records.problem import DroppedProblem, Problem, Suite
from coral_batch.verdicts.functions import (
    Definition,
    SourceFile,
    definitions_of,
    is_cached,
    read_source,
    take_docstring,
    why_unfit,
    with_answer,
)
from coral_batch.verdicts.projects import (
    folder_hash,
    import_roots,
    open_project,
    options,
    python_files,
)
from coral_batch.verdicts.suites import Outcome, Ran, Request, called_of, digest

MOST_TESTS = 100
"""Maximum tests of a problem: those that call the fewest functions of the project."""

_BUGGY = "buggy"
_BUGGY_FILE = ".buggy.py"
_TESTS = ("test", "tests")
_NO_PROGRAMS = ("conftest", "setup")


def read(path: Path) -> tuple[list[Problem], list[DroppedProblem]]:
    """Read every function of the folder `path` that a test calls, in the order of the files.

    A problem is called NAME, or NAME_FUNCTION where the tests call several functions of the file.

    Returns:
        The problems, and the tests, functions and programs that are dropped.

    Raises:
        CoralError: there is no such folder, pytest does not run in it, no test passes, or a bug
            cannot be used.
    """
    if not path.is_dir():
        raise CoralError(
            "there is no such folder of programs", file=path, expected="a folder with NAME.py"
        )
    if (path / "__init__.py").exists():
        raise CoralError(
            "the folder is a package",
            file=path,
            expected="the folder that holds the package, from which its tests import it",
        )
    ran = _run(path)
    passed = [one for one in ran.outcomes if one.kind == "PASS"]
    dropped = [
        DroppedProblem(one.id, "skipped" if one.kind is None else "failing", one.detail)
        for one in ran.outcomes
        if one.kind != "PASS"
    ]
    broken = [line.partition(": ") for line in ran.said.splitlines()]
    dropped += [DroppedProblem(name, "failing", why) for name, _, why in broken if why]
    if not passed:
        raise CoralError(
            "no test of the folder passes",
            file=path,
            found="; ".join(f"{one.name}: {one.detail}" for one in dropped[:3]) or "no tests",
            expected="tests that pytest collects, or examples in docstrings",
            action="run pytest on the folder; install missing packages in the environment of"
            " coral-batch",
        )
    bugs = _bugs(path)
    project = _Project(path, ran, _tests_of(passed, path.resolve()), folder_hash(path))
    problems: list[Problem] = []
    for file in programs(path.resolve(), ran.files):
        if file.is_relative_to(path.resolve() / _BUGGY):
            continue
        name = file.relative_to(path.resolve()).as_posix()
        for made in project.read(file, name, bugs.pop(name, None)):
            if not isinstance(made, Problem):
                dropped.append(made)
            elif any(made.name == one.name for one in problems):
                why = f"of {name}; another problem has this name"
                dropped.append(DroppedProblem(made.name, "untestable", why))
            else:
                problems.append(made)
    for name, file in bugs.items():
        raise CoralError("a buggy file without its program", file=file, expected=name)
    if not problems:
        raise CoralError(
            "no test of the folder calls a function that can be a problem",
            file=path,
            found="; ".join(f"{one.name}: {one.detail}" for one in dropped) or "no programs",
            expected="tests that import NAME.py of this folder",
        )
    return problems, dropped


def programs(folder: Path, tests: AbstractSet[str]) -> list[Path]:
    """Return the programs of a folder: the files that are not named like tests.

    Those with `test` anywhere in their name count as tests if they have any.

    Args:
        folder: the folder.
        tests: resolved paths of files with tests.
    """
    return [
        file
        for file in python_files(folder)
        if "." not in file.stem
        and not ("test" in file.stem and str(file.resolve()) in tests)
        and not file.stem.startswith("test_")
        and not file.stem.endswith("_test")
        and file.stem not in _NO_PROGRAMS
        and not {*_TESTS} & {*file.relative_to(folder).parts[:-1]}
    ]


def _run(path: Path) -> Ran:
    """Run all tests of a folder once, and record which functions each calls."""
    root = path.resolve()
    left_out = (f"--ignore-glob=*{_BUGGY_FILE}", f"--ignore={root / _BUGGY}")
    arguments = (*options(root), *left_out)
    with open_project(path, params.load().verdicts) as jail:
        ran = jail.run(Request(root, import_roots(root), arguments, watch=True), None)
    if ran.collected is None:
        raise CoralError(
            "pytest does not run in the folder",
            file=path,
            found=ran.said,
            action="run pytest there, and fix what it reports",
        )
    return ran


def _tests_of(passed: Sequence[Outcome], root: Path) -> dict[tuple[str, str], list[str]]:
    """Return file and function -> the tests that call it, in pytest's order."""
    calls = {one.id: called_of(one) for one in passed}
    found: dict[tuple[str, str], list[str]] = {}
    for test in sorted(calls, key=lambda test: len(calls[test])):  # stable: else pytest's order
        for file, function in calls[test]:
            if Path(file).is_relative_to(root):
                name = Path(file).relative_to(root).as_posix()
                found.setdefault((name, function), []).append(test)
    order = {one.id: number for number, one in enumerate(passed)}
    return {key: sorted(tests[:MOST_TESTS], key=order.__getitem__) for key, tests in found.items()}


@dataclass(frozen=True)
class _Project:
    """A folder and the results of its tests.

    Attributes:
        path: the folder, as params.yaml names it.
        ran: the outcomes of its tests.
        tests: file and function -> the tests that call it.
        sha256: the hash of its files.
    """

    path: Path
    ran: Ran
    tests: Mapping[tuple[str, str], Sequence[str]]
    sha256: str

    def read(self, file: Path, name: str, bug: Path | None) -> Iterator[Problem | DroppedProblem]:
        """Make the problems of one file."""
        called = {function: tests for (one, function), tests in self.tests.items() if one == name}
        try:
            source = read_source(file)
        except CoralError as error:
            yield DroppedProblem(name, "unparseable", str(error))
            return
        nodes = {one: definitions_of(source.tree, one) for one in called}
        tested = [one for one, found in nodes.items() if _is_function(found)]
        tested.sort(key=lambda one: nodes[one][0].lineno)
        if not tested:
            yield DroppedProblem(
                name, "untested", "no passing test calls a def at its top level or in its classes"
            )
            return
        broken = source if bug is None else read_source(bug)
        changed = [one for one in tested if _dump(broken, one) not in ([], _dump(source, one))]
        for function in changed:
            if why := why_unfit(definitions_of(broken.tree, function)):
                raise CoralError(
                    "a buggy file cannot be used",
                    file=bug,
                    field=function,
                    found=why,
                    expected="exactly one def",
                )
        if bug is not None and not changed:
            raise CoralError(
                "a buggy file changes no tested function",
                file=bug,
                found=f"no change in {', '.join(tested)}",
                action="see docs/corpora.md",
            )
        stem = Path(name).with_suffix("").as_posix()
        for function in tested:
            called_so = stem if len(tested) == 1 else f"{stem}_{function}"
            called_so = re.sub(r"[^A-Za-z0-9_]|^(?=[0-9])", "_", called_so)
            if why := why_unfit(nodes[function]):
                yield DroppedProblem(called_so, "untestable", why)
                continue
            try:
                reference, docstring = view(source, function, helpers=True)
                placed = with_answer(source, function, reference)
                if placed is None or _trimmed(placed.text) != _trimmed(source.text):
                    raise CoralError("the function cannot be put back into its file")
                buggy = view(broken, function, helpers=True)[0] if function in changed else None
            except (CoralError, ValueError) as error:
                yield DroppedProblem(called_so, "untestable", str(error))
                continue
            tests = tuple(self._and_hidden(source, function, called[function]))
            together = digest(self.ran.collected or (), tests)
            yield make_problem(
                called_so,
                function,
                reference,
                buggy=buggy,
                docstring=docstring,
                tests=Suite(str(self.path), name, tests, together, self.sha256),
            )

    def _and_hidden(self, source: SourceFile, function: str, tests: Sequence[str]) -> list[str]:
        """Add the tests in which a cache may have hidden a call."""
        if not is_cached(source, function):
            return list(tests)
        files = {test.partition("::")[0] for test in tests}
        others = [one.id for one in self.ran.outcomes if one.kind == "PASS" and one.id not in tests]
        hidden = [test for test in others if test.partition("::")[0] in files]
        return [*tests, *hidden][:MOST_TESTS]


def _bugs(path: Path) -> dict[str, Path]:
    """Return program, relative to the folder -> its buggy file."""
    beside = {
        file.relative_to(path).as_posix().removesuffix(_BUGGY_FILE) + ".py": file
        for file in python_files(path)
        if file.name.endswith(_BUGGY_FILE)
    }
    folder = path / _BUGGY
    inside = {file.relative_to(folder).as_posix(): file for file in python_files(folder)}
    for name in sorted(beside.keys() & inside.keys()):
        raise CoralError(
            "a program has two buggy files",
            file=beside[name],
            found=str(inside[name].relative_to(path)),
            expected="one of the two files",
        )
    return {**beside, **inside}


def _is_function(found: Sequence[Definition]) -> bool:
    return bool(found) and not isinstance(found[0], ast.ClassDef)


def _trimmed(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]


def _dump(source: SourceFile, function: str) -> list[str]:
    text, _ = take_docstring(source.text, function)
    return list(map(ast.dump, definitions_of(SourceFile(source.file, text).tree, function)))
