"""Groups of commands that are imported when they are asked for, with their help in sections.

A stage takes a second to start, and a third of that was the import of the commands that it is not.
"""

from __future__ import annotations

from collections import UserDict
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_group

Places = Mapping[str, str]
"""Where commands are, by name: "module:function", or "module:group" of a group in a group."""
# Typer's own help needs Rich, cuts lines to the width and hides what is raised.
_PLAIN: dict[str, Any] = {
    "no_args_is_help": True,
    "add_completion": False,
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
}


class _Commands(UserDict[str, Any]):
    """Commands by name, each made of the function at its place when it is first looked up."""

    def __getitem__(self, name: str) -> Any:
        place = super().__getitem__(name)
        if isinstance(place, str):
            module, _, attribute = place.partition(":")
            self[name] = _command(name, getattr(import_module(module), attribute))
        return super().__getitem__(name)


def _command(name: str, found: Any) -> Any:
    """Make a command of a function, or of a group."""
    if isinstance(found, typer.Typer):
        return get_group(found)
    alone = typer.Typer(**_PLAIN)
    alone.command(name)(found)
    return get_command(alone)


def group(description: str, sections: Mapping[str, Places]) -> typer.Typer:
    """Make a group of commands.

    Args:
        description: what the group's help begins with.
        sections: of its help, by heading, in order.
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
