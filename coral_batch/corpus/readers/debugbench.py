"""Read the Python part of DebugBench (Tian et al. 2024, arXiv:2401.04621).

Two forms: the Hugging Face one (a row has ``solution`` and ``language``), and the shards of the
authors' repository (``oracle_code``; the name of a shard begins with its language, as in
``python3_double.json``). DebugBench has no tests; a program was sent to LeetCode. So the tests are
the examples of a task's text, two or three of them, which many a wrong program passes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coral_batch.corpus.sources import leetcode
from coral_batch.corpus.sources.asserts import is_json
from coral_batch.corpus.sources.comparisons import comparing
from coral_batch.corpus.sources.problems import make_problem
from coral_batch.corpus.sources.programs import check_changed, parse, parse_program
from coral_batch.corpus.sources.rows import Form, Lost, find_files, gather, read_rows
from coral_batch.records.problem import Case, DroppedProblem, Problem

_ROW = Form("debugbench", "DebugBench")
_SHARD = Form("debugbench_shards", "DebugBench's shards")
_PYTHON = ("python", "python3")


@dataclass(frozen=True)
class _Bug:
    """What is read of a row of either form."""

    language: str
    question: str
    examples: tuple[str, ...]
    solution: str
    buggy: str


def read(path: Path, origin: str) -> tuple[list[Problem], list[DroppedProblem]]:
    """Read every row of a file, or of all files of a folder, in the order of files and rows.

    ``debugbench_two_sum_3`` is the problem of the third row whose ``slug`` is ``two-sum``.

    Returns:
        The problems, and the rows in other languages or whose program or examples the jail cannot
        run.

    Raises:
        CoralError: see `read_rows`, or no problem is left.
    """

    def make(name: str, bug: _Bug) -> Problem:
        return _problem(name, bug, origin)

    return gather(path, _bugs(path), make)


def _bugs(path: Path) -> Iterator[tuple[str, _Bug]]:
    """Yield the name of each row's problem, and the row."""
    seen: Counter[str] = Counter()
    for file in find_files(path, ".json", ".jsonl") if path.is_dir() else [path]:
        for _, row in read_rows(file, _form, key=None):
            slug = row["slug"].replace("-", "_")
            seen[slug] += 1
            yield f"debugbench_{slug}_{seen[slug]}", _bug(file, row)


def _form(row: Mapping[str, Any]) -> Form:
    return _SHARD if "oracle_code" in row else _ROW


def _bug(file: Path, row: Mapping[str, Any]) -> _Bug:
    shard = "oracle_code" in row
    return _Bug(
        file.name.split("_")[0] if shard else row["language"],
        row["description" if shard else "question"],
        tuple(row["examples"]),
        row["oracle_code" if shard else "solution"],
        row["buggy_code"],
    )


def _problem(name: str, bug: _Bug, origin: str) -> Problem:
    if bug.language not in _PYTHON:
        raise Lost("language", f"it is in {bug.language}")
    tree = parse(bug.solution, "the solution")
    check_changed(parse(bug.buggy, "the buggy program"), tree)
    leetcode.check_decided(bug.question, *bug.examples)
    examples = leetcode.parse_examples(bug.examples)
    names = list(examples[0].arguments)
    if any(list(example.arguments) != names for example in examples):
        raise Lost("untestable", "the examples name different arguments")
    function = leetcode.method_for(tree, names)
    imports = leetcode.missing_imports(tree)
    reference = leetcode.module_of(bug.solution, imports, function, names)
    parse_program(reference, function, "the solution")
    calls = [list(example.arguments.values()) for example in examples]
    results = [example.result for example in examples]
    exact = all(map(is_json, calls)) and not any(map(_has_float, results))
    return make_problem(
        name,
        function,
        reference,
        origin,
        buggy=leetcode.module_of(bug.buggy, imports, function, names),
        docstring=bug.question.strip(),
        cases=[Case(tuple(call), result) for call, result in zip(calls, results, strict=True)]
        if exact
        else (),
        tests=None if exact else comparing(function, calls, results, leetcode.TOLERANCE),
    )


def _has_float(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(_has_float, value))
    return isinstance(value, float)
