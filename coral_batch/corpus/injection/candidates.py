"""Candidates for bugs of a program: one edit each, in an order that spreads the kinds.

The order follows from the seed, the problem's name and the edits themselves; it is the same on
every machine and version of Python.
"""

from __future__ import annotations

import ast
import warnings
from collections import deque
from collections.abc import Iterator
from dataclasses import astuple, dataclass

from coral_batch.corpus.code.edits import Edit, apply
from coral_batch.corpus.injection.kinds import KINDS
from coral_batch.corpus.injection.scope import Scoped
from coral_batch.records.problem import Problem, Suite
from coral_batch.seeding import derive_seed
from coral_batch.verdicts.functions import definitions_of
from coral_batch.verdicts.inside import syntax


@dataclass(frozen=True)
class BugCandidate:
    """A program with an edit that may be a bug.

    Attributes:
        number: its place in the order, from 1.
        kind: a key of `KINDS`.
        line: line of the edit in the reference, from 1.
        code: the program with the edit.
    """

    number: int
    kind: str
    line: int
    code: str


def candidates(problem: Problem, seed: int) -> Iterator[BugCandidate]:
    """Yield candidates for bugs of a problem's reference, successive ones of different kinds.

    Each compiles. Its syntax tree differs from those of the reference, the problem's own bug and
    earlier candidates. The kinds take turns until they run out.

    Args:
        problem: the problem.
        seed: the run's seed.
    """
    source = Scoped(problem.reference)
    start, end = 0, len(source.text)
    if isinstance(problem.tests, Suite):  # of a project's file only the function under test
        (function,) = definitions_of(source.tree, problem.function)
        start, end = source.start(function), source.end(function)
    own = [problem.reference] if problem.buggy is None else [problem.reference, problem.buggy]
    seen = {ast.dump(syntax.parse(code)) for code in own}

    def place(kind: str, *edit: str | int) -> int:
        return derive_seed(seed, "injection", problem.name, kind, *edit)

    queues: dict[str, deque[Edit]] = {}
    for kind in sorted(KINDS, key=place):
        edits = {edit for node in source.nodes for edit in KINDS[kind](source, node)}
        inside = [edit for edit in edits if start <= edit.start <= edit.end <= end]
        queues[kind] = deque(sorted(inside, key=lambda edit: place(kind, *astuple(edit))))
    number = 0
    while any(queues.values()):
        for kind, queue in queues.items():
            while queue:
                edit = queue.popleft()
                code = apply(source.text, [edit])
                tree = _tree(code)
                if tree is not None and tree not in seen:
                    seen.add(tree)
                    number += 1
                    yield BugCandidate(number, kind, source.line_of(edit.start), code)
                    break


def _tree(code: str) -> str | None:
    """Return the syntax tree of a program as text; None if it does not compile."""
    try:
        tree = syntax.parse(code)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(tree, "candidate", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return None
    return ast.dump(tree)
