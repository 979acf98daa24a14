"""Make candidates of the tasks of MBPP.

The asserts of a task become a test file with one function each, in the form that the jail judges:
the function under test is called from outside its process. Tasks whose tests have no such form are
handed back as dropped. Nothing is run here.
"""

from __future__ import annotations

from pathlib import Path

from coral_batch.corpus.readers.mbpp import Task, examine, read_tasks
from coral_batch.corpus.sources.rows import Lost
from coral_batch.corpus.testcode.asserts import numbered, test_file
from coral_batch.corpus.testcode.crossing import check_crossing
from coral_batch.linteval.items.limits import check_text
from coral_batch.records.items import Candidate, Dropped, Reason


def read_mbpp(file: Path) -> tuple[list[Candidate], list[Dropped]]:
    """Read every task, in the file's order.

    Returns:
        The programs with their tests, and those that do not parse or whose tests the jail cannot
        run.

    Raises:
        CoralError: the file is empty, a line is not JSON, a row is in neither form of MBPP or holds
            text that no program can (see `check_text`), or a task id comes twice.
    """
    candidates, dropped = [], []
    for task in read_tasks(file):
        check_text(task.code, file, f"{task.place}, code")
        for test in (task.setup, *task.tests):
            check_text(test, file, f"{task.place}, tests")
        found = _candidate(task)
        if isinstance(found, Candidate):
            candidates.append(found)
        else:
            dropped.append(found)
    return candidates, dropped


def _candidate(task: Task) -> Candidate | Dropped:
    source = f"mbpp {task.id}"
    try:
        found = examine(task)
        statements = (statement for test in found.tests for statement in test)
        check_crossing({found.function}, [*found.setup, *statements])
    except Lost as lost:
        reason: Reason = "unparseable" if lost.reason == "unparseable" else "untestable"
        return Dropped(source, reason, lost.detail)
    tests = test_file(found.function, numbered(found.tests), found.setup)
    return Candidate(source, task.code, function=found.function, tests=tests)
