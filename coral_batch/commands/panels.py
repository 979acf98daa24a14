"""The commands of `coral --help` in groups, as plain text."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

RUN = "Run (`dvc repro` calls these, each as a stage)"
LOOK = "Look"
USE = "Use"
KEEP = "Keep"


class Panels(TyperGroup):
    """A group of commands whose plain help has one section per `rich_help_panel`, in order.

    Typer itself reads that name only where Rich draws the help, and cuts each line to the width.
    """

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the sections: each command with the first sentence of its help."""
        width = max(len(name) for name in self.commands)
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            panel = getattr(command, "rich_help_panel", None) or "Commands"
            row = (name.ljust(width), command.get_short_help_str(limit=1000))
            sections.setdefault(panel, []).append(row)
        for panel, rows in sections.items():
            with formatter.section(panel):
                formatter.write_dl(rows)
