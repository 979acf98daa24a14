"""What flake8 says of a program, and how the benchmark writes it down."""

from __future__ import annotations

import functools
from collections.abc import Iterable

from coral_batch.linting.flake8 import flake8
from coral_batch.records.finding import Finding

DEFAULT_FLAKE8 = functools.partial(flake8, honour_noqa=True, final_newline=False)
"""flake8 as by default, on the text as it is."""


def feedback(findings: Iterable[Finding]) -> str:
    """Write findings as the benchmark does: ``E302: expected 2 blank lines, found 1 in 3 line``."""
    return "".join(f"{found.code}: {found.message} in {found.line} line\n" for found in findings)
