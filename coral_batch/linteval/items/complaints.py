"""What flake8 says of a program, and how the benchmark writes it down."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from coral_batch.linting.pool import lint
from coral_batch.records.finding import Finding


def complaints(sources: Sequence[str], workers: int | None = None) -> list[list[Finding]]:
    """Return what flake8 finds in each text as it is, with its default settings."""
    return lint(sources, workers, ("flake8",), honour_noqa=True, final_newline=False)


def feedback(findings: Iterable[Finding]) -> str:
    """Write findings as the benchmark does: ``E302: expected 2 blank lines, found 1 in 3 line``."""
    return "".join(f"{found.code}: {found.message} in {found.line} line\n" for found in findings)
