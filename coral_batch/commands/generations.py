"""`coral generations`: how many generations a run has."""

from __future__ import annotations

from typing import Annotated

import typer

from coral_batch.lake import params


def generations(
    count: Annotated[
        int | None,
        typer.Argument(min=1, max=999, help="Generations to run; without it, show them."),
    ] = None,
) -> None:
    """Set the number of generations (`dvc repro` runs new ones)."""
    if count is not None:
        params.write_generations(count)
    settings = params.load()
    names = list(settings.generations)
    several = f"{len(names)} generations: {names[0]} to {names[-1]}"
    print(several if len(names) > 1 else f"1 generation: {names[0]}")
    if (note := horizon(len(names), settings.gate.generations)) is not None:
        print(note)


def horizon(count: int, tightening: int) -> str | None:
    """Say what a gate that tightens over another number of generations means; None when it is one.

    Args:
        count: generations to run, >= 1.
        tightening: generations over which the gate tightens, >= 1.
    """
    if count == tightening:
        return None
    last = tightening - 1
    if count < tightening:
        found = (
            f"the thresholds would rise until generation {last:03d}, which is not run: none of "
            "these generations meets the strictest gate"
        )
    else:
        found = (
            f"the thresholds rise only until generation {last:03d}: from there on {count - last} "
            "generations meet the strictest gate, which nobody may pass"
        )
    return (
        f"gate.generations is {tightening}: {found}\n"
        f"to let them rise over all {count}, set gate.generations to {count} in params.yaml; "
        "selection, and what follows from it, then runs again, since the thresholds of generations "
        "that stand change: that is why it does not follow by itself"
    )
