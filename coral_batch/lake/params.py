"""params.yaml as frozen dataclasses, validated against schemas/params.schema.json.

The schema says what each key means, its unit and its range. `load` refuses unknown keys,
duplicate keys, wrong types and values out of range with one message that names the key.
"""

from __future__ import annotations

import math
import stat
from dataclasses import astuple
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.scalarstring import DoubleQuotedScalarString

from coral_batch.errors import CoralError
from coral_batch.lake.atomic import atomic
from coral_batch.lake.schemas import first_error, validator
from coral_batch.records.settings import OBJECTIVES, Params, Shares, Source

FILE = Path("params.yaml")


def check_here() -> None:
    """Check that the working directory is a project's root, for what reads no params.yaml.

    Raises:
        CoralError: there is no params.yaml in it.
    """
    if not FILE.exists():
        raise _absent(FILE)


def load(file: Path = FILE) -> Params:
    """Read, validate and freeze params.yaml.

    Raises:
        CoralError: the file is missing, is not YAML, or breaks the schema or one of the rules
            between keys (`_check_rules`).
    """
    content = _plain(_read_document(file), file, set())
    error = first_error(validator("params"), content)
    if error is not None:
        raise CoralError("params.yaml is not valid", file=file, **error)
    # By name: DVC, which decides what is made again, sees no order in a map.
    content["corpus"]["sources"] = dict(sorted(content["corpus"]["sources"].items()))
    params = msgspec.convert(content, Params)
    _check_rules(params, file)
    return params


def write_generations(count: int, file: Path = FILE) -> None:
    """Rewrite the maps of generations and parts for `count` generations; all else keeps its text.

    Where params.yaml is a link, the file that it leads to is written.

    Raises:
        CoralError: params.yaml is not valid, before or after.
    """
    document = _read_document(file)
    load(file)
    for name in ("generations", "parts"):
        document[name].clear()
    for index in range(count):
        name = f"{index:03d}"
        following = {"next": DoubleQuotedScalarString(f"{index + 1:03d}")}
        part = {"folder": f"generations/{name}", "draws": "validation"}
        for key, content in (("generations", following), ("parts", part)):
            entry = CommentedMap(content)
            entry.fa.set_flow_style()
            document[key][DoubleQuotedScalarString(name)] = entry
    stream = StringIO()
    _yaml().dump(document, stream)
    text = stream.getvalue()
    if b"\r\n" in file.read_bytes():
        text = text.replace("\n", "\r\n")
    target = file.resolve()
    with atomic(target, stat.S_IMODE(target.stat().st_mode)) as written:
        written.write(text.encode())


def _yaml() -> YAML:
    """Round trip, so that comments, quotes and the order of keys survive a rewrite."""
    yaml = YAML(typ="rt")
    yaml.preserve_quotes = True
    yaml.width = 4096
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.representer.add_representer(type(None), _represent_null)
    return yaml


def _represent_null(representer: Any, _: None) -> Any:
    return representer.represent_scalar("tag:yaml.org,2002:null", "null")


def _read_document(file: Path) -> Any:
    try:
        # To YAML a line ends either way; ruamel keeps how one with a comment does.
        return _yaml().load(file.read_bytes().decode("utf-8").replace("\r\n", "\n"))
    except FileNotFoundError:
        raise _absent(file) from None
    except OSError as error:
        raise CoralError("params.yaml cannot be read", file=file, found=error.strerror) from None
    except (YAMLError, ValueError, KeyError, RecursionError) as error:  # KeyError: `!!bool x`
        raise CoralError(
            "params.yaml is not UTF-8 text in YAML", file=file, found=_first_line(error)
        ) from None


def _absent(file: Path) -> CoralError:
    return CoralError(
        "no params.yaml here", file=file.absolute(), action="run from the repository's root"
    )


def _first_line(error: Exception) -> str:
    if isinstance(error, MarkedYAMLError) and error.problem_mark is not None:
        return f"line {error.problem_mark.line + 1}: {error.problem}"
    return str(error).splitlines()[0]


