"""What counts as Python is the same on every version: this table holds on each that runs it."""

from collections.abc import Callable
from textwrap import indent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coral_batch.objectives.score import score
from coral_batch.records.settings import Scores
from coral_batch.verdicts.inside.syntax import DEPTH, parse
from coral_batch.verdicts.pool import judge
from tests.programs import SETTINGS, program


def indented(line: str) -> Callable[[int], str]:
    """Return what nests a line, or several, in itself."""

    def nested(levels: int) -> str:
        lines = [indent(line, " " * at) for at in range(levels)]
        return "\n".join([*lines, " " * levels + "pass"])

    return nested


# What nests -> a number of levels that is accepted, and the next one or one far beyond it.
NESTED: dict[str, tuple[Callable[[int], str], int, int]] = {
    "attributes": (lambda n: "a" + ".b" * n, 190, 5000),
    "signs": (lambda n: "-" * n + "1", 190, 100_000),
    "lambdas": (lambda n: "lambda:" * n + "1", 90, 3000),
    "parentheses": (lambda n: "(" * n + "1" + ")" * n, 199, 201),
    "elif": (lambda n: "if a: pass\n" + "elif a: pass\n" * n, 190, 5000),
    "functions": (indented("def f():"), 99, 100),
    "loops": (indented("for a in b:"), 15, 16),
    "with": (lambda n: "with " + ", ".join("a" * n) + ": pass", 15, 16),
    "handlers": (indented("try: pass\nexcept E as e:"), 5, 6),
    "comprehensions": (lambda n: "[" * n + "a" + " for a in b]" * n, 15, 50),
    "clauses": (lambda n: "[a" + " for a in b" * n + "]", 15, 16),
}


def compiles(code: str) -> bool:
    try:
        parse(code)
    except SyntaxError:
        return False
    compile(code, "<text>", "exec", dont_inherit=True)
    return True


@pytest.mark.parametrize("kind", NESTED)
def test_nesting_has_a_bound_of_its_own_below_that_of_every_version(kind: str) -> None:
    nested, accepted, refused = NESTED[kind]
    assert compiles(nested(accepted))
    assert not compiles(nested(refused))


def test_the_bound_is_on_the_levels_of_the_tree() -> None:
    levels = DEPTH - 5  # module, statement, the innermost name and its context
    while compiles("a" + ".b" * levels):
        levels += 1
    assert compiles("a" + ".b" * (levels - 1))
    assert DEPTH - 5 < levels < DEPTH


@pytest.mark.parametrize("code", ["type A = int", "def f[T](a: T): pass", "class A[T]: pass"])
def test_what_only_newer_versions_know_is_refused_by_all(code: str) -> None:
    with pytest.raises(SyntaxError):
        parse(code)


@pytest.mark.parametrize(
    "code",
    [
        "f'{a!r:>{width}.{precision}}'",
        "type = 1; type.a",
        "try: pass\nexcept* A: pass",
        "match a:\n case [b]: pass",
    ],
)
def test_what_3_11_knows_is_accepted_by_all(code: str) -> None:
    assert compiles(code)


@given(st.text(st.characters(categories=None), max_size=60))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        parse(text)
    except SyntaxError as error:
        assert str(error)


def test_jail_and_score_refuse_the_same() -> None:
    texts = ("a" + ".b" * 5000, indented("for a in ():")(21), "x = 1\0", "-" * 100_000 + "1")
    codes = [f"def answer(n):\n    return n\n\n\n{text}\n" for text in texts]
    programs = [program("answer", code, [((1,), 1)]) for code in codes]
    for code, (verdict,) in zip(codes, judge(programs, SETTINGS, 1), strict=True):
        assert verdict.kind == "UNPARSEABLE"
        assert score(code, [verdict.kind], []).scores == Scores(0.0, 0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("code", "accepted"),
    [
        ("# -*- coding: utf-8 -*-\nx = 'é'\n", True),
        ("#!/usr/bin/python\n# vim: set fileencoding=U8 :\nx = 'é'\n", True),
        ("# coding: latin-1\nx = 1\n", True),
        ("# coding: latin-1\nx = 'é'\n", False),
        ("# coding: unicode_escape\nx = 1\n", False),
        ("\r\n\t# coding=utf_7\r\nx = 1\r\n", False),
        ("# coding: no-such-encoding\nx = 1\n", False),
        ("# coding: unicode_escape\n# coding: utf-8\nx = 1\n", False),
        ("x = 1\n# coding: unicode_escape\n", True),
        ("def f(s):\n    # Decoding: split into groups\n    return s\n", True),
        ("\r# coding=utf_7\rx = 1\n", False),
        ("# a\r# b\r# coding: unicode_escape\nx = 1\n", False),
        ("\n\n# coding: unicode_escape\nx = 1\n", True),
    ],
)
def test_a_text_whose_file_would_be_another_program_is_none(code: str, accepted: bool) -> None:
    assert compiles(code) == accepted
