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
from coral_batch.verdicts.pool import judge
from coral_batch.verdicts.tables import as_program

SETTINGS = Verdicts(cpu_seconds=2.0, wall_seconds=10.0, memory_mb=256, require=("seccomp",))


def jsonl(file: Path, *rows: Mapping[str, Any]) -> Path:
    """Write a row a line; compressed, where the name ends in ``.gz``."""
    text = "".join(json.dumps(row) + "\n" for row in rows)
    file.write_bytes(gzip.compress(text.encode()) if file.suffix == ".gz" else text.encode())
    return file


def read(reader: str, path: Path) -> tuple[list[Problem], list[DroppedProblem]]:
    return READERS[reader].read(path, "here")


def judged(*pairs: tuple[Problem, str]) -> list[list[str]]:
    """Return the kinds of verdicts of programs, each of them in the place of a problem's."""
    programs = [as_program(problem, code, problem.name) for problem, code in pairs]
    return [[one.kind for one in row] for row in judge(programs, SETTINGS, workers=1)]


def kinds(problem: Problem, code: str | None = None) -> list[str]:
    """Return the kinds of verdicts of a program, by default the reference."""
    return judged((problem, problem.reference if code is None else code))[0]


def passes(problems: Sequence[Problem]) -> list[bool]:
    """Return for each problem whether its reference passes everything."""
    rows = judged(*((problem, problem.reference) for problem in problems))
    return [set(row) == {"PASS"} for row in rows]


def reasons(dropped: Iterable[DroppedProblem]) -> list[tuple[str, str]]:
    return [(one.name, one.reason) for one in dropped]
