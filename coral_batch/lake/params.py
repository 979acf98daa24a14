"""params.yaml as frozen dataclasses, validated against schemas/params.schema.json.

The schema says what each key means, its unit and its range. `load` refuses unknown keys,
duplicate keys, wrong types and values out of range with one message that names the key.
"""

from __future__ import annotations

import json
import math
import stat
from collections.abc import Iterator
from dataclasses import astuple
from functools import partial
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.scalarstring import DoubleQuotedScalarString

from coral_batch.errors import CoralError, check_known
from coral_batch.lake.atomic import atomic
from coral_batch.lake.schemas import require_valid, validator
from coral_batch.records.settings import OBJECTIVES, Params, Scores, Shares

FILE = Path("params.yaml")
_SOURCES = "corpus.sources"


def check_here() -> None:
    """Check that the working directory is a project's root, for commands that need no parameters.

    Raises:
        CoralError: it has no params.yaml.
    """
    if not FILE.exists():
        raise _absent(FILE)


def load(file: Path = FILE) -> Params:
    """Read, validate and freeze params.yaml.

    Raises:
        CoralError: the file is missing, is not YAML, or violates the schema or a rule between keys
            (`_check_rules`).
    """
    return _build(_read(file, YAML(typ="safe", pure=True)), file)


def _build(content: Any, file: Path) -> Params:
    """Validate and freeze the content of params.yaml; errors name `file`."""
    _check_keys(content, file)
    require_valid(validator("params"), content, f"{file.name} is not valid", file)
    generations, parts = content["generations"], content["parts"]
    chain = _chain(len(generations))
    known = {"generations": generations, "parts": parts}
    if known != chain or list(generations) != list(chain["generations"]):
        raise CoralError(
            "generations and parts must run from 000 without gaps",
            file=file,
            field="generations, parts",
            found={name: generation["next"] for name, generation in generations.items()},
            action="write both maps with `coral generations N`",
        )
    # Sorted: DVC ignores the order of a map, so it must not matter.
    content["corpus"]["sources"] = dict(sorted(content["corpus"]["sources"].items()))
    params = msgspec.convert(content, Params)
    _check_rules(params, file)
    return params


def changed(file: Path = FILE) -> CoralError:
    """Return the error for a stage during which params.yaml or its code changed.

    DVC would record what the stage made as made with what the file says at the stage's end.
    """
    return CoralError(
        f"{file.name} changed while the stage ran",
        file=file,
        action="run `dvc repro` again; finished work is kept",
    )


def write_generations(count: int) -> None:
    """Rewrite the maps of generations and parts for `count` generations; keep all other text.

    If params.yaml is a link, its target is written.

    Raises:
        CoralError: params.yaml is not valid apart from these maps; nothing is written.
    """
    safe, yaml = YAML(typ="safe", pure=True), _round_trip()
    _read(FILE, safe)  # which refuses more than the other
    document = _read(FILE, yaml)
    if isinstance(document, dict):
        _set_generations(document, count)
    text = _dumped(document, yaml)
    _build(safe.load(text), FILE)
    _write(text)


def write_profile(profile: Path) -> list[str]:
    """Write the values of a profile into params.yaml; keep all other text.

    A profile holds any subset of params.yaml's keys with new values. `generations` is a number
    there, and `corpus.sources` replaces all sources.

    Args:
        profile: the profile's file.

    Returns:
        A line for each changed value.

    Raises:
        CoralError: either file or the result is not valid; nothing is written.
    """
    load()
    safe, yaml = YAML(typ="safe", pure=True), _round_trip()
    before, document, wanted = _read(FILE, safe), _read(FILE, yaml), _read(profile, safe)
    if not isinstance(wanted, dict):
        raise CoralError("a profile has no keys", file=profile, expected="keys of params.yaml")
    _check_keys(wanted, profile)
    count = wanted.pop("generations", len(before["generations"]))
    if type(count) is not int or not 1 <= count <= 999:
        raise CoralError(
            "a profile's generations must be a number",
            file=profile,
            field="generations",
            found=count,
            expected="an integer from 1 to 999",
        )
    if count != len(before["generations"]):
        _set_generations(document, count)
    _merge(document, wanted, profile, "")
    text = _dumped(document, yaml)
    after = safe.load(text)
    _build(safe.load(text), profile)
    if after != before:
        _write(text)
    for values in (before, after):
        del values["parts"]
        values["generations"] = len(values["generations"])
    return list(_differences(before, after, ""))


