"""Choose the buggy programs that models are evaluated on: the problems' own and injected bugs."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Sequence

from coral_batch.corpus.split.reading import as_problems
from coral_batch.corpus.split.roles import select, select_evaluation
from coral_batch.errors import CoralError
from coral_batch.records.problem import Bug, Problem, Role
from coral_batch.records.settings import Evaluation, Validation


def measured(
    problems: Sequence[Problem],
    bugs: Sequence[Bug],
    manifest: Sequence[Role],
    settings: Evaluation,
) -> list[Problem]:
    """Return what the base model and the best genome are evaluated on at the end.

    These are the problems' own bugs and injected bugs of the held-out programs. The choice depends
    on no model: every program's first bug comes before any program's second.

    Raises:
        CoralError: as in `select`, or there is no bug.
    """
    chosen = select_evaluation(problems, manifest, settings.problems)
    held_out = select(problems, manifest, "held_out")
    injected = _in_rounds(_of(held_out, bugs), settings.bugs, lambda bug: 0.0)
    return _together(chosen, injected, "evaluation.bugs")


def selected_on(
    problems: Sequence[Problem], bugs: Sequence[Bug], settings: Validation
) -> tuple[list[Problem], list[Problem]]:
    """Return what generations are evaluated on: bugs to repair, and more that are only read.

    The bugs to repair are the test problems' own and injected ones. A program's injected bugs that
    fail about half of its cases come first: a bug that every genome repairs, or none, does not
    help selection.

    Args:
        problems: the test problems.
        bugs: injected bugs of any problems.
        settings: how many of them to repair, and how many more to read, at most.

    Raises:
        CoralError: there is no bug to repair.
    """
    own = _of(problems, bugs)
    repaired = _in_rounds(own, settings.bugs, _middling)
    names = {bug.id for bug in repaired}
    others = [bug for bug in own if bug.id not in names]
    return (
        _together(problems, repaired, "validation.bugs"),
        as_problems(problems, _in_rounds(others, settings.read, _middling)),
    )


def _middling(bug: Bug) -> float:
    """How far a bug is from failing half of its program's cases."""
    return abs(bug.failed - 0.5)


def _of(problems: Sequence[Problem], bugs: Sequence[Bug]) -> list[Bug]:
    names = {problem.name for problem in problems}
    return [bug for bug in bugs if bug.problem in names]


def check_bugs(
    problems: Sequence[Problem], injected: int, setting: str, action: str | None = None
) -> None:
    """Raise `CoralError` unless there is a bug to repair.

    Args:
        problems: the problems to repair.
        injected: how many injected bugs there are, or may be.
        setting: the parameter that limits them.
        action: what the user can do; None to raise the setting.
    """
    if not injected and all(problem.buggy is None for problem in problems):
        raise CoralError(
            "there is no bug to repair",
            file="params.yaml",
            field=setting,
            found=f"{len(problems)} problems without a bug of their own, and no injected bug",
            expected="injected bugs",
            action=action or f"raise {setting}, or use a corpus with bugs",
        )


def _together(problems: Sequence[Problem], bugs: Sequence[Bug], setting: str) -> list[Problem]:
    weak = "add tests that detect bugs; lake/bugs/trials.parquet shows what was tried"
    check_bugs(problems, len(bugs), setting, weak)
    own = [problem for problem in problems if problem.buggy is not None]
    return [*own, *as_problems(problems, bugs)]


def _in_rounds(bugs: Sequence[Bug], count: int, rank: Callable[[Bug], float]) -> list[Bug]:
    """Choose at most `count` bugs in rounds: one of each program per round, in order of rank.

    An incomplete last round takes the bugs with the smallest hash of their id. Returned in the
    order of `bugs`.
    """
    by_program: dict[str, list[Bug]] = defaultdict(list)
    for bug in sorted(bugs, key=rank):  # stable
        by_program[bug.problem].append(bug)
    rounds = [
        (number, hashlib.sha256(bug.id.encode()).digest(), bug.id)
        for of_program in by_program.values()
        for number, bug in enumerate(of_program)
    ]
    chosen = {name for _, _, name in sorted(rounds)[:count]}
    return [bug for bug in bugs if bug.id in chosen]
