"""`coral compare`: several runs side by side, and how they differ from the first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from textwrap import fill
from typing import Annotated, TypeVar

import typer

from coral_batch.errors import CoralError
from coral_batch.evidence.paired import Paired, compare_means
from coral_batch.evidence.paired import compare as compare_outcomes
from coral_batch.records.settings import Scores
from coral_batch.report.claims import FIRST_CHANGES, NOISE, TITLES, searched, verdict
from coral_batch.report.roles import with_training
from coral_batch.report.runs import Run, read_run
from coral_batch.search.ids import birth
from coral_batch.work.text import decimal, indent, interval, table

# Seed of the intervals; a comparison covers several runs, so it uses no run's seed.
SEED = 0
_WIDTH = 100  # characters of a line of prose
_Value = TypeVar("_Value")


def compare(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN",
            help="Two or more runs: folders with a lake (`.` is this one), git revisions, DVC"
            " experiments.",
        ),
    ],
) -> None:
    """Compare runs: scores with intervals, what they spent, what changed."""
    if len(runs) < 2 or len(set(runs)) < len(runs):
        raise CoralError(
            "nothing to compare", field="RUN", found=runs, expected="two or more distinct runs"
        )
    print(comparison([read_run(name) for name in runs]))


def comparison(runs: Sequence[Run]) -> str:
    """Return the comparison of the runs as text, each against the first."""
    first, *others = runs
    parts = [_headline(runs), _budgets(runs)]
    parts += [_against(first, other) for other in others]
    parts += with_training(name for run in runs for name in run.outcomes)
    parts.append(
        "[ ]: 95 % intervals; differences in points. n: held-out bugs; below, bugs of both runs.\n"
        f"{NOISE} Another run may find another best genome.\n"
        "Selection pass@1 is too high: selection used these bugs. Objectives: 0 to 1."
    )
    return "\n\n".join(parts)


def _measured(first: Run, other: Run) -> Iterator[tuple[str, bool, int, Paired]]:
    """Compare the two best genomes on the problems that both runs share.

    Yields:
        The measure, whether selection did not see its problems, their number, and the comparison.
    """
    for name, title in TITLES.items():
        left, right = _shared(
            first, other, first.outcomes.get(name, {}), other.outcomes.get(name, {})
        )
        if left:
            found = compare_outcomes(left, right, 1, SEED, "compare", name)
            yield f"{title}, pass@1", name == "held_out", len(left), found
    for name, title in FIRST_CHANGES.items():
        here, there = _shared(
            first, other, first.first_changes.get(name, {}), other.first_changes.get(name, {})
        )
        if here:
            found = compare_means(here, there, SEED, "compare", name)
            yield f"held out, {title}", True, len(here), found


def _shared(
    first: Run, other: Run, left: Mapping[str, _Value], right: Mapping[str, _Value]
) -> tuple[dict[str, _Value], dict[str, _Value]]:
    """Keep the problems that both have and that are the same in both runs."""
    names = [
        name
        for name in left
        if name in right and first.problems.get(name) == other.problems.get(name)
    ]
    return {name: left[name] for name in names}, {name: right[name] for name in names}


def _headline(runs: Sequence[Run]) -> str:
    header = (
        "run",
        "search",
        "best",
        "n",
        "held out pass@1",
        "right first change",
        "selection pass@1",
    )
    rows = []
    for run in runs:
        scores = run.evidence.scores
        repaired = {name: one.pass_at_1.second for name, one in scores.items()}
        right = {name: one.paired.second for name, one in run.evidence.first_changes.items()}
        cells = [
            interval(one) if one is not None else "-"
            for one in (repaired.get("held_out"), right.get("right"), repaired.get("selection"))
        ]
        best = run.best
        genome = best.genome if best.passed else f"{best.genome} !"
        bugs = str(scores["held_out"].problems) if "held_out" in scores else "-"
        rows.append((run.name, searched(run.evidence), genome, bugs, *cells))
    text = table(header, rows, left={"run", "search", "best"})
    if not all(run.best.passed for run in runs):
        text += "\n! failed the gate: no genome of that run passed the last generation's gate"
    return text


def _budgets(runs: Sequence[Run]) -> str:
    names = [field.name for field in fields(type(runs[0].evidence.budget))]
    spent = [asdict(run.evidence.budget) for run in runs]
    rows = [
        (run.name, *(str(budget[name]) for name in names))
        for run, budget in zip(runs, spent, strict=True)
    ]
    text = table(("spent", *(name.replace("_", " ") for name in names)), rows, left={"spent"})
    unequal = [name for name in names if len({budget[name] for budget in spent}) > 1]
    if not unequal:
        return text + "\nThe budgets are equal."
    how_far = ", ".join(_apart(name, [budget[name] for budget in spent]) for name in unequal)
    return f"{text}\n{fill(f'The budgets differ: {how_far}.', _WIDTH)}"


def _apart(name: str, amounts: Sequence[int]) -> str:
    least, most = min(amounts), max(amounts)
    how_far = f"by up to {most / least - 1:.1%}" if least else f"(0 to {most:,})"
    return f"{name.replace('_', ' ')} {how_far}"


def _against(first: Run, other: Run) -> str:
    lines = [f"{other.name} against {first.name}"]
    rows = []
    for title, unseen, bugs, gain in _measured(first, other):
        said = verdict(gain.unclear) if unseen else ""
        rows.append((title, str(bugs), interval(gain.difference, signed=True), said))
    if rows:
        header = ("", "n", "difference", "")
        lines.append(indent(table(header, rows, left={""}), "  "))
    else:
        lines.append("  no shared problems: the corpora differ")
    lines += [
        f"  {title:<15}{text}"
        for title, text in (
            ("objectives", _objectives(first.objectives, other.objectives)),
            ("configuration", _configuration(first, other)),
            ("genomes", _genomes(first, other)),
            *((TITLES[name], _problems(first, other, name)) for name in TITLES),
        )
        if text
    ]
    return "\n".join(lines)


def _objectives(first: Scores, other: Scores) -> str:
    changes = [
        f"{name} {decimal(value - before, 3, signed=True)}"
        for (name, before), value in zip(asdict(first).items(), asdict(other).values(), strict=True)
        if abs(value - before) >= 0.0005
    ]
    return ", ".join(changes) or "the same"


def _configuration(first: Run, other: Run) -> str:
    before = asdict(first.best.configuration) | asdict(first.best.knobs)
    after = asdict(other.best.configuration) | asdict(other.best.knobs)
    changes = [
        f"{name} {_plain(before[name])} -> {_plain(after[name])}"
        for name in before
        if before[name] != after[name]
    ]
    return ("\n" + " " * 17).join(changes) or "the same"


def _genomes(first: Run, other: Run) -> str:
    shared = first.genomes.keys() & other.genomes.keys()
    changed = {name for name in shared if first.genomes[name] != other.genomes[name]}
    words = [f"{len(shared) - len(changed)} the same"]
    for what, names in (
        ("configured differently", changed),
        (f"only in {first.name}", first.genomes.keys() - shared),
        (f"only in {other.name}", other.genomes.keys() - shared),
    ):
        if names:
            shown = " ".join(sorted(names, key=birth)[:6]) + (" ..." if len(names) > 6 else "")
            words.append(f"{len(names)} {what}: {shown}")
    return ("\n" + " " * 17).join(words)


def _problems(first: Run, other: Run, name: str) -> str:
    left, right = first.outcomes.get(name, {}), other.outcomes.get(name, {})
    changes = []
    for problem in sorted(left.keys() | right.keys()):
        cells = [
            f"{model[problem].solved}/{model[problem].samples}" if problem in model else "-"
            for model in (left, right)
        ]
        hashes = {run.problems[problem] for run in (first, other) if problem in run.problems}
        if len(hashes) > 1:
            changes.append(f"{problem} is a different program")
        elif cells[0] != cells[1]:
            changes.append(f"{problem} {cells[0]} -> {cells[1]}")
    if not left and not right:
        return ""
    return ("\n" + " " * 17).join(changes) or "no problem changed"


def _plain(value: object) -> str:
    return "+".join(value) if isinstance(value, tuple) else str(value)
