"""The reference: ``python -m tests.reference`` writes docs/reference.md.

Values come from params.yaml and its schema, commands from their own help: what a page repeats by
hand would soon be wrong.
"""

import json
from collections.abc import Iterator
from typing import Any

from ruamel.yaml import YAML
from typer.main import get_command

from coral_batch.commands.cli import app
from coral_batch.lake.schemas import validator
from tests import REPOSITORY

PAGE = REPOSITORY / "docs/reference.md"
HEAD = """# Reference

`make docs` writes this page.

## Values of params.yaml

`dvc exp run -S KEY=VALUE` runs with another value. NAME stands for any name."""
WRITTEN = ("generations", "parts")
"""Sections that `coral generations` writes."""
BETWEEN = """## Commands

Run them in coral-batch's folder. The [stages](how-it-works.md) are commands too: `coral --help`
lists them. Options of several commands are listed once."""


def shown(value: Any) -> str:
    """Return a value as one writes it in params.yaml."""
    return f"`{json.dumps(value)}`".replace('"', "")


def limits(schema: dict[str, Any]) -> str:
    """Return which values a schema allows; empty if its description says it all."""
    if "oneOf" in schema:
        return ", ".join(filter(None, map(limits, schema["oneOf"])))
    if "enum" in schema:
        named = all(str(one) in schema.get("description", "") for one in schema["enum"])
        return "" if named else ", ".join(map(shown, schema["enum"]))
    if "items" in schema:
        return limits(schema["items"])
    above = {"minimum": "<=", "exclusiveMinimum": "<"}
    below = {"maximum": "<=", "exclusiveMaximum": "<"}
    least = "".join(f"{schema[name]}{sign}" for name, sign in above.items() if name in schema)
    most = "".join(f"{sign}{schema[name]}" for name, sign in below.items() if name in schema)
    return f"`{least}x{most}`" if least or most else ""


def values(key: str, schema: dict[str, Any], given: Any) -> Iterator[str]:
    """Yield a line for each value of a section of params.yaml: key, default, meaning, range."""
    if isinstance(schema.get("additionalProperties"), dict):
        yield from values(f"{key}.NAME", schema["additionalProperties"], {})
        return
    for name, below in schema.get("properties", {"": schema}).items():
        if isinstance(below.get("additionalProperties"), dict):
            yield from values(f"{key}.{name}", below, given[name])
        else:
            value = given.get(name, ...) if name else given
            default = "" if value is ... else f" = {shown(value)}"
            span = limits(below)
            place = f"{key}.{name}".rstrip(".")
            meaning = below["description"].rstrip(".")
            yield f"- `{place}`{default}: {meaning}{f' ({span})' if span else ''}."


def parameters() -> Iterator[str]:
    """Yield the sections of params.yaml, each with its values."""
    given = YAML(typ="safe").load(REPOSITORY / "params.yaml")
    for key, schema in validator("params").schema["properties"].items():
        if key not in WRITTEN:
            yield f"### {key}"
            yield "\n".join(values(key, schema, given[key]))


def usage(path: str, command: Any) -> str:
    """Return a command with its arguments, an optional one in brackets."""
    pieces = command.collect_usage_pieces(command.context_class(command))
    return " ".join([path, *(piece.strip("{}").replace("}", "").upper() for piece in pieces[1:])])


def options(command: Any, seen: set[str]) -> Iterator[str]:
    """Yield a line for each argument and option of a command, unless another has it too."""
    for one in getattr(command, "params", ()):
        option, meaning = one.get_help_record(command.context_class(command))
        if one.param_type_name == "argument":
            option, meaning = option.split()[0].upper(), meaning.removesuffix("  [required]")
        line = f"  - `{option.replace(' range>', '>')}`: {' '.join(meaning.split())}"
        if line not in seen:
            seen.add(line)
            yield line


def commands(path: str, group: Any, seen: set[str]) -> Iterator[str]:
    """Yield the commands of a group that are no stages, and those of the groups in it."""
    for name, one in group.commands.items():
        if hasattr(one, "commands"):
            yield from commands(f"{path} {name}", one, seen)
        elif not one.callback.__module__.startswith("stages"):
            first, *_ = one.help.split("\n\n")
            yield f"- `{usage(f'{path} {name}', one)}`: {first}"
            yield from options(one, seen)


def reference() -> str:
    """Return the page."""
    listed = "\n".join(commands("coral", get_command(app), set()))
    return "\n\n".join((HEAD, *parameters(), BETWEEN, listed)) + "\n"


if __name__ == "__main__":
    PAGE.write_text(reference())
