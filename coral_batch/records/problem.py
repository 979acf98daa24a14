"""A repair problem: a buggy program, its reference and the tests that tell them apart."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any, Literal

Loss = Literal[
    "unparseable",
    "imports",
    "untested",
    "untestable",
    "undecided",
    "unchanged",
    "failing",
    "skipped",
]
"""Why a row or a file of a source gives no problem; docs/corpora.md says what each means."""


@dataclass(frozen=True)
class Case:
    """One JSON test case.

    Attributes:
        inputs: the positional arguments (QuixBugs' rule: an input that is not a list is the one
            argument).
        expected: the expected result, as JSON.
        tolerance: how far a number may be from the expected one, > 0; None where it must be equal.
    """

    inputs: tuple[Any, ...]
    expected: Any
    tolerance: float | None = None


@dataclass(frozen=True)
class Suite:
    """Tests that pytest runs in a project's own folder, with a candidate in its file's place.

    Attributes:
        root: the project's folder.
        file: the program's file, seen from there.
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
    """A row or a file of a source that gives no problem.

    Attributes:
        name: the name that its problem would have, or the file's.
        reason: see `Loss`.
        detail: what was found.
    """

    name: str
    reason: Loss
    detail: str


@dataclass(frozen=True)
class Problem:
    """One program to repair.

    Attributes:
        name: unique in the corpus, e.g. ``bitcount``; of an injected bug ``bitcount-3``.
        function: name of the function that the tests call; QuixBugs' problems are named after it;
            of a project's class, ``Class.method``.
        buggy: the buggy module without its docstring, ending in one newline; None for a program
            that bugs have yet to be injected into. Of a project's file, the function and what it
            uses.
        reference: the correct module without alternative solutions in strings, likewise.
        docstring: the text that describes the function (QuixBugs puts it behind the code).
        cases: the JSON test cases; empty for a problem that only has a test file.
        tests: for problems without JSON cases: the source of a test file, with functions named
            ``test*`` and the function under test imported by ``from FUNCTION import FUNCTION``; or
            the tests of a project.
        support: name -> source of the modules that the test file imports (``node``).
        origin: where it was read from.
        sha256: hash of everything above but the origin.
    """

    name: str
    function: str
    buggy: str | None
    reference: str
    docstring: str
    cases: tuple[Case, ...]
    tests: str | Suite | None
    support: dict[str, str]
    origin: str
    sha256: str


@dataclass(frozen=True)
class Role:
    """A row of the manifest: what a problem may be used for, and why.

    Attributes:
        name: the problem's name.
        source: the source it is from.
        role: ``training``, ``test``, ``held_out`` or ``excluded``.
        reason: why it has this role.
        cases: JSON cases it has.
        judged: by ``cases``, by a ``test file`` apart from the program, or by ``pytest`` in one
            process with it.
        sha256: the problem's.
    """

    name: str
    source: str
    role: str
    reason: str
    cases: int
    judged: str
    sha256: str


def content_hash(problem: Problem) -> str:
    """Return the SHA-256 of a problem's content: of all fields but origin and hash."""
    content = asdict(problem)
    del content["origin"], content["sha256"]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
