"""From programs to CodeLinterEval items: lint, make the canonical code, check it, choose a prompt.

A program becomes an item when flake8 finds something in it and nothing in its canonical code, and
when both pass the program's own tests. Everything else is dropped, with the first reason that
holds.

The linter runs as the benchmark's authors ran it: with its default settings, ``# noqa`` honoured
and no newline added at the end of the code. A program in which ``noqa`` silences something is
dropped: its prompt would not list everything that the strict score requires.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from coral_batch.errors import CoralError
from coral_batch.linteval.items.item import feedback
from coral_batch.linteval.items.renaming import without_ambiguous_names
from coral_batch.linteval.scores.score import NOT_PYTHON
from coral_batch.linteval.scores.tables import Judge, lint_codes
from coral_batch.linting.fixing import fix
from coral_batch.records.finding import FAILURES, TOO_LONG, Finding
from coral_batch.records.items import (
    Candidate,
    DataSet,
    Dropped,
    Inputs,
    Item,
    ItemTests,
    Meta,
)
from coral_batch.records.verdict import Program, Verdict
from coral_batch.verdicts.inside import syntax

_ADDRESS = re.compile(r"0x[0-9a-f]{6,}")


def item_id(code: str) -> int:
    """Return the id of the item with this code: the first 31 bits of the code's SHA-256.

    So an item's id depends only on its code, and samples for other code are never taken for its
    own. A data set's own numbers would not do: files of a folder have none. The benchmark stores
    ids as signed 32-bit numbers, which leaves 31 bits. Two of 1,000 items have the same id with
    probability 2.3e-4, two of 10,000 with probability 0.023; the table of items rejects that.
    """
    return int.from_bytes(hashlib.sha256(code.encode()).digest()[:4], "big") >> 1


def build(
    candidates: Sequence[Candidate],
    prompts: Sequence[str],
    judge: Judge,
    workers: int | None = None,
    dropped: Sequence[Dropped] = (),
) -> DataSet:
    """Build a data set.

    Args:
        candidates: the programs, in the order the items are to have.
        prompts: the instructions. The items, in the order of their ids, take them in turn.
        judge: runs programs on their tests.
        workers: processes for linting and fixing; None for one per core.
        dropped: what the reader has dropped already.

    Raises:
        CoralError: no program can become an item.
    """
    drops = list(dropped)
    kept, findings = _with_findings(candidates, workers, drops)
    kept = _with_canonical(kept, workers, drops)
    kept = _with_passed_tests(kept, judge, drops)
    if not kept:
        raise CoralError(
            "no program can become an item",
            found=dict(Counter(drop.reason for drop in drops)),
            expected="a program with flake8 findings that can be fixed",
            action="set linteval.source and linteval.path to other code",
        )
    numbers = [item_id(one.code) for one in kept]
    ranks = {number: rank for rank, number in enumerate(sorted(numbers))}
    items, tests = [], []
    for number, one in zip(numbers, kept, strict=True):
        prompt = prompts[ranks[number] % len(prompts)]
        inputs = Inputs(one.code, feedback(findings[one.code]))
        items.append(Item(prompt, inputs, (), Meta(number, one.canonical)))
        tests.append(ItemTests(number, one.source, one.function, one.cases, one.tests))
    return DataSet(tuple(items), tuple(tests), tuple(drops))


def _with_findings(
    candidates: Sequence[Candidate], workers: int | None, drops: list[Dropped]
) -> tuple[list[Candidate], dict[str, list[Finding]]]:
    """Keep distinct programs that parse and have flake8 findings."""
    first: dict[str, Candidate] = {}
    for candidate in candidates:
        earlier = first.setdefault(candidate.code, candidate)
        if earlier is not candidate:
            drops.append(Dropped(candidate.source, "duplicate", f"same code as {earlier.source}"))
    written, published = lint_codes(list(first), workers)
    found = dict(zip(first, published, strict=True))
    kept = []
    for (code, candidate), whole in zip(first.items(), written, strict=True):
        visible = set(found[code])
        codes = {finding.code for finding in visible}
        silenced = [finding for finding in whole if finding not in visible]
        reasons = {
            "silenced": silenced,
            "clean": not codes,
            "too_long": TOO_LONG in codes,
            "unparseable": codes & NOT_PYTHON or not _parses(code),
            "not_linted": codes & FAILURES,
        }
        if why := [reason for reason, holds in reasons.items() if holds]:
            drops.append(Dropped(candidate.source, why[0], _listed(silenced or found[code])))
        else:
            kept.append(candidate)
    return kept, found


def _parses(code: str) -> bool:
    """Whether code is Python as the jail accepts it; flake8 accepts newer and deeper code."""
    try:
        syntax.parse(code)
    except SyntaxError:
        return False
    return True


def _with_canonical(
    candidates: Sequence[Candidate], workers: int | None, drops: list[Dropped]
) -> list[Candidate]:
    """Keep programs with canonical code that flake8 accepts; make it if there is none.

    ``noqa`` in it is ignored, as in the strict score.
    """
    missing = [candidate.code for candidate in candidates if not candidate.canonical]
    renamed = list(map(without_ambiguous_names, missing))
    fixed = dict(zip(missing, fix(renamed, workers), strict=True))
    complete = [replace(one, canonical=fixed.get(one.code, one.canonical)) for one in candidates]
    left, _ = lint_codes([candidate.canonical for candidate in complete], workers)
    kept = []
    for candidate, findings in zip(complete, left, strict=True):
        if findings:
            drops.append(Dropped(candidate.source, "not_silent", _listed(findings)))
        elif _UNANSWERABLE.search(candidate.canonical):
            why = "a line with #! or ``` at its start: an answer's fence moves or ends there"
            drops.append(Dropped(candidate.source, "unanswerable", why))
        else:
            kept.append(candidate)
    return kept


_UNANSWERABLE = re.compile("\\A#!|^```", re.MULTILINE)


def _with_passed_tests(
    candidates: Sequence[Candidate], judge: Judge, drops: list[Dropped]
) -> list[Candidate]:
    """Keep programs that pass their tests, as their canonical code does, which is not empty."""
    programs = [
        Program(one.function, code, one.cases, one.tests, {})
        for one in candidates
        if one.function is not None
        for code in (one.code, one.canonical)
    ]
    verdicts = iter(judge(programs) if programs else ())
    kept = []
    for one in candidates:
        untested = one.function is None
        original, canonical = ([], []) if untested else (next(verdicts), next(verdicts))
        if failure := _first_failure(original):
            drops.append(Dropped(one.source, "original_fails", failure))
        elif not one.canonical.strip():
            drops.append(Dropped(one.source, "canonical_fails", "the canonical code is empty"))
        elif failure := _first_failure(canonical):
            drops.append(Dropped(one.source, "canonical_fails", failure))
        else:
            kept.append(one)
    return kept


def _first_failure(verdicts: Sequence[Verdict]) -> str:
    """Return which test failed first and how; an empty text if none did."""
    wrong = next((verdict for verdict in verdicts if verdict.kind != "PASS"), None)
    if wrong is None:
        return ""
    detail = f"test {wrong.case + 1}: {wrong.kind} {wrong.detail}".strip()
    return _ADDRESS.sub("0x...", detail)  # which differs from run to run


def _listed(findings: Sequence[Finding]) -> str:
    return feedback(findings).rstrip("\n").replace("\n", "; ")