def _merge(document: Any, wanted: dict[str, Any], profile: Path, above: str) -> None:
    for key, value in wanted.items():
        name = f"{above}{key}"
        check_known("a profile has an unknown key", key, document, file=profile, field=name)
        if isinstance(value, dict) and isinstance(document[key], dict) and name != _SOURCES:
            _merge(document[key], value, profile, f"{name}.")
        elif document[key] != value:
            document[key] = value


def _differences(before: Any, after: Any, above: str) -> Iterator[str]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in dict.fromkeys([*before, *after]):
            if before.get(key) != after.get(key):
                name = f"{above}.{key}" if above else key
                yield from _differences(before.get(key), after.get(key), name)
    else:
        was, now = (json.dumps(value, ensure_ascii=False) for value in (before, after))
        yield f"{above}: {was} -> {now}"


def _set_generations(document: Any, count: int) -> None:
    for key, chain in _chain(count).items():
        document[key] = CommentedMap()
        for name, content in chain.items():
            entry = CommentedMap(content)
            if "next" in entry:
                entry["next"] = DoubleQuotedScalarString(entry["next"])
            entry.fa.set_flow_style()
            document[key][DoubleQuotedScalarString(name)] = entry


def _dumped(document: Any, yaml: YAML) -> str:
    stream = StringIO()
    yaml.dump(document, stream)
    return stream.getvalue()


def _write(text: str) -> None:
    if b"\r\n" in FILE.read_bytes():
        text = text.replace("\n", "\r\n")
    target = FILE.resolve()
    with atomic(target, stat.S_IMODE(target.stat().st_mode)) as written:
        written.write(text.encode())


def _round_trip() -> YAML:
    """Return a YAML object that keeps comments, quotes and the order of keys.

    New lists and maps without nested ones are written on one line.
    """
    yaml = YAML(typ="rt")
    yaml.default_flow_style = None
    yaml.preserve_quotes = True
    yaml.width = 4096
    yaml.indent(mapping=2, sequence=4, offset=2)
    writer = yaml.representer
    writer.add_representer(
        type(None), lambda writer, _: writer.represent_scalar("tag:yaml.org,2002:null", "null")
    )
    # What a profile names by an alias is written out.
    once = writer.ignore_aliases
    writer.ignore_aliases = lambda data: type(data) in (list, dict) or once(data)
    return yaml


def _read(file: Path, yaml: YAML) -> Any:
    try:
        # YAML accepts either line ending; ruamel keeps that of a line with a comment.
        return yaml.load(file.read_bytes().decode("utf-8").replace("\r\n", "\n"))
    except FileNotFoundError:
        raise _absent(file) from None
    except OSError as error:
        raise CoralError(f"{file.name} cannot be read", file=file, found=error.strerror) from None
    except (YAMLError, ValueError, KeyError, RecursionError) as error:  # KeyError: `!!bool x`
        raise CoralError(
            f"{file.name} is not valid YAML in UTF-8", file=file, found=_first_line(error)
        ) from None


def _absent(file: Path) -> CoralError:
    return CoralError(
        "no params.yaml here",
        file=file.absolute(),
        action="run this command in coral-batch's folder; files of yours may be anywhere",
    )


def _first_line(error: Exception) -> str:
    if isinstance(error, MarkedYAMLError) and error.problem_mark is not None:
        return f"at or before line {error.problem_mark.line + 1}: {error.problem}"
    return str(error).splitlines()[0]


def _check_keys(value: Any, file: Path) -> None:
    """Check that all keys are strings, as in JSON.

    Raises:
        CoralError: a key is not, such as 001 without quotes.
    """
    if isinstance(value, dict):
        if others := [key for key in value if not isinstance(key, str)]:
            raise CoralError(
                f"a key of {file.name} is not a string",
                file=file,
                found=", ".join(map(str, others)),
                expected='a string, quoted if YAML would read it as another type: "001"',
            )
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            _check_keys(item, file)


