"""What pytest reports of a failure: its kind and its message."""

from __future__ import annotations

import doctest
import re
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from _pytest.doctest import MultipleDoctestFailures

_LONGEST = 2000  # maximum characters of a message
_DIFFED = 1000  # characters of each text that pytest compares line by line
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")

_FAILURES = (
    AssertionError,
    pytest.fail.Exception,
    doctest.DocTestFailure,
    MultipleDoctestFailures,
)


def keep_diffs_short() -> None:
    """Let pytest compare the beginnings of texts, and no lists, line by line.

    For long ones that can take longer than any test.
    """
    for name, module in sys.modules.items():
        known = vars(module) if name.startswith("_pytest.assertion.") else {}
        if "_compare_eq_iterable" in known:
            known["_compare_eq_iterable"] = lambda *_: ()
        if "_diff_text" in known:
            known["_diff_text"] = partial(_diff_of_starts, known["_diff_text"])


def _diff_of_starts(diff: Callable[..., Any], left: str, right: str, *others: object) -> Any:
    return diff(left[:_DIFFED], right[:_DIFFED], *others)


def kind_of(error: BaseException | None) -> str:
    """Return the kind of the verdict for an exception; None is a failure without one."""
    kind = type(error)  # not __class__, which an exception can fake
    if issubclass(kind, MemoryError):
        return "MEMORY"
    return "FAIL" if error is None or issubclass(kind, _FAILURES) else "ERROR"


def message_of(error: BaseException | None, report: Any) -> str:
    """Return pytest's message for a failure, without lines of code."""
    first = error.failures[0] if isinstance(error, MultipleDoctestFailures) else error
    if isinstance(first, doctest.DocTestFailure):
        example = first.example
        return f"{example.source.strip()}: expected {example.want.strip()}, got {first.got.strip()}"
    if isinstance(first, doctest.UnexpectedException):
        kind, value, _ = first.exc_info
        return f"{first.example.source.strip()}: {kind.__name__}: {value}"
    crash = getattr(report.longrepr, "reprcrash", None)
    return str(crash.message if crash is not None else report.longrepr or "")


def error_lines(text: str) -> str:
    """Return the lines that pytest marks as errors, joined."""
    return "; ".join(line[1:].strip() for line in text.splitlines() if line.startswith("E "))


def cut(text: str) -> str:
    """Cut a text and remove addresses, which differ from run to run."""
    return _ADDRESS.sub("0x...", text[: 2 * _LONGEST])[:_LONGEST]
