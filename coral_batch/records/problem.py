"""A repair problem: a buggy program, its reference and the tests that tell them apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Case:
    """One JSON test case.

    Attributes:
        inputs: the positional arguments (QuixBugs' rule: an input that is not a list is the one
            argument).
        expected: the expected result, as JSON.
    """

    inputs: tuple[Any, ...]
    expected: Any


@dataclass(frozen=True)
class Problem:
    """One program to repair.

    Attributes:
        name: the program's and the function's name, e.g. ``bitcount``.
        buggy: the buggy module without its docstring, ending in one newline.
        reference: the correct module without alternative solutions in strings, likewise.
        docstring: the text that describes the function (QuixBugs puts it behind the code).
        cases: the JSON test cases; empty for a problem that only has a test file.
        tests: source of the problem's pytest file, for problems without JSON cases.
        support: name -> source of the modules that the test file imports (``node``).
        origin: where it was read from: the folder, or the git URL and commit.
        sha256: hash of everything above but the origin.
    """

    name: str
    buggy: str
    reference: str
    docstring: str
    cases: tuple[Case, ...]
    tests: str | None
    support: dict[str, str]
    origin: str
    sha256: str


@dataclass(frozen=True)
class Role:
    """A row of the manifest: what a problem may be used for, and why."""

    name: str
    role: str
    reason: str
    cases: int
    test_file: bool
    sha256: str
