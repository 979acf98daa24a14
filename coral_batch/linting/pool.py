"""Lint many sources with flake8 and bandit in parallel, each distinct source once.

Sources go in batches to the workers of `coral_batch.work.parallel`. There each linter reads a batch
in one process under limits (`coral_batch.linting.programs`). A source that breaks a linter loses
that linter's findings, and never affects another source.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from coral_batch.linting.programs import TOOLS, find
from coral_batch.records.finding import ERROR, TOO_LONG, Finding, failure
from coral_batch.records.rows import SampleRow
from coral_batch.work.parallel import run, slots
from coral_batch.work.progress import progress

MAX_BYTES = 64 * 1024
"""Longest source that is linted, in bytes of UTF-8: many times the longest real answer.

On some texts flake8 takes time quadratic in a line's length. Up to this length it mostly finishes
within its limit, so the findings do not depend on the machine's speed.
"""

_BATCH = 256


def lint(
    sources: Sequence[str],
    workers: int | None = None,
    tools: Sequence[str] = TOOLS,
    *,
    honour_noqa: bool = False,
    final_newline: bool = True,
) -> list[list[Finding]]:
    """Lint every source.

    Args:
        sources: the texts, in any number and with any repetitions.
        workers: number of processes, >= 1; None means one per core.
        tools: those of `TOOLS` to use.
        honour_noqa: let ``# noqa`` comments silence findings, as flake8 does by default.
        final_newline: end the last line with a newline if it has none, so that W292 is not found
            in code that was cut out of a longer text.

    Returns:
        The findings of each source, in the order of `sources`; per source in the order of `tools`.
        A linter that did not finish leaves one finding with a code of
        `coral_batch.records.finding.FAILURES`.

    Raises:
        CoralError: workers keep being killed from outside, or a linter does not run.
    """
    found: dict[str, list[Finding]] = {}
    distinct = list(dict.fromkeys(sources))
    size = min(_BATCH, -(-len(distinct) // slots(workers))) or 1
    batches = [distinct[start : start + size] for start in range(0, len(distinct), size)]
    units = [(batch, tuple(tools), honour_noqa, final_newline) for batch in batches]
    with progress(None, "linting", len(distinct), units="sources") as bar:
        for number, findings in run(_lint_batch, units, workers):
            found.update(zip(batches[number], findings, strict=True))
            bar.update(len(batches[number]))
    return [list(found[source]) for source in sources]


def lint_samples(samples: Sequence[SampleRow], workers: int | None) -> list[dict[str, Any]]:
    """Lint the code of every sample; return rows of the table `findings`, in order of samples."""
    found = lint([sample.code for sample in samples], workers)
    return [
        {"genome": sample.genome, "problem": sample.problem, "sample": sample.sample}
        | asdict(finding)
        for sample, findings in zip(samples, found, strict=True)
        for finding in findings
    ]


def _lint_batch(
    batch: list[str], tools: Sequence[str], honour_noqa: bool, final_newline: bool
) -> list[list[Finding]]:
    results: list[list[Finding]] = [[] for _ in batch]
    refusals = [_refusal(source) for source in batch]
    readable = [number for number, refusal in enumerate(refusals) if refusal is None]
    texts = [_ended(batch[number]) if final_newline else batch[number] for number in readable]
    for tool in tools:
        found = dict(zip(readable, find(tool, texts, honour_noqa), strict=True))
        for number, refusal in enumerate(refusals):
            results[number] += [failure(tool, *refusal)] if refusal else found[number]
    return results


def _refusal(source: str) -> tuple[str, str] | None:
    """Return code and message if a source cannot be linted; else None."""
    try:
        length = len(source.encode())
    except UnicodeEncodeError:
        return ERROR, "not encodable as UTF-8"
    if length > MAX_BYTES:
        return TOO_LONG, f"{length:,} bytes; at most {MAX_BYTES:,} are linted"
    return None


def _ended(source: str) -> str:
    return source if not source or source.endswith("\n") else f"{source}\n"
