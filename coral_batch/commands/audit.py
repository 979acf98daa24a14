"""The command `coral audit`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from coral_batch import lake
from coral_batch.errors import CoralError
from coral_batch.lake import params
from stages.arguments import ANSWERS_OF, known_part_or_answers


def audit(
    generation: Annotated[
        str | None,
        typer.Argument(
            help="A generation, e.g. 000, "
            + ", ".join((*lake.PARTS, f"or {ANSWERS_OF}MODEL"))
            + "; without it, the whole lake.",
            callback=lambda value: value if value is None else known_part_or_answers(value),
        ),
    ] = None,
    rerun: Annotated[
        str | None,
        typer.Option(
            metavar="PART/GENOME/PROBLEM/SAMPLE",
            help="Only run this repair again in the jail, e.g. 001/000-01/sieve/0.",
        ),
    ] = None,
) -> None:
    """Recompute the lake's tables, compare the rest with dvc.lock, and report mismatches."""
    # Imported here: torch and the linters take seconds, which --help must not.
    from coral_batch.audit.hashes import LOCK
    from coral_batch.audit.rerun import run_again
    from coral_batch.audit.steps import run_steps, steps

    if rerun is not None and generation is not None:
        raise CoralError(
            "--rerun cannot be combined with a part",
            field="--rerun",
            found=generation,
            action="drop one of them",
        )
    if rerun is not None:
        mismatches, lines = run_again(rerun)
    else:
        settings = params.load()
        mismatches, lines = run_steps(settings, steps(settings, generation))
    for mismatch in mismatches:
        print(mismatch)
    print("\n".join(lines))
    if mismatches:
        hint = "" if LOCK.exists() else "; there is no dvc.lock: run `dvc repro` first"
        print(f"error: {len(mismatches)} wrong{hint}", file=sys.stderr)
        raise typer.Exit(1)
