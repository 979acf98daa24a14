"""What the evidence says, as a table and in words; at most 100 columns wide."""

from __future__ import annotations

from coral_batch.evidence.paired import LEVEL, POWER, Estimate, Paired
from coral_batch.evidence.summary import OWN, SELECTION, Comparison, Evidence, Slice
from coral_batch.report.roles import SHOWN, with_training
from coral_batch.search.best import REFUSED
from coral_batch.work.text import decimal, table

TITLES = {
    "held_out": SHOWN["held_out"],
    "test": "test, again",
    "training": SHOWN["training"],
    SELECTION: "selection",
}
MEASURED = {"repaired": "repaired", "right": "P(first change is right)"}
"""How the measures are called whose reliability the evidence has."""
LOCATED = "line of the bug found"
"""Shows how often a first change is most likely in the bug's line; the others show pass@1."""


def claims(evidence: Evidence) -> str:
    """Return the comparison of the best genome with the base model, and what it is worth."""
    header = ("", "", "drawn", "base model", "best genome", "difference", "P(ahead)")
    rows = []
    for name, comparison in evidence.scores.items():
        drawn = drawn_text(comparison)
        metrics = {1: comparison.pass_at_1, comparison.k: comparison.pass_at_k}
        for k, paired in metrics.items():
            rows.append((TITLES[name], f"pass@{k}", drawn, *paired_cells(paired)))
    budget = evidence.budget
    return "\n".join(
        (
            f"The best genome ({evidence.best}, generation {evidence.generation}, search"
            f" {evidence.search}) against the base model",
            *([] if evidence.passed else [REFUSED]),
            "",
            table(header, rows, left={"", "drawn"}),
            "",
            table(
                ("held-out bugs", "bugs", "base model", "best genome", "difference", "P(ahead)"),
                [
                    (name, str(part.problems), *paired_cells(part.pass_at_1))
                    for name, part in slices(evidence)
                ],
                left={"held-out bugs"},
            ),
            "",
            *(
                f"{TITLES[name]}: {conclusion(comparison)}"
                for name, comparison in evidence.scores.items()
            ),
            "Only `held out` is on problems that neither training nor selection has seen;",
            "`selection` flatters.",
            *with_training(evidence.scores),
            *seen(evidence),
            f"[ ]: {LEVEL:.0%} intervals, programs with all their bugs, and samples, drawn again;"
            " P(ahead): share of",
            "those draws in which the best genome is ahead. drawn: bugs (of programs) x samples.",
            "Closest to a program trained or selected on: "
            + ", ".join(f"{name} {pair.value:.2f}" for name, pair in evidence.contamination.items())
            + ".",
            f"Spent: {budget.genomes} genomes; {budget.samples:,} samples,"
            f" {budget.decoded_tokens:,} tokens decoded;",
            f"{budget.adapters} adapters, {budget.training_tokens:,} tokens trained on.",
        )
    )


def seen(evidence: Evidence) -> list[str]:
    """Say how much of the differences between genomes that selection saw is more than chance."""
    return [
        f"What selection saw of {row.genomes} genomes, bugs of {row.programs} programs each,"
        f" {MEASURED[name]}:"
        f"\n  they differ by {row.spread:.3f}, chance adds {row.chance:.3f} (standard deviations),"
        f" reliability {row.reliability:.2f}."
        for name, row in evidence.reliability.items()
    ]


def slices(evidence: Evidence) -> list[tuple[str, Slice]]:
    """Return the comparisons on the held-out bugs by name, in the order to show them in."""
    located = [] if evidence.located is None else [(LOCATED, evidence.located)]
    # Bugs that were not injected are a part by difficulty already.
    kinds = [(name, part) for name, part in evidence.kinds.items() if name != OWN]
    return [*located, *evidence.difficulty.items(), *kinds]


def drawn_text(comparison: Comparison) -> str:
    """Say what was drawn, e.g. ``168 (76) x 1``: bugs, programs if fewer, samples of each."""
    programs = f" ({comparison.programs})" if comparison.programs < comparison.problems else ""
    return f"{comparison.problems}{programs} x {comparison.best_samples}"


def paired_cells(paired: Paired) -> tuple[str, str, str, str]:
    """Return the cells of one metric: the first model, the second, the difference, P(ahead)."""
    return (
        interval(paired.first),
        interval(paired.second),
        interval(paired.difference, signed=True),
        f"{paired.probability:.2f}",
    )


def interval(estimate: Estimate, signed: bool = False) -> str:
    """Write a value with its interval, e.g. ``0.41 [0.12, 0.70]``."""
    value, low, high = (
        decimal(number, 2, signed=signed)
        for number in (estimate.value, estimate.low, estimate.high)
    )
    return f"{value} [{low}, {high}]"


def conclusion(comparison: Comparison) -> str:
    """Say in a sentence or two what the difference in pass@1 is worth."""
    paired = comparison.pass_at_1
    if not paired.unclear:
        verdict = "better" if paired.difference.value > 0 else "worse"
        note = ", although the two intervals overlap" if paired.overlap else ""
        return f"{verdict}; the difference is more than chance{note}."
    if paired.difference.value == 0:
        return "WARNING, no difference was seen, and the interval contains 0."
    text = "WARNING, chance alone can explain the difference: "
    if paired.difference.low <= 0 <= paired.difference.high:
        text += "its interval contains 0"
        text += ",\n  and the models' intervals overlap." if paired.overlap else "."
    else:
        text += "too few programs\n  differ (randomisation test, p > 0.05)."
    problems, samples = comparison.needed.problems, comparison.needed.samples
    if problems is not None:
        text += f"\n  To tell one this large in {POWER:.0%} of runs: about {problems} such problems"
        text += (
            f", or {samples} samples on each of these." if samples else "; samples alone do not."
        )
    return text
