"""The evidence as text, at most 100 columns wide."""

from __future__ import annotations

from textwrap import fill

from coral_batch.evidence.paired import LEVEL, Paired
from coral_batch.evidence.summary import OWN, SELECTION, Comparison, Evidence, Slice
from coral_batch.report.roles import SHOWN, with_training
from coral_batch.search.best import REFUSED
from coral_batch.work.text import interval, table

TITLES = {
    "held_out": SHOWN["held_out"],
    "test": "test, re-run",
    "training": SHOWN["training"],
    SELECTION: "selection",
}
MEASURED = {"repaired": "pass@1", "right": "P(right first change)"}
"""Measure in `Evidence.reliability` -> its name in the report."""
FIRST_CHANGES = {"line": "line of the bug ranked first", "right": MEASURED["right"]}
"""Measure in `Evidence.first_changes` -> its name in the report."""

NOISE = (
    "More than noise: the interval excludes 0 and a randomisation test agrees.\n"
    "Noise alone passes about 1 in 20 such tests."
)
"""What the verdicts mean."""

_WIDTH = 100


def claims(evidence: Evidence) -> str:
    """Return the comparison of the best genome with the base model as text."""
    header = ("", "", "n", "base model", "best genome", "difference", "")
    rows = []
    for name, comparison in evidence.scores.items():
        metrics = {1: comparison.pass_at_1, comparison.k: comparison.pass_at_k}
        for k, paired in metrics.items():
            cells = paired_cells(paired, name == "held_out")
            rows.append((TITLES[name], f"pass@{k}", count(comparison), *cells))
    budget = evidence.budget
    return "\n".join(
        (
            f"Best genome {evidence.best} (generation {evidence.generation}, search"
            f" {searched(evidence)}) against the base model",
            *([] if evidence.passed else [REFUSED]),
            "",
            table(header, rows, left={"", "n"}),
            *_slices(evidence),
            "",
            "Only the held-out bugs are independent of training and selection.",
            *with_training(evidence.scores),
            *(_line(title, text) for title, text in reliability(evidence)),
            f"[ ]: {100 * LEVEL:.0f} % bootstrap intervals over programs, and samples if several;"
            " exact if all agree.",
            "Differences are in points.",
            NOISE,
            "Another run may find another best genome.",
            "n: bugs (of programs) x samples of each.",
            "Largest overlap of a held-out program with the others: "
            + ", ".join(f"{name} {pair.value:.2f}" for name, pair in evidence.contamination.items())
            + ".",
            f"Cost: {budget.genomes} genomes; {budget.samples:,} samples of"
            f" {budget.decoded_tokens:,} tokens;",
            f"{budget.adapters} adapters trained on {budget.training_tokens:,} tokens.",
        )
    )


def searched(evidence: Evidence) -> str:
    """Return the kind of search, or that there was none."""
    return evidence.search if evidence.budget.genomes > 1 else "of one genome"


def _slices(evidence: Evidence) -> tuple[str, ...]:
    """Return the table of the parts of the held-out bugs below an empty line, if there are any."""
    rows = [
        (name, str(part.problems), *paired_cells(part.paired)) for name, part in slices(evidence)
    ]
    header = ("held-out bugs", "bugs", "base model", "best genome", "difference", "")
    return ("", table(header, rows, left={"held-out bugs"})) if rows else ()


def _line(title: str, text: str) -> str:
    return fill(f"{title}: {text}", _WIDTH, subsequent_indent="  ")


def reliability(evidence: Evidence) -> list[tuple[str, str]]:
    """Return how reliably each measure of selection ranks genomes, in words."""
    return [
        (
            f"Reliability of {MEASURED[name]} in selection",
            f"{row.reliability:.2f} ({row.genomes} genomes on bugs of {row.programs} programs,"
            f" within generations; standard deviation {row.spread:.3f} between genomes without"
            f" noise, {row.chance:.3f} of noise).",
        )
        for name, row in evidence.reliability.items()
    ]


def slices(evidence: Evidence) -> list[tuple[str, Slice]]:
    """Return name and comparison of each part of the held-out bugs."""
    looks = [(FIRST_CHANGES[name], part) for name, part in evidence.first_changes.items()]
    # Difficulty has a part of the bugs that were not injected already.
    kinds = [(name, part) for name, part in evidence.kinds.items() if name != OWN]
    repaired = [*evidence.difficulty.items(), *kinds]
    return [*looks, *((f"pass@1: {name}", part) for name, part in repaired)]


def count(comparison: Comparison) -> str:
    """Return the bugs, the programs if fewer, and samples of each, e.g. ``168 (76) x 1``."""
    programs = f" ({comparison.programs})" if comparison.programs < comparison.problems else ""
    return f"{comparison.problems}{programs} x {comparison.best_samples}"


def paired_cells(paired: Paired, independent: bool = True) -> tuple[str, str, str, str]:
    """Return the cells of one metric: the first model, the second, the difference, the verdict.

    There is a verdict only on problems that are independent of training and selection.
    """
    return (
        interval(paired.first),
        interval(paired.second),
        interval(paired.difference, signed=True),
        verdict(paired.unclear) if independent else "",
    )


def verdict(unclear: bool) -> str:
    """Say whether a difference is more than noise."""
    return "may be noise" if unclear else "more than noise"