def _check_rules(params: Params, file: Path) -> None:
    """Check the rules between keys, which a JSON Schema cannot express."""
    broken = partial(CoralError, file=file)
    weights = params.objectives.weights
    _check_sum(weights, "the fitness weights do not sum to 1", "objectives.weights", file)
    for name in OBJECTIVES:
        low, high = getattr(params.gate.base, name), getattr(params.gate.max, name)
        if low > high:
            raise broken(
                "gate.base must not exceed gate.max",
                field=f"gate.base.{name}",
                found=low,
                expected=f"at most gate.max.{name} = {high}",
            )
    survivors, population = params.evolution.survivors, params.evolution.population
    others = max(population - 1, 1)
    if survivors > others:
        raise broken(
            "survivors must be fewer than the population",
            field="evolution.survivors",
            found=survivors,
            expected=f"at most {others}, as evolution.population is {population}",
        )
    if params.evolution.select == "reading" and params.sampling.change != "required":
        raise broken(
            "only repairs that must change the program are read",
            field="evolution.select",
            found=params.evolution.select,
            expected="repair or fitness, as sampling.change is free",
        )
    repairs = min(params.sampling.base_temperature, *params.candidates.temperature)
    higher = "sampling.base_temperature and candidates.temperature"
    for name, samples, temperature, setting in (
        ("validation", params.validation.samples, repairs, higher),
        ("evaluation", params.evaluation.samples, repairs, higher),
        ("linteval", params.linteval.samples, params.linteval.temperature, "linteval.temperature"),
    ):
        check_samples(samples, temperature, f"{name}.samples", f"raise {setting}", file)
    calibration = params.calibration
    if calibration.automata < calibration.needed:
        raise broken(
            "too few automata to calibrate the mapping",
            field="calibration.automata",
            found=calibration.automata,
            expected=f"at least {calibration.needed} for {calibration.bins} bins",
            action="raise calibration.automata or lower calibration.bins",
        )
    if params.examples.bugs > params.injection.each:
        raise broken(
            "more injected bugs are shown than made",
            field="examples.bugs",
            found=params.examples.bugs,
            expected=f"at most injection.each = {params.injection.each}",
        )
    if params.linteval.source == "official" and params.linteval.prompts is not None:
        raise broken(
            "an official data set has its own instructions",
            field="linteval.prompts",
            found=params.linteval.prompts,
            expected="null, as linteval.source is official",
        )
    for name, source in params.corpus.sources.items():
        field = f"corpus.sources.{name}"
        if "://" in source.path or source.path.startswith("git@"):
            raise broken(
                "a source must be a local file or folder",
                field=f"{field}.path",
                found=source.path,
                expected="a path",
                action="clone or download it yourself and set its local path",
            )
        if isinstance(source.roles, Shares):
            problem = "the shares of a source do not sum to 1"
            _check_sum(source.roles, problem, f"{field}.roles", file)


def check_samples(
    samples: int, temperature: float, field: str, otherwise: str, file: Path = FILE
) -> None:
    """Check that several samples are not greedy answers.

    Raises:
        CoralError: they are: equal or, if they must change the program, less and less likely.
    """
    if temperature == 0 and samples > 1:
        raise CoralError(
            "at temperature 0 a problem can have only one answer",
            file=file,
            field=field,
            found=samples,
            expected="1 at temperature 0",
            action=f"lower it, or {otherwise}",
        )


def _check_sum(shares: Scores | Shares, problem: str, field: str, file: Path) -> None:
    total = math.fsum(astuple(shares))
    if abs(total - 1) > 1e-9:
        raise CoralError(problem, file=file, field=field, found=total, expected="1.0")


def _chain(count: int) -> dict[str, dict[str, dict[str, str]]]:
    """Return the maps `generations` and `parts` for `count` generations."""
    names = [f"{index:03d}" for index in range(count + 1)]
    return {
        "generations": {name: {"next": following} for name, following in pairwise(names)},
        "parts": {
            name: {"folder": f"generations/{name}", "draws": "validation"} for name in names[:-1]
        },
    }
