"""Read HumanEval+ and MBPP+ of EvalPlus (Liu et al. 2023, arXiv:2305.01210).

Two forms, compressed or not. The release files, ``HumanEvalPlus.jsonl`` and ``MbppPlus.jsonl``,
hold inputs; what is expected is what the canonical solution returns, so that the test file holds
it. The Hugging Face form, converted to JSONL, has a ``test``; of that the inputs, the results and
the tolerance are read, and compared by the same rules: its own code needs numpy. The programs have
no bugs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coral_batch.corpus.sources.comparisons import comparing
from coral_batch.corpus.sources.evalplus import (
    Written,
    arguments_of,
    chosen,
    parse_test,
    rule_of,
)
from coral_batch.corpus.sources.problems import make_problem
from coral_batch.corpus.sources.programs import parse_program
from coral_batch.corpus.sources.rows import Form, Lost, find_file, gather, read_rows
from coral_batch.records.problem import DroppedProblem, Problem
from coral_batch.verdicts.functions import take_docstring

_RELEASE = Form("evalplus", "EvalPlus")
_HUMANEVAL = Form("humaneval", "HumanEval+")
_MBPP = Form("evalplus_mbpp", "MBPP+")

FLOATS = 1e-6
"""The tolerance where the file says 0."""


@dataclass(frozen=True)
class _Task:
    """What is read of a row of either form.

    Attributes:
        id: ``HumanEval/7`` or ``Mbpp/2``.
        program: the canonical solution, all of it.
        docstring: the task in words; None where the program holds it.
        row: the row, for its inputs.
    """

    id: str
    program: str
    docstring: str | None
    row: Mapping[str, Any]


def read(path: Path, origin: str) -> tuple[list[Problem], list[DroppedProblem]]:
    """Read every task, in the file's order.

    ``humanevalplus_7`` is the problem of ``HumanEval/7``, ``mbppplus_2`` that of ``Mbpp/2``.

    Returns:
        The problems, and the tasks whose program or tests the jail cannot run.

    Raises:
        CoralError: see `read_rows`, or no problem is left.
    """

    def make(name: str, task: _Task) -> Problem:
        written = _written(task)
        parse_program(task.program, written.function)
        rule = rule_of(task.id, written.function)
        numbers = chosen(written.inputs)
        if not numbers:
            raise Lost("untested", "there are no inputs of a usable length")
        results = written.results
        tests = comparing(
            written.function,
            [written.inputs[number] for number in numbers],
            task.program if results is None else [results[number] for number in numbers],
            written.tolerance or FLOATS,
            rule,
        )
        code, docstring = take_docstring(task.program, written.function)
        docstring = docstring if task.docstring is None else task.docstring
        return make_problem(name, written.function, code, origin, docstring=docstring, tests=tests)

    file = find_file(path, ".jsonl", ".jsonl.gz")
    return gather(file, _tasks(file), make)


def _tasks(file: Path) -> Iterator[tuple[str, _Task]]:
    """Yield the name of each row's problem, and the row."""
    for _, row in read_rows(file, _form, infinite=True):
        task_id, prompt = row["task_id"], row["prompt"]
        task_id = task_id if isinstance(task_id, str) else f"Mbpp/{task_id}"
        if task_id.startswith("HumanEval/"):
            task = _Task(task_id, prompt + row["canonical_solution"], None, row)
        else:
            code = row["code"] if "code" in row else row["canonical_solution"]
            task = _Task(task_id, code, _words(prompt), row)
        yield task_id.lower().replace("/", "plus_"), task


def _form(row: Mapping[str, Any]) -> Form:
    if "base_input" in row or "test" not in row:
        return _RELEASE
    return _MBPP if "code" in row else _HUMANEVAL


def _written(task: _Task) -> Written:
    row = task.row
    if "test" in row:
        written = parse_test(row["test"])
        function = row.get("entry_point", written.function)
        return Written(function, written.inputs, written.results, written.tolerance)
    given = [*row["base_input"], *row["plus_input"]]
    inputs = [arguments_of(task.id, arguments) for arguments in given]
    return Written(row["entry_point"], inputs, None, row["atol"])


def _words(prompt: str) -> str:
    """Return the text of a prompt that may be written as a string of Python."""
    try:
        return str(ast.literal_eval(prompt.strip())).strip()
    except (SyntaxError, ValueError):
        return prompt.strip()
