"""The command-line arguments that several stages share."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from coral_batch import lake
from coral_batch.lake import params

ANSWERS_OF = "linteval/"
"""Prefix of CodeLinterEval's models where other parts of the lake are accepted too."""


def known(value: str, *others: str) -> str:
    """Return `value` if it is a generation or one of `others`; raise typer's usage error if not."""
    generations = params.load().generations
    if value not in (*generations, *others):
        names = ", ".join((f"{', '.join(generations)} (see `coral generations`)", *others))
        raise typer.BadParameter(f"{value!r} is not one of {names}")
    return value


def _known_generation(value: str) -> str:
    return known(value)


def _known_source(value: str) -> str:
    sources = params.load().corpus.sources
    if value not in sources:
        raise typer.BadParameter(f"{value!r} is not one of {', '.join(sources)}")
    return value


def _known_lint_model(value: str) -> str:
    params.check_here()
    if value in lake.LINT_MODELS:
        return value
    if not re.fullmatch(lake.GENOME, value):
        models = " nor ".join(lake.LINT_MODELS)
        raise typer.BadParameter(f"{value!r} is neither {models} nor a genome such as 001-01")
    _known_generation(value.partition("-")[0])
    return value


def known_part_or_answers(value: str) -> str:
    """Like `known`, for all parts, and ``linteval/MODEL`` for answers to CodeLinterEval."""
    if value.startswith(ANSWERS_OF):
        _known_lint_model(value.removeprefix(ANSWERS_OF))
        return value
    return known(value, *lake.PARTS, f"{ANSWERS_OF}MODEL")


SourceName = Annotated[
    str, typer.Argument(help="A source of params.yaml (corpus.sources).", callback=_known_source)
]
Generation = Annotated[
    str, typer.Argument(help="The generation, e.g. 000.", callback=_known_generation)
]
Part = Annotated[
    str,
    typer.Argument(
        help="The generation, e.g. 000, or one of "
        + ", ".join(f"`{part}`" for part in lake.PARTS)
        + ".",
        callback=lambda value: known(value, *lake.PARTS),
    ),
]
LintModel = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="`base` for the base model, `best` for the best genome, or any genome, e.g. 001-01.",
        callback=_known_lint_model,
    ),
]
