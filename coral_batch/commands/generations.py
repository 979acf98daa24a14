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
    """Return a warning if the gate tightens over another number of generations, else None.

    Args:
        count: generations to run, >= 1.
        tightening: generations over which the gate tightens, >= 1.
    """
    if count == tightening:
        return None
    last = tightening - 1
    if count < tightening:
        found = (
            f"the thresholds rise until generation {last:03d}, which is not run: no generation "
            "meets the strictest gate"
        )
    else:
        found = (
            f"the thresholds rise only until generation {last:03d}: the last {count - last} "
            "generations meet the strictest gate, and possibly no genome passes it"
        )
    return (
        f"gate.generations is {tightening}: {found}\n"
        f"to let them rise over all {count}, set gate.generations to {count} in params.yaml\n"
        "this is not automatic: it changes the thresholds of finished generations, and `dvc repro` "
        "then repeats selection and all later stages"
    )
