"""Read HumanEval (Chen et al. 2021, arXiv:2107.03374): ``HumanEval.jsonl``, compressed or not.

The program is the prompt with the canonical solution behind it; the function's docstring becomes
the problem's. The tests are what ``check`` asserts, see
`coral_batch.corpus.testcode.checkfunction`. The programs have no bugs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from coral_batch.corpus.sources.rows import Form, find_file, gather, read_rows
from coral_batch.corpus.testcode.checkfunction import check_problem
from coral_batch.records.problem import DroppedProblem, Problem

_FORM = Form("humaneval", "HumanEval")


def read(path: Path, origin: str) -> tuple[list[Problem], list[DroppedProblem]]:
    """Read every task, in the file's order; ``humaneval_7`` is the problem of ``HumanEval/7``.

    Returns:
        The problems, and the tasks whose program or tests the jail cannot run.

    Raises:
        CoralError: see `read_rows`, or no problem is left.
    """

    def make(name: str, row: dict[str, Any]) -> Problem:
        program = row["prompt"] + row["canonical_solution"]
        return check_problem(name, row["entry_point"], program, row["test"], origin)

    file = find_file(path, ".jsonl", ".jsonl.gz")
    rows = read_rows(file, lambda _: _FORM)
    return gather(file, ((row["task_id"].lower().replace("/", "_"), row) for _, row in rows), make)
