"""The programs of a folder, each failing function of each repaired by itself.

A program is ``NAME.py`` at any depth. Its tests are ``test_NAME.py`` or ``NAME_test.py``, at any
depth of the folder or of another one for tests; without such a file, its docstrings' examples.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from coral_batch.commands.repair.checks import WHOLE, Failure, check_tested, failures_of, parse_all
from coral_batch.commands.repair.repairing import Draw, Repair, Search, allowing, loaded_at_need
from coral_batch.commands.repair.source import check_function, problem_of, read_source
from coral_batch.corpus.readers.folder import is_program, tested_by
from coral_batch.errors import CoralError, TooLong
from coral_batch.lake import params
from coral_batch.verdicts.packages import name_of


@dataclass(frozen=True)
class Untried:
    """A program, or a function of it, that could not be tried.

    Attributes:
        file: the program.
        function: the function; empty where it is the program.
        reason: why, as an error says it.
    """

    file: Path
    function: str
    reason: str


def repair_folder(
    folder: Path | str,
    tests: Path | str | None = None,
    *,
    model: str = "best",
    samples: int = 16,
    rounds: int = 2,
    smallest: bool = False,
    replace: bool = False,
    allow: Sequence[str] = (),
    draw: Draw | None = None,
) -> Iterator[Repair | Untried]:
    """Try to repair every function of a folder that fails its tests, one after the other.

    Args:
        folder: the folder; what is hidden in it is left out, and so are programs without tests.
        tests: the folder with the test files; None for `folder`.
        model: ``base``, ``best``, GENERATION/GENOME or a PEFT folder; loaded once.
        samples: changes to draw a round, >= 1.
        rounds: rounds, >= 1; from the second on, the best attempt is shown with a test it fails.
        smallest: take the smallest edit of those that repair, instead of the likeliest.
        replace: write each repair as it is found; the next function is tried in what it left.
        allow: packages that programs and tests may import, by name or path.
        draw: what draws, in the place of `model`.

    Yields:
        What came of each function that fails, and once of a program that passes.

    Raises:
        CoralError: there is no such folder, no program in it has tests, the model cannot be used,
            `samples` or `rounds` is less than 1, or `draw` gives no texts.
    """
    folder = Path(folder)
    tests = Path(tests or folder)
    for path in (folder, tests):
        if not path.is_dir():
            problem = "this is no folder" if path.exists() else "there is no such folder"
            raise CoralError(
                problem, file=path, expected="the folder of programs, or that of their tests"
            )
    settings = allowing(params.load(), allow)
    draw = draw or loaded_at_need(model, settings)
    search = Search(settings, samples, rounds, smallest, draw)
    seen = False
    for file, found in _programs(folder, tests):
        for one in _repairs(file, found, search, replace):
            seen = True
            yield one
    if not seen:
        raise CoralError(
            "no program of the folder has tests",
            file=folder,
            expected="NAME.py with test_NAME.py or NAME_test.py, or examples in docstrings",
        )


def _programs(folder: Path, tests: Path) -> Iterator[tuple[Path, dict[Path, list[Path]]]]:
    """Yield every program, sorted by path, and its test files with the programs that each is of."""
    files = [(file, tested_by(file)) for file in _files(tests)]
    programs = [file for file in _files(folder) if is_program(file)]
    for file in programs:
        named = [one for one in programs if one.stem == file.stem]
        of = {one: _tested(one, named) for one, name in files if name == file.stem}
        yield file, {one: tested for one, tested in of.items() if file in tested}


def _tested(tests: Path, programs: list[Path]) -> list[Path]:
    """Return those of several programs of one name that a test file imports; all if it says none.

    A path such as ``from a.utils import f`` says which; without one it is its neighbour.
    """
    if len(programs) == 1:
        return programs
    try:
        tree = ast.parse(tests.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return programs
    modules = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            modules.add(tuple((node.module or "").split(".")))
        elif isinstance(node, ast.Import):
            modules.update(tuple(alias.name.split(".")) for alias in node.names)
    found = [
        program
        for program in programs
        for path in modules
        if program.with_suffix("").parts[-len(path) :] == path
        and (len(path) > 1 or program.parent == tests.parent)
    ]
    return found or programs


def _files(folder: Path) -> list[Path]:
    """Return the Python files of a folder, less those of virtual environments and hidden ones."""
    environments = {file.parent for file in folder.rglob("pyvenv.cfg")}
    return [
        file
        for file in sorted(folder.rglob("*.py"))
        if not any(part.startswith(".") for part in file.relative_to(folder).parts)
        and environments.isdisjoint(file.parents)
    ]


def _repairs(
    file: Path, tests: Mapping[Path, list[Path]], search: Search, replace: bool
) -> Iterator[Repair | Untried]:
    try:
        if len(tests) > 1:
            raise CoralError("several test files", found=[str(one) for one in tests])
        if tests and len(shared := next(iter(tests.values()))) > 1:
            raise CoralError(
                "its tests are those of several programs",
                file=next(iter(tests)),
                found=[str(one) for one in shared],
                expected="an import that says which, such as from package.module import function",
            )
        source = read_source(file)
        packages = list(map(name_of, search.settings.verdicts.packages))
        tested = parse_all(source, next(iter(tests), None), packages)
        if not tested:
            return
        check_tested(source, tested, packages)
        failed: Sequence[Failure] = failures_of(source, tested, search.settings.verdicts)
    except CoralError as error:
        yield Untried(file, "", str(error))
        return
    if not failed:
        yield search.run(source, "", tested, failed)
    for name in dict.fromkeys(one.function for one in failed):
        if name not in {one.function for one in failed}:
            continue  # repaired with another that it calls
        if name == WHOLE:
            what = "tests of a class, or of several functions at once, fail"
            yield Untried(file, "", f"{what}: name the one to repair (coral repair {file} ...)")
            continue
        try:
            check_function(source, name)
            problem_of(source, name)
        except CoralError as error:
            yield Untried(file, name, str(error))
            continue
        try:
            found = search.run(source, name, tested, failed)
        except TooLong as error:
            yield Untried(file, name, str(error))
            continue
        if replace and found.outcome == "repaired":
            try:
                found.write()
            except CoralError as error:
                yield Untried(file, name, str(error))
                return
            source, failed = found.best, found.left
        yield found
