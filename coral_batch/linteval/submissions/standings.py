"""Any number of models on the same items, side by side: as data and as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from coral_batch import lake
from coral_batch.linteval.answers.extraction import code_of
from coral_batch.linteval.scores.metrics import DECIMALS, Passes, Summary, difference, summarise
from coral_batch.linteval.scores.score import Change, count_changes
from coral_batch.linteval.scores.tables import Judge, score_samples
from coral_batch.records.items import Answer, Item, ItemTests
from coral_batch.work.text import inline, table

# The draws of the intervals; a comparison belongs to no run, so it has no run's seed.
SEED = 0
_NAME = 24


@dataclass(frozen=True)
class PromptScore:
    """Scores of the answers to the items that have one instruction.

    Attributes:
        instruction: the instruction.
        items: number of items that have it.
        official: mean over them of pass@1, in [0, 1].
        strict: likewise.
    """

    instruction: str
    items: int
    official: float
    strict: float


@dataclass(frozen=True)
class Standing:
    """One model.

    Attributes:
        summary: its scores; `genome` is its name.
        official_minus_first: ``pass@k`` -> by how much it differs from the first model, item by
            item; None where either has fewer answers than k.
        strict_minus_first: likewise.
        codes: flake8 code -> change -> answers, as in the table `linteval_changes`.
        prompts: by instruction, in the order of the items.
    """

    summary: Summary
    official_minus_first: Passes
    strict_minus_first: Passes
    codes: Mapping[str, Mapping[Change, int]]
    prompts: tuple[PromptScore, ...]


def standings(
    models: Mapping[str, Mapping[int, Sequence[str]]],
    items: Sequence[Item],
    tests: Sequence[ItemTests],
    stop: str | None,
    in_jail: Judge,
    isolation: str,
    workers: int | None,
) -> list[Standing]:
    """Score models.

    Args:
        models: name -> item -> raw answers, all items in their order and equally many answers each.
        items: the items.
        tests: theirs.
        stop: text at which an answer ends; None for none.
        in_jail: what runs programs.
        isolation: the layers of isolation in force there, joined by +.
        workers: processes that lint; None for one a core.
    """
    answers: list[Answer] = []
    spans: list[tuple[int, int]] = []
    start = 0
    # All at once: the linters and the jail start once, and code that several models wrote is
    # judged once. A model's answers to an item are numbered on from those of the one before it.
    for name, answered in models.items():
        often = len(next(iter(answered.values())))
        spans.append((start, start + often))
        answers += [
            Answer(name, item, start + number, code_of(raw, stop))
            for item, texts in answered.items()
            for number, raw in enumerate(texts)
        ]
        start += often
    scored = score_samples(answers, items, tests, in_jail, isolation, workers)
    scores = lake.frame("linteval_scores", scored.scores)
    changes = lake.frame("linteval_changes", scored.changes)
    first, *_ = (_between(scores, span) for span in spans)
    return [
        _standing(_between(scores, span), _between(changes, span), first, items, tests)
        for span in spans
    ]


def side_by_side(found: Sequence[Standing]) -> str:
    """Return tables: a row a model, and by flake8 code and by prompt a column a model."""
    labels = _labels([one.summary.genome for one in found])
    first = found[0].summary
    parts = []
    for kind in ("official", "strict"):
        header = (kind, "answers an item", *first.official)
        rows = [
            (label, str(one.summary.samples), *_cells(getattr(one.summary, kind)))
            for label, one in zip(labels, found, strict=True)
        ]
        parts.append(table(header, rows, left={kind}))
        title = f"{kind}, minus {labels[0]}"
        rows = [
            (label, *_cells(getattr(one, f"{kind}_minus_first"), signed=True))
            for label, one in zip(labels[1:], found[1:], strict=True)
        ]
        parts.append(table((title, *first.official), rows, left={title}))
    parts += [
        _outcomes(found, labels),
        _codes(found, labels),
        _prompts(found, labels),
        _notes(first),
    ]
    return "\n\n".join(parts)


def _labels(names: Sequence[str]) -> list[str]:
    """Return names as they are shown, cut; with their numbers where that leaves two the same."""
    labels = [inline(name, _NAME) for name in names]
    if len(set(labels)) < len(labels):
        labels = [f"{number} {label}" for number, label in enumerate(labels, start=1)]
    return labels


def _between(rows: pl.DataFrame, span: tuple[int, int]) -> pl.DataFrame:
    """Return the rows of one model: of the samples from the first number up to the second."""
    return rows.filter(pl.col("sample").is_between(*span, closed="left"))


def _standing(
    scores: pl.DataFrame,
    changes: pl.DataFrame,
    first: pl.DataFrame,
    items: Sequence[Item],
    tests: Sequence[ItemTests],
) -> Standing:
    return Standing(
        summarise(scores, changes, tests, SEED),
        *difference(scores, first, tests, SEED),
        count_changes(list(changes.select("code", "change").iter_rows())),
        _by_prompt(scores, items),
    )


def _by_prompt(scores: pl.DataFrame, items: Sequence[Item]) -> tuple[PromptScore, ...]:
    asked: dict[str, list[int]] = {}
    for item in items:
        asked.setdefault(item.instruction, []).append(item.meta.id)
    found = []
    for instruction, numbers in asked.items():
        rows = scores.filter(pl.col("item").is_in(numbers))
        official, strict = (
            round(int(rows[kind].sum()) / len(rows), DECIMALS) for kind in ("official", "strict")
        )
        found.append(PromptScore(instruction, len(numbers), official, strict))
    return tuple(found)


def _outcomes(found: Sequence[Standing], labels: Sequence[str]) -> str:
    names = sorted({name for one in found for name in one.summary.outcomes})
    rows = [
        (
            label,
            *(str(one.summary.outcomes.get(name, 0)) for name in names),
            str(one.summary.tests_passed),
        )
        for label, one in zip(labels, found, strict=True)
    ]
    return table(("answers", *names, "tests pass"), rows, left={"answers"})


def _codes(found: Sequence[Standing], labels: Sequence[str]) -> str:
    rows = [
        (code, *(_code(one.codes.get(code)) for one in found))
        for code in sorted({code for one in found for code in one.codes})
    ]
    return table(("share fixed, +new", *labels), rows, left={"share fixed, +new"})


def _code(counts: Mapping[Change, int] | None) -> str:
    """Return what became of one flake8 code in all of a model's answers: ``0.75 +2``."""
    if counts is None:
        return "-"
    had = counts["fixed"] + counts["stayed"] + counts["lost"]
    new = f"+{counts['new']}" if counts["new"] else ""
    return f"{counts['fixed'] / had:.2f} {new}".rstrip() if had else new


def _prompts(found: Sequence[Standing], labels: Sequence[str]) -> str:
    rows = []
    for number, prompt in enumerate(found[0].prompts):
        cells = []
        for one in found:
            scores = one.prompts[number]
            cells.append(f"{scores.official:.2f} {scores.strict:.2f}")
        rows.append((inline(prompt.instruction[:60]), str(prompt.items), *cells))
    header = ("pass@1, official and strict, by prompt", "items", *labels)
    return table(header, rows, left={header[0]})


def _notes(first: Summary) -> str:
    return (
        f"{first.items} items of {first.functions} functions, {first.tested} with tests; [ ]: 95 %"
        " bootstrap interval over functions; -: fewer answers than k\n"
        "unchanged, ruff, autopep8, canonical, empty: answers that no model gave"
    )


def _cells(passes: Passes, *, signed: bool = False) -> list[str]:
    sign = "+" if signed else ""
    return [
        "-"
        if value is None
        else f"{value.mean:{sign}.3f} [{value.low:{sign}.3f}, {value.high:{sign}.3f}]"
        for value in passes.values()
    ]
