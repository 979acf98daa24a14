"""Compare any number of models on the same items, as data and as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from coral_batch import lake
from coral_batch.linteval.answers.extraction import code_of
from coral_batch.linteval.report.text import notes, score_tables
from coral_batch.linteval.scores.metrics import Passes, Summary, difference, summarise
from coral_batch.linteval.scores.score import Change, count_changes
from coral_batch.linteval.scores.tables import Judge, score_samples
from coral_batch.linting.fixing import fix
from coral_batch.records.items import Answer, Item, ItemTests
from coral_batch.work.text import decimal, inline, table

NAMES = ("unchanged", "ruff", "autopep8", "canonical", "empty")
"""The baselines, which no model wrote; they show what a score means."""

# Seed of the intervals: a comparison belongs to no run, so it has no run's seed.
SEED = 0


@dataclass(frozen=True)
class Standing:
    """One model.

    Attributes:
        summary: its scores; `genome` is its name.
        official_minus_first: ``pass@k`` -> its difference to the first model, item by item; None
            if either has fewer answers than k.
        strict_minus_first: likewise.
        codes: flake8 code -> change -> answers, as in the table `linteval_changes`.
    """

    summary: Summary
    official_minus_first: Passes
    strict_minus_first: Passes
    codes: Mapping[str, Mapping[Change, int]]


def baselines(items: Sequence[Item], workers: int | None) -> dict[str, dict[int, list[str]]]:
    """Return name (of `NAMES`) -> item -> its one answer, bare code without a fence.

    ``unchanged``: the item's code; ``ruff`` and ``autopep8``: the code as they fix it;
    ``canonical``: its canonical code, if every item has one; ``empty``: nothing.

    Args:
        items: the items.
        workers: processes; None for one per core.

    Raises:
        CoralError: ruff does not run.
    """
    codes = [item.inputs.code for item in items]
    answers = {
        "unchanged": codes,
        "ruff": fix(codes, workers, ("ruff",)),
        "autopep8": fix(codes, workers, ("autopep8",)),
        "canonical": [item.meta.canonical_code for item in items],
        "empty": [""] * len(items),
    }
    if not all(answers["canonical"]):
        del answers["canonical"]
    return {
        name: {item.meta.id: [text] for item, text in zip(items, texts, strict=True)}
        for name, texts in answers.items()
    }


def standings(
    models: Mapping[str, Mapping[int, Sequence[str]]],
    items: Sequence[Item],
    tests: Sequence[ItemTests],
    stop: str | None,
    in_jail: Judge,
    workers: int | None,
) -> list[Standing]:
    """Score models.

    Args:
        models: name -> item -> raw answers, all items in their order and equally many answers each.
        items: the items.
        tests: theirs.
        stop: text at which an answer ends; None for none.
        in_jail: runs programs on their tests.
        workers: processes that lint; None for one per core.
    """
    # All at once: the linters and the jail start once, and code that several models wrote is
    # judged once. So answers are numbered across models.
    given = [
        (name, item, raw)
        for name, answered in models.items()
        for item, texts in answered.items()
        for raw in texts
    ]
    answers = [
        Answer(name, item, number, code_of(raw, stop))
        for number, (name, item, raw) in enumerate(given)
    ]
    scored = score_samples(answers, items, tests, in_jail, workers)
    scores = lake.frame("linteval_scores", scored["linteval_scores"])
    changes = lake.frame("linteval_changes", scored["linteval_changes"])
    by_model = {name: scores.filter(pl.col("genome") == name) for name in models}
    first = next(iter(by_model.values()))
    found = []
    for rows in by_model.values():
        of_model = changes.filter(pl.col("sample").is_in(rows["sample"].implode()))
        found.append(
            Standing(
                summarise(rows, of_model, tests, SEED),
                *difference(rows, first, tests, SEED),
                count_changes(of_model),
            )
        )
    return found


def side_by_side(found: Sequence[Standing]) -> str:
    """Return tables: a row per model; and by flake8 code, a column per model."""
    named = {inline(one.summary.genome): one for one in found}
    differences = {
        label: (one.official_minus_first, one.strict_minus_first) for label, one in named.items()
    }
    del differences[next(iter(named))]
    return "\n\n".join(
        [
            score_tables({label: one.summary for label, one in named.items()}, differences),
            _codes(named),
            notes(found[0].summary),
            f"{', '.join(name for name in NAMES if name in named)}: baselines without a model",
        ]
    )


def _codes(named: Mapping[str, Standing]) -> str:
    rows = [
        (code, *(_code(one.codes.get(code)) for one in named.values()))
        for code in sorted({code for one in named.values() for code in one.codes})
    ]
    return table(("share fixed, +new", *named), rows, left={"share fixed, +new"})


def _code(counts: Mapping[Change, int] | None) -> str:
    """Return the changes of one flake8 code in all of a model's answers: ``75 % +2``."""
    if counts is None:
        return "-"
    had = counts["fixed"] + counts["stayed"] + counts["lost"]
    new = f"+{counts['new']}" if counts["new"] else ""
    return f"{decimal(100 * counts['fixed'] / had, 0)} % {new}".rstrip() if had else new
