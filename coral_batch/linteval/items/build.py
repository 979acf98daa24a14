"""From programs to CodeLinterEval items: lint, make the canonical code, check it, choose a prompt.

A program becomes an item when flake8 finds something in it and nothing in its canonical code, and
when both pass the program's own tests. Everything else is dropped, with the first reason that
holds. Programs without tests are kept on flake8's word alone.

The linter runs as the benchmark's authors ran it: with its default settings, ``# noqa`` honoured
and no newline added at the end of the code.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from coral_batch.errors import CoralError
from coral_batch.linteval.items.renaming import without_ambiguous_names
from coral_batch.linting.fixing import fix
from coral_batch.linting.flake8 import flake8
from coral_batch.linting.pool import lint
from coral_batch.records.finding import FAILURES, TOO_LONG, Finding
from coral_batch.records.items import (
    Candidate,
    DataSet,
    Dropped,
    Inputs,
    Item,
    ItemStatistics,
    ItemTests,
    Meta,
    PromptCount,
    Reason,
)
from coral_batch.records.verdict import Program, Verdict

Judge = Callable[[Sequence[Program]], list[list[Verdict]]]

DEFAULT_FLAKE8 = functools.partial(flake8, honour_noqa=True, final_newline=False)
"""flake8 as by default, on the text as it is."""

_UNPARSEABLE = frozenset({"E902", "E999"})
_ADDRESS = re.compile(r"0x[0-9a-f]{6,}")


def feedback(findings: Iterable[Finding]) -> str:
    """Write findings as the benchmark does: ``E302: expected 2 blank lines, found 1 in 3 line``."""
    return "".join(f"{found.code}: {found.message} in {found.line} line\n" for found in findings)


def item_id(code: str) -> int:
    """Return the id of the item with this code: the first 31 bits of the code's SHA-256.

    So an item keeps its id whatever else is built beside it, in whatever order or language, and
    what was sampled for another code is never taken for this one's. Reading a data set's own
    numbers is not an option: files of a folder have none. The benchmark's data sets hold an id as
    a signed 32-bit number, which leaves 31 bits. Of 1,000 items two have the same with probability
    2.3e-4, of 10,000 with probability 0.023; that is an error then.
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
        prompts: the instructions. One an item, evenly distributed: the items in the order of
            their ids take them in turn.
        judge: runs programs on their tests.
        workers: processes for linting and fixing; None for one a core.
        dropped: what the reader has dropped already.

    Raises:
        CoralError: no program gives an item, or two have the same id.
    """
    drops = list(dropped)
    kept, findings = _with_findings(candidates, workers, drops)
    kept = _with_canonical(kept, workers, drops)
    kept = _with_passed_tests(kept, judge, drops)
    if not kept:
        raise CoralError(
            "no program gives an item",
            found=dict(Counter(drop.reason for drop in drops)),
            expected="a program with findings of flake8 that can be fixed",
        )
    ids = {candidate.code: item_id(candidate.code) for candidate in kept}
    sources: dict[int, str] = {}
    for candidate in kept:
        other = sources.setdefault(ids[candidate.code], candidate.source)
        if other != candidate.source:
            raise CoralError(
                "two items have one id",
                found=f"{other} and {candidate.source}: {ids[candidate.code]}",
                expected="ids, 31 bits of the SHA-256 of the code, that differ",
                action="leave one of the two programs out",
            )
    ranks = {number: rank for rank, number in enumerate(sorted(sources))}
    items = tuple(
        Item(
            prompts[ranks[ids[candidate.code]] % len(prompts)],
            Inputs(candidate.code, feedback(findings[candidate.code])),
            (),
            Meta(ids[candidate.code], candidate.canonical or ""),
        )
        for candidate in kept
    )
    tests = tuple(ItemTests(ids[c.code], c.source, c.function, c.cases, c.tests) for c in kept)
    codes = Counter(found.code for candidate in kept for found in findings[candidate.code])
    return DataSet(items, tests, tuple(drops), _statistics(items, drops, codes))


def adopt(items: Sequence[Item], source: str) -> DataSet:
    """Take a finished data set as it is: no tests, nothing dropped, its own ids and feedback.

    Args:
        items: the records of an official file.
        source: where they are from.
    """
    tests = tuple(ItemTests(item.meta.id, source, None, (), None) for item in items)
    codes = Counter(
        line.split(":")[0] for item in items for line in item.inputs.feedback.splitlines()
    )
    return DataSet(tuple(items), tests, (), _statistics(items, (), codes))


def _with_findings(
    candidates: Sequence[Candidate], workers: int | None, drops: list[Dropped]
) -> tuple[list[Candidate], dict[str, list[Finding]]]:
    """Keep distinct programs that parse and that flake8 complains about."""
    first: dict[str, Candidate] = {}
    for candidate in candidates:
        earlier = first.setdefault(candidate.code, candidate)
        if earlier is not candidate:
            drops.append(Dropped(candidate.source, "duplicate", f"the code of {earlier.source}"))
    found = dict(zip(first, _lint(list(first), workers), strict=True))
    kept = []
    for code, candidate in first.items():
        codes = {finding.code for finding in found[code]}
        if not codes:
            drops.append(Dropped(candidate.source, "clean", ""))
        elif TOO_LONG in codes:
            drops.append(Dropped(candidate.source, "too_long", _listed(found[code])))
        elif codes & _UNPARSEABLE:
            drops.append(Dropped(candidate.source, "unparseable", _listed(found[code])))
        elif codes & FAILURES:
            drops.append(Dropped(candidate.source, "not_linted", _listed(found[code])))
        else:
            kept.append(candidate)
    return kept, found


def _with_canonical(
    candidates: Sequence[Candidate], workers: int | None, drops: list[Dropped]
) -> list[Candidate]:
    """Keep programs with canonical code that flake8 accepts; make it where there is none."""
    missing = [candidate.code for candidate in candidates if candidate.canonical is None]
    renamed = list(map(without_ambiguous_names, missing))
    fixed = dict(zip(missing, fix(renamed, workers), strict=True))
    complete = [
        candidate
        if candidate.canonical is not None
        else replace(candidate, canonical=fixed[candidate.code])
        for candidate in candidates
    ]
    left = _lint([candidate.canonical or "" for candidate in complete], workers)
    kept = []
    for candidate, findings in zip(complete, left, strict=True):
        if findings:
            drops.append(Dropped(candidate.source, "not_silent", _listed(findings)))
        else:
            kept.append(candidate)
    return kept


def _with_passed_tests(
    candidates: Sequence[Candidate], judge: Judge, drops: list[Dropped]
) -> list[Candidate]:
    """Keep programs that pass their tests, as they are and in canonical form."""
    tested = [candidate for candidate in candidates if candidate.function is not None]
    originals = [_program(candidate, candidate.code) for candidate in tested]
    canonicals = [_program(candidate, candidate.canonical or "") for candidate in tested]
    verdicts = judge([*originals, *canonicals]) if tested else []
    failed: dict[str, Dropped] = {}
    for candidate, original, canonical in zip(
        tested, verdicts[: len(tested)], verdicts[len(tested) :], strict=True
    ):
        reasons: tuple[tuple[Reason, list[Verdict]], ...] = (
            ("original_fails", original),
            ("canonical_fails", canonical),
        )
        for reason, results in reasons:
            wrong = [verdict for verdict in results if verdict.kind != "PASS"]
            if wrong and candidate.source not in failed:
                detail = f"test {wrong[0].case + 1}: {wrong[0].kind} {wrong[0].detail}".strip()
                # Addresses in messages differ from run to run.
                failed[candidate.source] = Dropped(
                    candidate.source, reason, _ADDRESS.sub("0x...", detail)
                )
    drops += failed.values()
    return [candidate for candidate in candidates if candidate.source not in failed]


def _program(candidate: Candidate, code: str) -> Program:
    assert candidate.function is not None
    return Program(
        candidate.source, candidate.function, code, candidate.cases, candidate.tests, support={}
    )


def _lint(sources: list[str], workers: int | None) -> list[list[Finding]]:
    return lint(sources, workers, {"flake8": DEFAULT_FLAKE8})


def _listed(findings: Sequence[Finding]) -> str:
    return feedback(findings).rstrip("\n").replace("\n", "; ")


def _statistics(
    items: Sequence[Item], drops: Sequence[Dropped], codes: Counter[str]
) -> ItemStatistics:
    by_code = sorted(codes.items(), key=lambda pair: (-pair[1], pair[0]))
    return ItemStatistics(
        kept=len(items),
        dropped=dict(sorted(Counter(drop.reason for drop in drops).items())),
        findings=dict(by_code),
        prompts=tuple(
            PromptCount(instruction, count)
            for instruction, count in Counter(item.instruction for item in items).items()
        ),
    )
