"""Build problems: read their cases, hash their content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from coral_batch.corpus.sources.text import read_text
from coral_batch.errors import CoralError
from coral_batch.lake import strictjson
from coral_batch.records.problem import Case, Problem, Suite, content_hash

_LINES = "one [inputs, expected] per line"
_NOTHING: Mapping[str, str] = MappingProxyType({})


def make_problem(
    name: str,
    function: str,
    reference: str,
    origin: str,
    *,
    buggy: str | None = None,
    docstring: str = "",
    cases: Sequence[Case] = (),
    tests: str | Suite | None = None,
    support: Mapping[str, str] = _NOTHING,
) -> Problem:
    """Return a problem with its hash; see the fields of `Problem`."""
    unhashed = Problem(
        name=name,
        function=function,
        buggy=buggy,
        reference=reference,
        docstring=docstring,
        cases=tuple(cases),
        tests=tests,
        support=dict(support),
        origin=origin,
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
