"""Data sets in the published forms, small ones of our own, and their problems judged."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from coral_batch.corpus.readers import READERS
from coral_batch.records.problem import DroppedProblem, Problem
from coral_batch.records.settings import Verdicts
from coral_batch.records.verdict import Program
from coral_batch.verdicts.pool import judge

SETTINGS = Verdicts(cpu_seconds=2.0, wall_seconds=10.0, memory_mb=256, require=("seccomp",))


def jsonl(file: Path, *rows: Mapping[str, Any]) -> Path:
    """Write a row a line; compressed, where the name ends in ``.gz``."""
    text = "".join(json.dumps(row) + "\n" for row in rows)
    file.write_bytes(gzip.compress(text.encode()) if file.suffix == ".gz" else text.encode())
    return file


def read(reader: str, path: Path) -> tuple[list[Problem], list[DroppedProblem]]:
    return READERS[reader].read(path, "here")


def kinds(problem: Problem, code: str | None = None) -> list[str]:
    """Return the kinds of verdicts of a program, by default the reference."""
    program = Program(
        problem.name,
        problem.function,
        problem.reference if code is None else code,
        problem.cases,
        problem.tests,
        problem.support,
    )
    (verdicts,) = judge([program], SETTINGS, workers=1)
    return [verdict.kind for verdict in verdicts]


def passes(problems: Sequence[Problem]) -> list[bool]:
    """Return for each problem whether its reference passes everything."""
    return [set(kinds(problem)) == {"PASS"} for problem in problems]


def reasons(dropped: Iterable[DroppedProblem]) -> list[tuple[str, str]]:
    return [(one.name, one.reason) for one in dropped]
