"""Read the source of CodeLinterEval items that params.yaml names, and build the data set.

Programs come from the bundled snippets, MBPP or any folder; an official data set is used unchanged.
Nothing is run here.
"""

from __future__ import annotations

from pathlib import Path

from coral_batch.corpus.readers import quixbugs
from coral_batch.corpus.readers.mbpp import examine, schema_of
from coral_batch.corpus.sources.rows import Lost, read_rows, read_text
from coral_batch.corpus.testcode.asserts import test_file
from coral_batch.corpus.testcode.crossing import check_crossing
from coral_batch.errors import CoralError, reading
from coral_batch.linteval.items.build import build
from coral_batch.linteval.items.item import instructions
from coral_batch.linteval.items.mutants import mutants
from coral_batch.linteval.items.official import read_codelintereval, read_prompts
from coral_batch.linteval.scores.tables import Judge
from coral_batch.records.items import Candidate, DataSet, Dropped, ItemTests
from coral_batch.records.settings import Params
from coral_batch.verdicts.projects import python_files

ITEMS = 2
"""Items per bundled program."""


def make(settings: Params, judge: Judge) -> DataSet:
    """Build the data set, or read an official one.

    Args:
        settings: linteval, seed, and compute for the number of processes that lint.
        judge: runs programs on their tests.

    Raises:
        CoralError: the source cannot be read, or no program can become an item.
    """
    lint = settings.linteval
    path = Path(lint.path)
    with reading(path):
        if lint.source == "official":
            items = tuple(read_codelintereval(path))  # unchanged: their own ids and feedback
            return DataSet(items, tuple(ItemTests(item.meta.id, path.name) for item in items), ())
        dropped: list[Dropped] = []
        if lint.source == "snippets":
            snippets, dropped = read_snippets(path)
            candidates = mutants(snippets, ITEMS, settings.seed)
        else:
            candidates, dropped = (read_mbpp if lint.source == "mbpp" else read_folder)(path)
    prompts = instructions(lint.language)
    if lint.prompts is not None:
        prompts = read_prompts(Path(lint.prompts))
    return build(candidates, prompts, judge, settings.compute.workers, dropped)


def read_snippets(folder: Path) -> tuple[list[Candidate], list[Dropped]]:
    """Read the bundled snippets, small clean programs with JSON cases, sorted by name.

    Returns:
        The programs, and those whose tests may need a module of the corpus.

    Raises:
        CoralError: as in `coral_batch.corpus.readers.quixbugs.read`.
    """
    problems, _ = quixbugs.read(folder)
    why = f"its tests may need {quixbugs.SUPPORT}.py, which items do not have"
    dropped = [Dropped(one.name, "untestable", why) for one in problems if one.support]
    candidates = [
        Candidate(
            one.name,
            one.reference,
            function=one.function,
            cases=one.cases,
            tests=one.tests if isinstance(one.tests, str) else None,
        )
        for one in problems
        if not one.support
    ]
    return candidates, dropped


def read_mbpp(file: Path) -> tuple[list[Candidate], list[Dropped]]:
    """Read every task of MBPP, in the file's order.

    The asserts of a task become a test file with one function each. The tests call the function
    under test from another process.

    Returns:
        The programs with their tests, and those that do not parse or whose tests the jail cannot
        run.

    Raises:
        CoralError: the file is empty, a line is not JSON, a row is in neither form of MBPP, or a
            task id comes twice.
    """
    candidates, dropped = [], []
    for _, row in read_rows(file, schema_of):
        source = f"mbpp {row['task_id']}"
        try:
            task = examine(row)
            statements = (statement for test in task.tests for statement in test)
            check_crossing({task.function}, [*task.setup, *statements])
            tests = test_file(task.function, task.tests, task.setup)
            candidates.append(Candidate(source, task.code, function=task.function, tests=tests))
        except Lost as lost:
            reason = "unparseable" if lost.reason == "unparseable" else "untestable"
            dropped.append(Dropped(source, reason, lost.detail))
    return candidates, dropped


def read_folder(folder: Path) -> tuple[list[Candidate], list[Dropped]]:
    """Read the Python files of any folder, as programs without tests, sorted by path.

    Every ``*.py`` file is read, at any depth, except hidden files, links, virtual environments and
    empty files.

    Returns:
        The programs, and the files that cannot be read.

    Raises:
        CoralError: there is no such folder, or it has no Python file.
    """
    files = python_files(folder) if folder.is_dir() else []
    if not files:
        raise CoralError(
            "no Python file in the folder",
            file=folder,
            expected="a folder with files named *.py",
            action="set linteval.path in params.yaml to one",
        )
    candidates, dropped = [], []
    for file in files:
        source = file.relative_to(folder).as_posix()
        try:
            code = read_text(file)
            if code.strip():
                candidates.append(Candidate(source, code))
        except CoralError as error:
            dropped.append(Dropped(source, "unparseable", " ".join(str(error).split())))
    return candidates, dropped
