"""`coral`: one subcommand per stage of dvc.yaml, and all other commands.

Commands are imported lazily, since importing all of them takes a third of a second.

A user error is printed as one message without a traceback; the exit status is 1 (2 for `coral
repair`). Ctrl-C exits with 130. Any other exception is a bug and keeps its traceback.
"""

from __future__ import annotations

import errno
import filecmp
import io
import os
import sys
from collections import UserDict
from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_group

from coral_batch.errors import UNTRIED, CoralError

STAGES = (
    *("corpus", "split", "bugs", "base", "examples", "calibration"),
    *("population", "automata", "features", "adapters", "subjects"),
    *("samples", "verdicts", "findings", "scores", "selection"),
    *("best", "evidence", "results", "page", "index"),
)
# Stages of CodeLinterEval: `coral linteval items` is stages/linteval_items.py.
LINTEVAL = ("linteval_items", "linteval_samples", "linteval_scores", "linteval_report")

INTERRUPTED = 130

RUN = "Run (`dvc repro` calls these, each as a stage)"
COMMANDS = "coral_batch.commands"

Places = Mapping[str, str]
"""Command -> "module:function", or "module:group" for a nested group."""
# Typer's default help needs Rich, truncates lines and hides exceptions.
_PLAIN: dict[str, Any] = {
    "no_args_is_help": True,
    "add_completion": False,
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
}


class _Commands(UserDict[str, Any]):
    """Commands by name, each imported when it is first looked up."""

    def __getitem__(self, name: str) -> Any:
        place = super().__getitem__(name)
        if isinstance(place, str):
            module, _, attribute = place.partition(":")
            self[name] = _command(name, getattr(import_module(module), attribute))
        return super().__getitem__(name)


def _command(name: str, found: Any) -> Any:
    """Make a command from a function or a group."""
    if isinstance(found, typer.Typer):
        return get_group(found)
    single = typer.Typer(**_PLAIN)
    single.command(name)(found)
    return get_command(single)


def group(description: str, sections: Mapping[str, Places]) -> typer.Typer:
    """Make a group of commands.

    Args:
        description: first line of the group's help.
        sections: heading -> commands, in the order of the help.
    """

    class Group(TyperGroup):
        def __init__(self, **attributes: Any) -> None:
            super().__init__(**attributes)
            self.commands = _Commands(
                {name: place for places in sections.values() for name, place in places.items()}
            )

        def format_commands(self, ctx: Any, formatter: Any) -> None:
            width = max(map(len, self.commands))
            for heading, places in sections.items():
                with formatter.section(heading):
                    formatter.write_dl(
                        [
                            (name.ljust(width), self.commands[name].get_short_help_str(limit=1000))
                            for name in places
                        ]
                    )

    return typer.Typer(cls=Group, help=description, **_PLAIN)


def _stages(names: tuple[str, ...]) -> Places:
    """Return command -> "module:function" of stages."""
    return {name.removeprefix("linteval_"): f"stages.{name}:{name}" for name in names}


linteval = group(
    "CodeLinterEval: rewrite code until flake8 is silent.",
    {
        RUN: _stages(LINTEVAL),
        "Look": {"show": f"{COMMANDS}.linteval:show"},
        "Use": {name: f"{COMMANDS}.linteval:{name}" for name in ("run", "score", "export")},
    },
)
store = group(
    "See, check and shrink the store of trained adapters and samples.",
    {
        "Commands": {
            "list": f"{COMMANDS}.store:show",
            **{name: f"{COMMANDS}.store:{name}" for name in ("verify", "prune")},
        }
    },
)
app = group(
    "Evolve LoRA/DoRA adapters that repair Python bugs; `dvc repro` runs all stages.",
    {
        "Use": {name: f"{COMMANDS}.{name}:{name}" for name in ("repair", "export", "score")},
        "Look": {
            name: f"{COMMANDS}.{name}:{name}" for name in ("show", "compare", "audit", "doctor")
        },
        "Keep": {
            "use": f"{COMMANDS}.use:use",
            "generations": f"{COMMANDS}.generations:generations",
            "store": f"{COMMANDS}.cli:store",
        },
        RUN: {**_stages(STAGES), "linteval": f"{COMMANDS}.cli:linteval"},
    },
)


