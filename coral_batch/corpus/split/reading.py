"""Read the problems of all sources, and those that a model may be shown, from the tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from coral_batch.errors import apart
from coral_batch.lake import path
from coral_batch.lake.stage import Tables
from coral_batch.records.problem import Bug, Problem, content_hash
from coral_batch.records.settings import Params


def read_problems(tables: Tables, settings: Params) -> list[Problem]:
    """Return the problems of all sources, source by source."""
    return [
        problem
        for source in settings.corpus.sources
        for problem in tables.read_rows("problems", Problem, source)
    ]


def read_shown(tables: Tables, settings: Params) -> dict[str, Problem]:
    """Return name -> problem for all that a model may be shown: own bugs and injected ones."""
    problems = read_problems(tables, settings)
    own = [problem for problem in problems if problem.buggy is not None]
    injected = as_problems(problems, tables.read_rows("bugs", Bug))
    return {problem.name: problem for problem in (*own, *injected)}


def as_problems(problems: Iterable[Problem], bugs: Iterable[Bug]) -> list[Problem]:
    """Return each bug as a problem: its program's, with the bug's id and code.

    Raises:
        CoralError: a bug's program is not among the problems.
    """
    by_name = {problem.name: problem for problem in problems}
    found = []
    for bug in bugs:
        if bug.problem not in by_name:
            raise apart(f"{bug.id}, a bug of an unknown problem", path("bugs"))
        problem = replace(by_name[bug.problem], name=bug.id, buggy=bug.buggy)
        found.append(replace(problem, sha256=content_hash(problem)))
    return found
