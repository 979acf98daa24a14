"""`coral use`: a named set of values of params.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from coral_batch.errors import check_known
from coral_batch.lake import params
from coral_batch.verdicts.functions import read_utf8

FOLDER = Path("profiles")


def use(
    name: Annotated[
        str | None,
        typer.Argument(help="A file in profiles/, without .yaml; without it, list them."),
    ] = None,
) -> None:
    """Write a profile, a named set of values, into params.yaml."""
    params.check_here()
    there = {file.stem: file for file in sorted(FOLDER.glob("*.yaml"))}
    if name is None:
        for stem, file in there.items():
            print(f"{stem:<16}{_about(file)}")
        return
    check_known("no such profile", name, there, file=FOLDER / f"{name}.yaml")
    changed = params.write_profile(there[name])
    print("\n".join(changed) if changed else "params.yaml already has these values")


def _about(file: Path) -> str:
    """Return a profile's first comment."""
    first = read_utf8(file).partition("\n")[0]
    return first.removeprefix("#").strip() if first.startswith("#") else ""
