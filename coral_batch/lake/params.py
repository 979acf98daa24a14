"""params.yaml as frozen dataclasses, validated against schemas/params.schema.json.

The schema says what each key means, its unit and its range. `load` refuses unknown keys,
duplicate keys, wrong types and values out of range with one message that names the key.
"""

from __future__ import annotations

import math
import stat
from dataclasses import astuple
from io import StringIO
from itertools import pairwise
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
from coral_batch.records.settings import OBJECTIVES, Params, Shares

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
    content = _read(file, YAML(typ="safe", pure=True))
    _check_keys(content, file)
    error = first_error(validator("params"), content)
    if error is not None:
        raise CoralError("params.yaml is not valid", file=file, **error)
    generations, parts = content["generations"], content["parts"]
    chain = _chain(len(generations))
    known = {"generations": generations, "parts": parts}
    if known != chain or list(generations) != list(chain["generations"]):
        raise CoralError(
            "the generations are not a chain from 000, each with its part",
            file=file,
            field="generations, parts",
            found={name: generation["next"] for name, generation in generations.items()},
            action="write both maps with `coral generations N`",
        )
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
    load(file)
    yaml = _round_trip()
    document = _read(file, yaml)
    for key, chain in _chain(count).items():
        document[key].clear()
        for name, content in chain.items():
            entry = CommentedMap(content)
            if "next" in entry:
                entry["next"] = DoubleQuotedScalarString(entry["next"])
            entry.fa.set_flow_style()
            document[key][DoubleQuotedScalarString(name)] = entry
    stream = StringIO()
    yaml.dump(document, stream)
    text = stream.getvalue()
    if b"\r\n" in file.read_bytes():
        text = text.replace("\n", "\r\n")
    target = file.resolve()
    with atomic(target, stat.S_IMODE(target.stat().st_mode)) as written:
        written.write(text.encode())


def _round_trip() -> YAML:
    """Return what lets comments, quotes and the order of keys survive a rewrite."""
    yaml = YAML(typ="rt")
    yaml.preserve_quotes = True
    yaml.width = 4096
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.representer.add_representer(type(None), _represent_null)
    return yaml


def _represent_null(representer: Any, _: None) -> Any:
    return representer.represent_scalar("tag:yaml.org,2002:null", "null")


def _read(file: Path, yaml: YAML) -> Any:
    try:
        # To YAML a line ends either way; ruamel keeps how one with a comment does.
        return yaml.load(file.read_bytes().decode("utf-8").replace("\r\n", "\n"))
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


def _check_keys(value: Any, file: Path) -> None:
    """Check that all keys are texts, as JSON has them.

    Raises:
        CoralError: one is none, such as 001 without quotes.
    """
    if isinstance(value, dict):
        if others := [key for key in value if not isinstance(key, str)]:
            raise CoralError(
                "a key of params.yaml is no text to YAML",
                file=file,
                found=", ".join(map(str, others)),
                expected='a text, in quotes where it looks like another value: "001"',
            )
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            _check_keys(item, file)


def _check_rules(params: Params, file: Path) -> None:
    """Check what a JSON Schema cannot say: the rules between keys."""

    def insist(
        holds: bool,
        problem: str,
        field: str,
        found: object,
        expected: str,
        action: str | None = None,
    ) -> None:
        if not holds:
            raise CoralError(
                problem, file=file, field=field, found=found, expected=expected, action=action
            )

    total = math.fsum(astuple(params.objectives.weights))
    weights = "objectives.weights"
    insist(_is_one(total), "the fitness weights do not sum to 1", weights, total, "1.0")
    for name in OBJECTIVES:
        low, high = getattr(params.gate.base, name), getattr(params.gate.max, name)
        most = f"at most gate.max.{name} = {high}"
        insist(low <= high, "a threshold would loosen", f"gate.base.{name}", low, most)
    survivors, population = params.evolution.survivors, params.evolution.population
    fewer = f"less than evolution.population = {population}"
    bred = survivors < population
    insist(bred, "nobody would be bred", "evolution.survivors", survivors, fewer)
    calibration = params.calibration
    insist(
        calibration.automata >= calibration.needed,
        "too few automata to calibrate the mapping",
        "calibration.automata",
        calibration.automata,
        f"at least {calibration.needed} for {calibration.bins} bins",
        "raise calibration.automata or lower calibration.bins",
    )
    for name, source in params.corpus.sources.items():
        field = f"corpus.sources.{name}"
        insist(
            "://" not in source.path and not source.path.startswith("git@"),
            "a source is a file or a folder",
            f"{field}.path",
            source.path,
            "a path",
            "clone or download it yourself, and set the path to where it lies",
        )
        if isinstance(source.roles, Shares):
            total = math.fsum(astuple(source.roles))
            problem = "the shares of a source do not sum to 1"
            insist(_is_one(total), problem, f"{field}.roles", total, "1.0")


def _is_one(total: float) -> bool:
    return abs(total - 1) <= 1e-9


def _chain(count: int) -> dict[str, dict[str, dict[str, str]]]:
    """Return the maps `generations` and `parts` of so many generations."""
    names = [f"{index:03d}" for index in range(count + 1)]
    return {
        "generations": {name: {"next": following} for name, following in pairwise(names)},
        "parts": {
            name: {"folder": f"generations/{name}", "draws": "validation"} for name in names[:-1]
        },
    }