def print_version(wanted: bool) -> None:
    """Print the version of coral-batch and exit, if `wanted`."""
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


def is_out_of_memory(error: Exception) -> bool:
    """Whether Python, torch on the processor or torch on a GPU ran out of memory."""
    words = ("can't allocate memory", "Cannot allocate memory", "out of memory")
    return isinstance(error, MemoryError) or any(word in str(error) for word in words)


def _repairing() -> bool:
    """Whether the command is `coral repair`."""
    return sys.argv[1:2] == ["repair"]


def _how_to_resume() -> str:
    """Return how to resume the interrupted command, or what it left behind."""
    command, under, model = [*sys.argv[1:], "", "", ""][:3]
    if _repairing():
        return "; only the files reported above as written were changed"
    stage = f"linteval_{under}" if command == "linteval" else command
    genome = stage in LINTEVAL and model not in ("", "base", "best")
    if stage in (*STAGES, *LINTEVAL) and not genome:
        return "; `dvc repro` resumes here"
    if genome or stage in ("score", "linteval_run"):
        return "; run the same command to resume"
    return ""


def _check_checkout() -> None:
    """Check that the code here is the installed one: DVC records the hashes of the code here.

    Raises:
        CoralError: it is other code, as in a second checkout. A copy, as DVC makes one for queued
            experiments, may stand here.
    """
    here, installed = Path.cwd(), Path(__file__).resolve().parents[2]
    if not Path("coral_batch").is_dir() or here.resolve() == installed:
        return
    for folder in ("coral_batch", "stages", "schemas"):
        files = [file for file in (installed / folder).rglob("*") if file.is_file()]
        files = [file for file in files if file.parent.name != "__pycache__"]
        for file in sorted(file for file in files if file.name[0] != "."):  # editors' files
            other = here / file.relative_to(installed)
            if not (other.is_file() and filecmp.cmp(file, other, shallow=False)):
                raise CoralError(
                    "this checkout's code is not the installed one",
                    file=other,
                    found=f"other than {file}",
                    action="remove a copied .venv, run `make setup` here and activate it;"
                    " in a queued experiment, undo the change or queue again",
                )


def main() -> None:
    """Run the command line."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Like stderr: escape characters that the terminal's encoding lacks, such as bars.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        _check_checkout()
        if stage := os.environ.get("DVC_STAGE"):
            from coral_batch.lake.stage import BEFORE_WRITING
            from coral_batch.verdicts.inside.kernel import exit_when_parent_dies
            from coral_batch.work.pipeline import code_check, say_place

            # A killed `dvc` would leave a stage that writes tables beside those of the next run.
            exit_when_parent_dies(os.getppid())
            say_place(stage)
            BEFORE_WRITING.append(code_check(stage))
        app(prog_name="coral")
    except (CoralError, MemoryError, RuntimeError, OSError) as error:
        message = str(error)
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS):
            message = (
                f"a disk is full or read-only\n  found:    {error}\n  do:       free space or grant"
                " write access there, or for temporary files (TMPDIR); finished work is kept"
            )
        elif not isinstance(error, CoralError):
            if not is_out_of_memory(error):
                raise
            message = (
                f"out of memory\n  found:    {error}\n  do:       free memory or use a smaller base"
                " model; finished work is kept"
            )
        print(f"error: {message}", file=sys.stderr)
        sys.exit(UNTRIED if _repairing() else 1)
    except SystemExit as end:
        # Typer turns Ctrl-C into this status and prints nothing.
        if end.code == INTERRUPTED:
            print(f"\ninterrupted{_how_to_resume()}", file=sys.stderr)
        raise
