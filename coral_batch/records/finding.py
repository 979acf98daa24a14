"""A linter's findings, and findings for a linter that did not finish."""

from __future__ import annotations

from dataclasses import dataclass

TOO_LONG = "TOO_LONG"
UNPARSEABLE = "UNPARSEABLE"
ERROR = "ERROR"
CRASH = "CRASH"
TIMEOUT = "TIMEOUT"

FAILURES = frozenset({TOO_LONG, UNPARSEABLE, ERROR, CRASH, TIMEOUT})
"""Codes for a linter that did not finish, so that no findings always means clean.

TOO_LONG: the source is too long to lint. UNPARSEABLE: bandit could not parse it (flake8 itself
reports E999 or E902). ERROR: the linter raised an exception, or UTF-8 cannot encode the text.
CRASH: the linter's process died. TIMEOUT: the linter was killed after its time limit.
"""


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding in one source.

    Attributes:
        tool: ``flake8`` or ``bandit``.
        code: the linter's own code, e.g. ``E302`` or ``B102``, or one of `FAILURES`.
        message: the linter's text.
        line: line number, from 1; 0 when the finding belongs to no line.
        column: column, from 1 (bandit's own reports count from 0); 0 when it belongs to none.
        severity: ``LOW``, ``MEDIUM`` or ``HIGH`` from bandit; None from flake8 and for `FAILURES`.
        confidence: likewise.
    """

    tool: str
    code: str
    message: str
    line: int
    column: int
    severity: str | None = None
    confidence: str | None = None


def failure(tool: str, code: str, message: str) -> Finding:
    """Return the finding for a `tool` that did not finish; `code` is one of `FAILURES`."""
    return Finding(tool, code, message, line=0, column=0)
