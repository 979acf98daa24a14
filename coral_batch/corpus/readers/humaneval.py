"""Read HumanEval (Chen et al. 2021, arXiv:2107.03374): ``HumanEval.jsonl``, compressed or not.

The program is the prompt followed by the canonical solution; the function's docstring becomes the
problem's. The tests are what ``check`` asserts, see
`coral_batch.corpus.testcode.checkfunction`. The programs have no bugs.
"""

from __future__ import annotations

from pathlib import Path

from coral_batch.corpus.sources.rows import Row, read_problems
from coral_batch.corpus.testcode.checkfunction import check_problem
from coral_batch.records.problem import DroppedProblem, Problem


def read(path: Path) -> tuple[list[Problem], list[DroppedProblem]]:
    """Read every task; ``humaneval_7`` is the problem of ``HumanEval/7``."""

    def make(name: str, row: Row) -> Problem:
        program = row["prompt"] + row["canonical_solution"]
        return check_problem(name, row["entry_point"], program, row["test"])

    return read_problems(
        path, lambda _: "humaneval", lambda row: row["task_id"].lower().replace("/", "_"), make
    )
