"""Read data sets: find the file, parse and validate its rows, make problems of them.

A file has one row per line (JSONL) or an array of rows, and may be compressed. A row that is not in
the published format is an error. A row that cannot become a problem is returned with the reason.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from coral_batch.errors import CoralError, reading
from coral_batch.lake import strictjson
from coral_batch.lake.schemas import require_valid, validator
from coral_batch.records.problem import Case, DroppedProblem, Problem, Suite, content_hash

Row = dict[str, Any]
SchemaOf = Callable[[Mapping[str, Any]], str]
"""Returns the name of a row's schema, as in ``schemas/NAME.schema.json``."""

ROLES_FILE = "roles.jsonl"
"""The roles of a source's problems, next to its data set; not a data set itself."""

BACKTICKS = "```"

_DATA_SETS = ("*.jsonl", "*.jsonl.gz", "*.json")


@dataclass(eq=False)
class Lost(Exception):
    """A row cannot become a problem, and why; see `DroppedProblem`."""

    reason: str
    detail: str


def read_problems(
    path: Path,
    schema_of: SchemaOf,
    name_of: Callable[[Row], str],
    make: Callable[[str, Row], Problem],
    *,
    infinite: bool = False,
) -> tuple[list[Problem], list[DroppedProblem]]:
    """Make problems of a data set's rows, in the file's order; return the dropped rows as well.

    Args:
        path: the file, or a folder that holds one data set.
        schema_of: as in `read_rows`.
        name_of: names a row's problem.
        make: makes a problem from a name and a row, or raises `Lost`.
        infinite: as in `read_rows`.

    Raises:
        CoralError: as in `read_rows`; the folder has no data set or several; or no row can become
            a problem.
    """
    file = find_data_set(path, _DATA_SETS)
    problems, dropped = [], []
    for _, row in read_rows(file, schema_of, infinite=infinite):
        name = name_of(row)
        try:
            problems.append(make(name, row))
        except Lost as lost:
            dropped.append(DroppedProblem(name, lost.reason, lost.detail))
    if not problems:
        raise CoralError(
            "no row of the data set can become a problem",
            file=file,
            found="; ".join(f"{one.name}: {one.detail}" for one in dropped[:3]),
            expected="at least one row that can be tested",
        )
    return problems, dropped


def find_data_set(path: Path, patterns: Sequence[str]) -> Path:
    """Return `path`, or of a folder its only file that matches one of the patterns.

    Raises:
        CoralError: the folder has no such file or several, or cannot be read.
    """
    with reading(path):
        if not path.is_dir():
            return path
        files = sorted(file for pattern in patterns for file in path.glob(pattern))
    found = [file for file in files if file.name != ROLES_FILE and not file.name.startswith(".")]
    if len(found) != 1:
        raise CoralError(
            f"the folder has {'several data sets' if found else 'no data set'}",
            file=path,
            found=", ".join(file.relative_to(path).as_posix() for file in found) or "none",
            expected=f"one file named {', '.join(patterns)}",
            action="give the path of the file",
        )
    return found[0]


def read_rows(
    file: Path, schema_of: SchemaOf, key: str = "task_id", *, infinite: bool = False
) -> Iterator[tuple[str, Row]]:
    """Read the rows of a file in their order, each with its place, e.g. ``line 3``.

    Fields that the schema lacks are dropped; a missing field gets the schema's default, if any.

    Args:
        file: the file.
        schema_of: returns the name of a row's schema.
        key: the field that must be unique.
        infinite: allow NaN and Infinity, which are not JSON.

    Raises:
        CoralError: the file cannot be read or is empty, a line is not JSON, a row breaks its
            schema, or two rows have the same key.
    """
    first: dict[Any, str] = {}
    for where, value in _values(file, infinite):
        check = validator(schema_of(value if isinstance(value, dict) else {}))
        row = _known(value, check.schema["properties"])
        problem = f"a row is not in the format of {check.schema['title']}"
        require_valid(check, row, problem, file, where)
        check_new(row[key], key, where, first, file)
        yield where, row
    if not first:
        raise CoralError("the data set is empty", file=file, expected="at least one row")


def check_new(value: object, key: str, where: str, first: dict[Any, str], file: Path) -> None:
    """Check that no row before has the same id, and add it to `first`: id -> place.

    Raises:
        CoralError: one has.
    """
    if value in first:
        raise CoralError(
            f"two rows have the same {key.replace('_', ' ')}",
            file=file,
            field=f"{where}, {key}",
            found=value,
            expected=f"an id other than that of {first[value]}",
        )
    first[value] = where


def _values(file: Path, infinite: bool) -> Iterator[tuple[str, Any]]:
    text = read_text(file)
    if text.lstrip().startswith("["):
        for number, value in enumerate(strictjson.parse(text, file, infinite=infinite), start=1):
            yield f"row {number}", value
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            place = f"line {number}"
            yield place, strictjson.parse(line, file, place, infinite=infinite)


def _known(value: Any, fields: Mapping[str, Any]) -> Any:
    if not isinstance(value, dict):
        return value
    defaults = {name: field["default"] for name, field in fields.items() if "default" in field}
    return {**defaults, **{name: value[name] for name in value if name in fields}}


_LINES = "one [inputs, expected] per line"


def make_problem(
    name: str,
    function: str,
    reference: str,
    *,
    buggy: str | None = None,
    docstring: str = "",
    cases: Sequence[Case] = (),
    tests: str | Suite | None = None,
    support: Mapping[str, str] | None = None,
) -> Problem:
    """Return a problem with its hash; see the fields of `Problem`.

    Raises:
        Lost: three backticks in a program would end a model's answer.
    """
    if BACKTICKS in reference or BACKTICKS in (buggy or ""):
        raise Lost("untestable", "three backticks in it would end a model's answer")
    unhashed = Problem(
        name=name,
        function=function,
        buggy=buggy,
        reference=reference,
        docstring=docstring,
        cases=tuple(cases),
        tests=tests,
        support=dict(support or {}),
        sha256="",
    )
    return replace(unhashed, sha256=content_hash(unhashed))


def read_cases(file: Path) -> tuple[Case, ...]:
    """Read JSON cases, one ``[inputs, expected]`` per line.

    Raises:
        CoralError: the file cannot be read, has no case, or a line is not a case.
    """
    cases = []
    for number, line in enumerate(read_text(file).split("\n"), start=1):
        if not line.strip():
            continue
        value = strictjson.parse(line, file, f"line {number}", expected=_LINES)
        if not isinstance(value, list) or len(value) != 2:
            raise CoralError(
                "a test case is not a pair",
                file=file,
                field=f"line {number}",
                found=value,
                expected=_LINES,
            )
        inputs, expected = value
        cases.append(Case(tuple(inputs) if isinstance(inputs, list) else (inputs,), expected))
    if not cases:
        raise CoralError("no test case", file=file, expected=_LINES)
    return tuple(cases)


def read_text(file: Path) -> str:
    """Read a UTF-8 file with universal newlines, its byte order mark skipped; ``.gz`` is unpacked.

    Raises:
        CoralError: it is missing, cannot be read, is damaged or is not UTF-8.
    """
    try:
        if file.suffix != ".gz":
            return file.read_text(encoding="utf-8-sig")
        with gzip.open(file, "rt", encoding="utf-8-sig") as stream:
            return stream.read()
    except FileNotFoundError:
        raise CoralError("there is no such file", file=file) from None
    except (UnicodeDecodeError, OSError, EOFError, zlib.error) as error:
        raise CoralError("the file cannot be read", file=file, found=str(error)) from None