def _plain(value: Any, file: Path, seen: set[int]) -> Any:
    """Turn ruamel's containers and scalars into plain ones, so that jsonschema and == see JSON.

    Raises:
        CoralError: a container is an alias of another, in `seen`; a few lines of aliases of
            aliases would stand for more than fits into memory. Or a key is no text.
    """
    if isinstance(value, dict | list):
        if id(value) in seen:
            raise CoralError(
                "params.yaml has an alias", file=file, expected="every list and map written out"
            )
        seen.add(id(value))
    if isinstance(value, dict):
        if others := [key for key in value if not isinstance(key, str)]:
            raise CoralError(
                "a key of params.yaml is no text to YAML",
                file=file,
                found=", ".join(map(str, others)),
                expected='a text, in quotes where it looks like another value: "001"',
            )
        return {str(key): _plain(item, file, seen) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item, file, seen) for item in value]
    if isinstance(value, bool) or value is None:
        return value
    for plain in (int, float, str):
        if isinstance(value, plain):
            return plain(value)
    return value


def _check_rules(params: Params, file: Path) -> None:
    """Check what a JSON Schema cannot say: the rules between keys."""
    total = math.fsum(astuple(params.objectives.weights))
    if abs(total - 1) > 1e-9:
        raise CoralError(
            "the fitness weights do not sum to 1",
            file=file,
            field="objectives.weights",
            found=total,
            expected="1.0",
        )
    for name in OBJECTIVES:
        low, high = getattr(params.gate.base, name), getattr(params.gate.max, name)
        if low > high:
            raise CoralError(
                "a threshold would loosen",
                file=file,
                field=f"gate.base.{name}",
                found=low,
                expected=f"at most gate.max.{name} = {high}",
            )
    if params.evolution.survivors >= params.evolution.population:
        raise CoralError(
            "nobody would be bred",
            file=file,
            field="evolution.survivors",
            found=params.evolution.survivors,
            expected=f"less than evolution.population = {params.evolution.population}",
        )
    if params.calibration.automata < params.calibration.needed:
        raise CoralError(
            "too few automata to calibrate the mapping",
            file=file,
            field="calibration.automata",
            found=params.calibration.automata,
            expected=f"at least {params.calibration.needed} for {params.calibration.bins} bins",
            action="raise calibration.automata or lower calibration.bins",
        )
    for name, source in params.corpus.sources.items():
        _check_source(name, source, file)
    _check_chain(params, file)


def _check_source(name: str, source: Source, file: Path) -> None:
    if "://" in source.path or source.path.startswith("git@"):
        raise CoralError(
            "a source is a file or a folder",
            file=file,
            field=f"corpus.sources.{name}.path",
            found=source.path,
            expected="a path",
            action="clone or download it yourself, and set the path to where it lies",
        )
    if isinstance(source.roles, Shares) and abs(math.fsum(astuple(source.roles)) - 1) > 1e-9:
        raise CoralError(
            "the shares of a source do not sum to 1",
            file=file,
            field=f"corpus.sources.{name}.roles",
            found=math.fsum(astuple(source.roles)),
            expected="1.0",
        )


def _check_chain(params: Params, file: Path) -> None:
    folders = {name: f"generations/{name}" for name in params.generations}
    if {name: part.folder for name, part in params.parts.items()} != folders:
        raise CoralError(
            "the parts are not the generations",
            file=file,
            field="parts",
            found=list(params.parts),
            expected=f"one for each of {', '.join(params.generations)}",
            action="write both maps with `coral generations N`",
        )
    for index, (name, generation) in enumerate(params.generations.items()):
        expected = f"{index:03d}: {{next: {index + 1:03d}}}"
        if name != f"{index:03d}" or generation.next != f"{index + 1:03d}":
            raise CoralError(
                "the generations are not a chain from 000",
                file=file,
                field=f"generations, entry {index + 1}",
                found=f"{name}: {{next: {generation.next}}}",
                expected=expected,
                action="write the maps with `coral generations N`",
            )
