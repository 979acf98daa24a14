"""A repair problem: a buggy program, its reference and the tests that tell them apart."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Case:
    """One JSON test case.

    Attributes:
        inputs: the positional arguments (QuixBugs' rule: an input that is not a list is the only
            argument).
        expected: the expected result, as JSON.
        tolerance: how far a number may be from the expected one, > 0; None where it must be equal.
    """

    inputs: tuple[Any, ...]
    expected: Any
    tolerance: float | None = None


@dataclass(frozen=True)
class Suite:
    """Tests that pytest runs in a project's own folder, with a candidate in place of the file.

    Attributes:
        root: the project's folder.
        file: the program's file, relative to the root.
        tests: pytest's ids of the tests that call the function; the reference passes all of them.
        collected: hash of the ids of all that pytest collects in their files, see
            `coral_batch.verdicts.suites.digest`.
        sha256: hash of the project's files, see `coral_batch.verdicts.projects.folder_hash`.
    """

    root: str
    file: str
    tests: tuple[str, ...]
    collected: str
    sha256: str


@dataclass(frozen=True)
class DroppedProblem:
    """A row or a file of a source that is dropped.

    Attributes:
        name: the name that its problem would have, or the file's.
        reason: why, by schemas/corpus_dropped.schema.json; docs/corpora.md explains each.
        detail: what was found.
    """

    name: str
    reason: str
    detail: str


@dataclass(frozen=True)
class Problem:
    """One program to repair.

    Attributes:
        name: unique in the corpus, e.g. ``bitcount``, or ``bitcount-3`` for an injected bug.
        function: name of the function that the tests call; QuixBugs' problems are named after it;
            in a project's class, ``Class.method``.
        buggy: the buggy module without its docstring, ending in one newline; None for a program
            without a bug. For a project's file, the function and what it uses.
        reference: the correct module without alternative solutions in strings, likewise.
        docstring: the text that describes the function (QuixBugs puts it after the code).
        cases: the JSON test cases; empty for a problem that only has a test file.
        tests: for problems without JSON cases: the source of a test file, with functions named
            ``test*`` and the function under test imported by ``from FUNCTION import FUNCTION``; or
            the tests of a project.
        support: name -> source of the modules that the test file imports (``node``).
        sha256: hash of everything above.
    """

    name: str
    function: str
    buggy: str | None
    reference: str
    docstring: str
    cases: tuple[Case, ...]
    tests: str | Suite | None
    support: dict[str, str]
    sha256: str


@dataclass(frozen=True)
class Role:
    """A row of the manifest: what a problem may be used for, and why.

    Attributes:
        name: the problem's name.
        source: the problem's source.
        role: ``training``, ``test``, ``held_out`` or ``excluded``.
        reason: why it has this role.
        judged: by ``cases``, by a ``test file`` in another process than the program, or by
            ``pytest`` in the same process.
        sha256: the problem's hash.
    """

    name: str
    source: str
    role: str
    reason: str
    judged: str
    sha256: str


def content_hash(problem: Problem) -> str:
    """Return the SHA-256 of a problem's content: of all other fields."""
    content = asdict(problem)
    del content["sha256"]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Bug:
    """One edit of a problem's reference program, and its outcomes on the tests.

    Attributes:
        id: ``PROBLEM-NUMBER``, numbered from 1 in an order that spreads the kinds.
        problem: the problem's name.
        kind: the kind of bug, e.g. ``comparison``.
        line: line of the edit in the reference, from 1.
        reference: the reference program.
        buggy: the program with the bug; layout and comments are the reference's.
        outcomes: one letter per case or test: the first of its verdict's kind (``P`` passed).
        failed: share of the cases that fail, in (0, 1].
    """

    id: str
    problem: str
    kind: str
    line: int
    reference: str
    buggy: str
    outcomes: str
    failed: float


def program_of(problem: str) -> str:
    """Return the name of a problem's program, e.g. ``gcd`` for the bug ``gcd-3``."""
    return problem.partition("-")[0]
