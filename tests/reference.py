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
from coral_batch.lake.schemas import schema_of
from tests import REPOSITORY

PAGE = REPOSITORY / "docs/reference.md"
HEAD = """# Reference

`make docs` writes this page.

## Values of params.yaml

`dvc exp run -S KEY=VALUE` runs with another value. NAME stands for any name."""
BETWEEN = """## Commands

Run them in the repository's root. With `--help` each says more."""


def table(*rows: tuple[str, ...]) -> str:
    """Return a table in Markdown, the first row being its head."""
    first, *others = (f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in rows)
    return "\n".join([first, f"|{'---|' * len(rows[0])}", *others])


def shown(value: Any) -> str:
    """Return a value as one writes it in params.yaml."""
    return f"`{json.dumps(value)}`".replace('"', "")


def limits(schema: dict[str, Any]) -> str:
    """Return which values a schema allows."""
    if "oneOf" in schema:
        return ", ".join(map(limits, schema["oneOf"]))
    if "enum" in schema:
        return ", ".join(map(shown, schema["enum"]))
    if "items" in schema:
        return f"list: {limits(schema['items'])}"
    kinds = schema.get("type", "constant")
    words = [kinds] if isinstance(kinds, str) else [*kinds]
    above = {"minimum": "<=", "exclusiveMinimum": "<"}
    below = {"maximum": "<=", "exclusiveMaximum": "<"}
    least = "".join(f"{schema[name]}{sign}" for name, sign in above.items() if name in schema)
    most = "".join(f"{sign}{schema[name]}" for name, sign in below.items() if name in schema)
    return ", ".join([*words, f"`{least}x{most}`"] if least or most else words)


def values(key: str, schema: dict[str, Any], given: Any) -> Iterator[tuple[str, ...]]:
    """Yield a row for each value of a section of params.yaml: key, default, meaning, range."""
    if isinstance(schema.get("additionalProperties"), dict):
        yield from values(f"{key}.NAME", schema["additionalProperties"], {})
        return
    for name, below in schema.get("properties", {"": schema}).items():
        if isinstance(below.get("additionalProperties"), dict):
            yield from values(f"{key}.{name}", below, given[name])
        else:
            value = given.get(name, ...) if name else given
            default = "" if value is ... else shown(value)
            yield f"`{key}.{name}`".replace(".`", "`"), default, below["description"], limits(below)


def parameters() -> Iterator[str]:
    """Yield the sections of params.yaml, each with its table."""
    given = YAML(typ="safe").load(REPOSITORY / "params.yaml")
    for key, schema in schema_of("params")["properties"].items():
        yield f"### {key}"
        if "properties" in schema:
            yield schema["description"]
        yield table(("key", "default", "meaning", "range"), *values(key, schema, given[key]))


def usage(path: str, command: Any) -> str:
    """Return a command with its arguments, an optional one in brackets."""
    pieces = command.collect_usage_pieces(command.context_class(command))
    return " ".join([path, *(piece.strip("{}").replace("}", "").upper() for piece in pieces[1:])])


def options(commands: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each argument and option of some commands, equal ones in one row."""
    users: dict[tuple[str, str], list[str]] = {}
    for name, command in commands.items():
        for one in getattr(command, "params", ()):
            option, meaning = one.get_help_record(command.context_class(command))
            if one.param_type_name == "argument":
                option, meaning = option.split()[0].upper(), meaning.removesuffix("  [required]")
            users.setdefault((option.replace(" range>", ">"), meaning), []).append(name)
    for (option, meaning), found in users.items():
        yield ", ".join(found), f"`{option}`", " ".join(meaning.split())


def commands(path: str, group: Any) -> Iterator[str]:
    """Yield the section of a group of commands, and those of the groups in it."""
    found = {name: group.commands[name] for name in group.commands}
    rows = [
        (f"`{usage(f'{path} {name}', one)}`", one.help.partition("\n\n")[0])
        for name, one in found.items()
    ]
    yield f"### {path}"
    yield table(("command", "what it does"), *rows)
    yield table(("command", "argument or option", "meaning"), *options(found))
    for name, one in found.items():
        if hasattr(one, "commands"):
            yield from commands(f"{path} {name}", one)


def reference() -> str:
    """Return the page."""
    parts = (HEAD, *parameters(), BETWEEN, *commands("coral", get_command(app)))
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    PAGE.write_text(reference())
