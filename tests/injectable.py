"""Programs that bugs are put into."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from coral_batch.corpus.readers import quixbugs
from coral_batch.corpus.sources.rows import make_problem
from coral_batch.records.problem import Case, Problem
from tests import REPOSITORY


@cache
def bundled() -> tuple[Problem, ...]:
    """Return the problems of both bundled corpora."""
    folders = [REPOSITORY / "lake/raw" / name for name in ("classics", "snippets")]
    return tuple(one for folder in folders for one in quixbugs.read(folder)[0])


def problem_of(
    reference: str,
    cases: Sequence[tuple[tuple[Any, ...], Any]] = (),
    buggy: str | None = None,
    function: str = "f",
) -> Problem:
    """Return a problem of these cases: pairs of arguments and expected result."""
    made = [Case(*case) for case in cases]
    return make_problem(function, function, reference, buggy=buggy, cases=made)
