"""Candidates for bugs of a program: one edit each, in an order that spreads the kinds.

The order follows from the seed, the problem's name and the edits themselves; it is the same on
every machine and version of Python.
"""

from __future__ import annotations

import ast
import warnings
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from coral_batch.corpus.code.edits import Edit, apply
from coral_batch.corpus.injection.editable import Editable
from coral_batch.corpus.injection.kinds import KINDS
from coral_batch.corpus.injection.scope import Scope
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
        original: the text that was replaced.
        replacement: the new text.
        code: the program with the edit.
    """

    number: int
    kind: str
    line: int
    original: str
    replacement: str
    code: str


def candidates(problem: Problem, seed: int) -> Iterator[BugCandidate]:
    """Yield candidates for bugs of a problem's reference, successive ones of different kinds.

    Each compiles. Its syntax tree differs from those of the reference, the problem's own bug and
    earlier candidates. The kinds take turns until they run out.

    Args:
        problem: the problem.
        seed: the run's seed.
    """
    source = Editable(problem.reference)
    start, end = _span(source, problem)
    scope = Scope(source)
    own = [problem.reference] if problem.buggy is None else [problem.reference, problem.buggy]
    seen = {ast.dump(syntax.parse(code)) for code in own}
    queues = {kind: deque(_edits(kind, source, scope, problem.name, seed)) for kind in KINDS}
    number = 0
    order = sorted(KINDS, key=lambda kind: derive_seed(seed, "injection", problem.name, kind))
    while any(queues.values()):
        for kind in order:
            while queues[kind]:
                edit = queues[kind].popleft()
                if not start <= edit.start <= edit.end <= end:
                    continue
                code = apply(source.text, [edit])
                tree = _tree(code)
                if tree is not None and tree not in seen:
                    seen.add(tree)
                    line, original = source.line_of(edit.start), source.text[edit.start : edit.end]
                    number += 1
                    yield BugCandidate(number, kind, line, original, edit.text, code)
                    break


def _span(source: Editable, problem: Problem) -> tuple[int, int]:
    """Return the span for bugs: in a project's file only the function under test."""
    if not isinstance(problem.tests, Suite):
        return 0, len(source.text)
    (function,) = definitions_of(source.tree, problem.function)
    return source.start(function), source.end(function)


def _edits(kind: str, source: Editable, scope: Scope, name: str, seed: int) -> list[Edit]:
    """Return the edits of a kind, each once, as the seed orders them."""
    edits = {edit for node in source.nodes for edit in KINDS[kind](source, scope, node)}
    return sorted(
        edits,
        key=lambda edit: derive_seed(
            seed, "injection", name, kind, edit.start, edit.end, edit.text
        ),
    )


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
