"""The command `coral audit`: its arguments, and how a doubt is told."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from coral_batch import lake
from coral_batch.audit.doubt import Doubt
from coral_batch.errors import shorten
from coral_batch.lake import params
from stages.arguments import ANSWERS_OF, known_part_or_answers


def audit(
    generation: Annotated[
        str | None,
        typer.Argument(
            help="A generation, e.g. 000, or another part of the lake: "
            + ", ".join((lake.BASELINE, *lake.EVALUATIONS.values(), f"{ANSWERS_OF}MODEL"))
            + " (MODEL is base, best or GENERATION/GENOME); without it, the whole lake.",
            callback=lambda value: value if value is None else known_part_or_answers(value),
        ),
    ] = None,
    calibration: Annotated[
        bool, typer.Option("--calibration", help="Calibrate the mapping again as well.")
    ] = False,
    rerun: Annotated[
        str | None,
        typer.Option(
            metavar="PART/GENOME/PROBLEM/SAMPLE",
            help="Only run this repair again in the jail, e.g. 001/000-02/sieve/0.",
        ),
    ] = None,
) -> None:
    """Compute the lake again from itself and name what does not follow."""
    # Imported here: torch and the linters take seconds, which --help must not.
    from coral_batch.audit.checks import checks, run_checks  # noqa: PLC0415
    from coral_batch.audit.rerun import run_again  # noqa: PLC0415

    if rerun is not None:
        doubts, lines = run_again(rerun)
    else:
        settings = params.load()
        doubts, lines = run_checks(settings, checks(settings, generation, calibration))
    for doubt in doubts:
        print(told(doubt))
    print("\n".join(lines))
    if doubts:
        print(f"error: {len(doubts)} values or rows do not follow", file=sys.stderr)
        raise typer.Exit(1)


def told(doubt: Doubt) -> str:
    """Write a doubt as a block of lines."""
    lines = [", ".join(str(word) for word in (doubt.file, doubt.row, doubt.column) if word)]
    if doubt.problem is not None:
        lines += doubt.problem.split("\n")
    else:
        expected = "another value" if doubt.expected is None else shorten(doubt.expected)
        lines += [f"found:    {shorten(doubt.found)}", f"expected: {expected}"]
        lines += [f"from:     {doubt.source}"]
    return "\n  ".join(lines) + "\n"
