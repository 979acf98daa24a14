"""`coral`: every stage of dvc.yaml as a subcommand, and the commands people need besides.

A user's error is printed as one message without a traceback, with exit status 1 (2 of `coral
repair`); Ctrl-C exits with status 130. Anything else that is raised is a defect and keeps its
traceback.
"""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import Annotated

import typer

from coral_batch.commands import linteval as linteval_commands
from coral_batch.commands.audit import audit
from coral_batch.commands.compare import compare
from coral_batch.commands.doctor import doctor
from coral_batch.commands.export import export
from coral_batch.commands.panels import KEEP, LOOK, RUN, USE, Panels
from coral_batch.commands.repair.command import UNTRIED, repair
from coral_batch.commands.show import show
from coral_batch.commands.store import store
from coral_batch.errors import CoralError
from coral_batch.lake import params
from stages.adapters import adapters
from stages.automata import automata
from stages.base import base
from stages.best import best
from stages.bugs import bugs
from stages.calibration import calibration
from stages.corpus import corpus
from stages.evidence import evidence
from stages.examples import examples
from stages.features import features
from stages.finals import finals
from stages.findings import findings
from stages.index import index
from stages.linteval_items import linteval_items
from stages.linteval_report import linteval_report
from stages.linteval_samples import linteval_samples
from stages.linteval_scores import linteval_scores
from stages.page import page
from stages.population import population
from stages.refit import refit
from stages.report import report
from stages.samples import samples
from stages.scores import scores
from stages.selection import selection
from stages.split import split
from stages.subjects import subjects
from stages.verdicts import verdicts

STAGES = (
    corpus,
    split,
    bugs,
    base,
    examples,
    calibration,
    population,
    automata,
    features,
    adapters,
    subjects,
    samples,
    verdicts,
    findings,
    scores,
    selection,
    finals,
    best,
    refit,
    evidence,
    report,
    page,
    index,
)

# Stages of CodeLinterEval: `coral linteval items` is stages/linteval_items.py.
LINTEVAL = (linteval_items, linteval_samples, linteval_scores, linteval_report)

INTERRUPTED = 130

app = typer.Typer(
    name="coral",
    cls=Panels,
    help="Evolve LoRA/DoRA adapters that repair Python bugs; `dvc repro` runs all stages.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
linteval = typer.Typer(
    cls=Panels,
    help="CodeLinterEval, rewriting code until flake8 is silent: its stages, and its answers.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for stage in STAGES:
    app.command(rich_help_panel=RUN)(stage)
for lint_stage in LINTEVAL:
    name = lint_stage.__name__.removeprefix("linteval_")
    linteval.command(name, rich_help_panel=RUN)(lint_stage)
linteval.command(rich_help_panel=LOOK)(linteval_commands.show)
linteval.command(rich_help_panel=USE)(linteval_commands.run)
linteval.command(rich_help_panel=USE)(linteval_commands.score)
linteval.command(rich_help_panel=USE)(linteval_commands.export)
app.add_typer(linteval, name="linteval", rich_help_panel=RUN)
for look in (show, compare, audit, doctor):
    app.command(rich_help_panel=LOOK)(look)
for use in (repair, export):
    app.command(rich_help_panel=USE)(use)
app.add_typer(store, name="store", rich_help_panel=KEEP)


def print_version(wanted: bool) -> None:
    """Print the version of coral-batch and exit, if that is `wanted`."""
    if wanted:
        print(f"coral-batch {version('coral-batch')}")
        raise typer.Exit


@app.callback()
def options(
    _: Annotated[
        bool,
        typer.Option(
            "--version", callback=print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Hold the options of `coral` itself."""


@app.command(rich_help_panel=KEEP)
def generations(
    count: Annotated[
        int | None, typer.Argument(min=1, max=999, help="Generations to run; none: show.")
    ] = None,
) -> None:
    """Set the number of generations (`dvc repro` runs new ones)."""
    if count is not None:
        params.write_generations(count)
    settings = params.load()
    names = list(settings.generations)
    print(f"{len(names)} generations: {names[0]} to {names[-1]}")
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


def is_out_of_memory(error: Exception) -> bool:
    """Whether Python, torch on the processor or torch on a GPU ran out of memory."""
    words = ("can't allocate memory", "out of memory")
    return isinstance(error, MemoryError) or any(word in str(error) for word in words)


def _repairing() -> bool:
    """Whether the command is `coral repair`, which is no part of a run."""
    return sys.argv[1:2] == [repair.__name__]


def main() -> None:
    """Run the command line."""
    try:
        app()
    except CoralError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(UNTRIED if _repairing() else 1)
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        print(
            f"error: there is not enough memory\n  found:    {error}\n  do:       free some, or"
            " take a smaller base model; what was finished is kept",
            file=sys.stderr,
        )
        sys.exit(UNTRIED if _repairing() else 1)
    except SystemExit as end:
        # Typer turns Ctrl-C into this status, without a word.
        if end.code == INTERRUPTED:
            follows = "`dvc repro` goes on from here"
            if _repairing():
                follows = "nothing was written but what is told above as written"
            print(f"\ninterrupted; {follows}", file=sys.stderr)
        raise
