"""Read the Python repair tasks of HumanEvalPack (Muennighoff et al. 2023, arXiv:2308.07124).

A program is the declaration followed by the canonical or the buggy solution. The tests are
``test_setup`` and what ``check`` asserts, see `coral_batch.corpus.testcode.checkfunction`.
"""

from __future__ import annotations

from pathlib import Path

from coral_batch.corpus.sources.rows import Row, read_problems
from coral_batch.corpus.testcode.checkfunction import check_problem
from coral_batch.records.problem import DroppedProblem, Problem


def read(path: Path) -> tuple[list[Problem], list[DroppedProblem]]:
    """Read every task; ``humanevalpack_7`` is the problem of ``Python/7``."""

    def make(name: str, row: Row) -> Problem:
        before = f"{row['import']}\n{row['declaration']}"
        return check_problem(
            name,
            row["entry_point"],
            before + row["canonical_solution"],
            f"{row['test_setup']}\n{row['test']}",
            buggy=before + row["buggy_solution"],
            docstring=row["docstring"],
        )

    return read_problems(
        path,
        lambda _: "humanevalpack",
        lambda row: row["task_id"].replace("Python/", "humanevalpack_"),
        make,
    )
