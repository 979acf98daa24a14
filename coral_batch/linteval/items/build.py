"""From programs to CodeLinterEval items: lint, make the canonical code, check it, choose a prompt.

A program becomes an item when flake8 finds something in it and nothing in its canonical code, when
both pass the program's own tests, and when the canonical code passes the strict score. Everything
else is dropped, with the first reason that holds.

The linter runs as the benchmark's authors ran it: with its default settings, ``# noqa`` honoured
and no newline added at the end of the code. A program in which ``noqa`` silences something is
dropped: its prompt would not tell all that the strict score asks for.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from coral_batch.errors import CoralError
from coral_batch.linteval.items.complaints import feedback
from coral_batch.linteval.items.renaming import without_ambiguous_names
from coral_batch.linteval.scores.calls import calls_of
from coral_batch.linteval.scores.score import Reading, reading
from coral_batch.linteval.scores.tables import lint_codes
from coral_batch.linting.fixing import fix
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
from coral_batch.records.verdict import Program, Twin, Verdict

Judge = Callable[[Sequence[Program]], list[list[Verdict]]]

_UNPARSEABLE = frozenset({"E902", "E999"})
_ADDRESS = re.compile(r"0x[0-9a-f]{6,}")


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
    prompts_from: str = "ours",
) -> DataSet:
    """Build a data set.

    Args:
        candidates: the programs, in the order the items are to have.
        prompts: the instructions. One an item, evenly distributed: the items in the order of
            their ids take them in turn.
        judge: runs programs on their tests.
        workers: processes for linting and fixing; None for one a core.
        dropped: what the reader has dropped already.
        prompts_from: whose the instructions are.

    Raises:
        CoralError: no program gives an item, or two have the same id.
    """
    drops = list(dropped)
    kept, findings = _with_findings(candidates, workers, drops)
    kept = _with_canonical(kept, workers, drops)
    kept, readings = _of_one_meaning(kept, findings, drops)
    kept = _with_passed_tests(kept, readings, judge, drops)
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
    tests = tuple(_tests(candidate, ids[candidate.code]) for candidate in kept)
    codes = Counter(found.code for candidate in kept for found in findings[candidate.code])
    return DataSet(items, tests, tuple(drops), _statistics(items, drops, codes, prompts_from))


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
    return DataSet(tuple(items), tests, (), _statistics(items, (), codes, "data set"))


def _with_findings(
    candidates: Sequence[Candidate], workers: int | None, drops: list[Dropped]
) -> tuple[list[Candidate], dict[str, list[Finding]]]:
    """Keep distinct programs that parse and that flake8 complains about."""
    first: dict[str, Candidate] = {}
    for candidate in candidates:
        earlier = first.setdefault(candidate.code, candidate)
        if earlier is not candidate:
            drops.append(Dropped(candidate.source, "duplicate", f"the code of {earlier.source}"))
    written, published = lint_codes(list(first), workers)
    found = dict(zip(first, published, strict=True))
    kept = []
    for (code, candidate), whole in zip(first.items(), written, strict=True):
        codes = {finding.code for finding in found[code]}
        silenced = [finding for finding in whole if finding not in found[code]]
        if silenced:
            drops.append(Dropped(candidate.source, "silenced", _listed(silenced)))
        elif not codes:
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
    """Keep programs with canonical code that flake8 accepts; make it where there is none.

    ``noqa`` in it silences nothing, as in the strict score.
    """
    missing = [candidate.code for candidate in candidates if candidate.canonical is None]
    renamed = list(map(without_ambiguous_names, missing))
    fixed = dict(zip(missing, fix(renamed, workers), strict=True))
    complete = [
        candidate
        if candidate.canonical is not None
        else replace(candidate, canonical=fixed[candidate.code])
        for candidate in candidates
    ]
    left, _ = lint_codes([candidate.canonical or "" for candidate in complete], workers)
    kept = []
    for candidate, findings in zip(complete, left, strict=True):
        if findings:
            drops.append(Dropped(candidate.source, "not_silent", _listed(findings)))
        else:
            kept.append(candidate)
    return kept


def _of_one_meaning(
    candidates: Sequence[Candidate],
    findings: Mapping[str, Sequence[Finding]],
    drops: list[Dropped],
) -> tuple[list[Candidate], dict[str, Reading]]:
    """Keep programs whose canonical code means the same by its text, or by tests that may say so.

    Returns:
        The programs, and what the text says, by source.
    """
    kept, readings = [], {}
    for one in candidates:
        canonical = one.canonical or ""
        text = reading(one.code, findings[one.code], canonical, one.function)
        if not canonical.strip():
            drops.append(Dropped(one.source, "canonical_fails", "nothing is left of the program"))
        elif text == "other" and one.function is None:
            detail = "its syntax is another, and there are no tests"
            drops.append(Dropped(one.source, "canonical_fails", detail))
        elif text in {"hidden", "missing"}:
            drops.append(Dropped(one.source, "canonical_fails", f"the strict score: {text}"))
        else:
            kept.append(one)
            readings[one.source] = text
    return kept, readings


def _with_passed_tests(
    candidates: Sequence[Candidate],
    readings: Mapping[str, Reading],
    judge: Judge,
    drops: list[Dropped],
) -> list[Candidate]:
    """Keep programs that pass their tests, as they are and in canonical form.

    Where the text does not say that the canonical form means the same, it has to do so in calls
    too, as the strict score asks.
    """
    tested = [candidate for candidate in candidates if candidate.function is not None]
    originals = [_program(candidate, candidate.code) for candidate in tested]
    canonicals = [
        _program(one, one.canonical or "", _twin(one) if readings[one.source] == "other" else None)
        for one in tested
    ]
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


def _program(candidate: Candidate, code: str, twin: Twin | None = None) -> Program:
    assert candidate.function is not None
    return Program(
        candidate.source, candidate.function, code, candidate.cases, candidate.tests, {}, twin
    )


def _twin(candidate: Candidate) -> Twin:
    return Twin(candidate.code, calls_of(_tests(candidate, 0), candidate.code))


def _tests(candidate: Candidate, number: int) -> ItemTests:
    return ItemTests(number, candidate.source, candidate.function, candidate.cases, candidate.tests)


def _listed(findings: Sequence[Finding]) -> str:
    return feedback(findings).rstrip("\n").replace("\n", "; ")


def _statistics(
    items: Sequence[Item], drops: Sequence[Dropped], codes: Counter[str], prompts_from: str
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
        prompts_from=prompts_from,
    )
