"""Candidates for bugs: one edit of the text each, in an order that the seed decides."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from itertools import islice, zip_longest

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coral_batch.corpus.injection.candidates import BugCandidate, candidates
from coral_batch.corpus.injection.kinds import KINDS
from coral_batch.records.problem import Problem
from coral_batch.verdicts.inside import syntax
from tests import REPOSITORY
from tests.injectable import bundled, problem_of

# Of the first 24 candidates of each bundled program for seed 1: the same on every machine and
# version of Python. Another value is another set of bugs for everyone who goes by this seed.
BUNDLED_SHA256 = "a774013bdd63207c769206413a977bd7f56e531fe435069edfe45269d04a57f4"

TROUBLESOME = '''\
"""The module's docstring: x + 1."""
from __future__ import annotations

import functools

LIMITS = {"größe": 3, "naïve": [1, 2], "flag": True}  # a table, 1 + 1


@functools.lru_cache(maxsize=2 + 1)
def outer(first: int, second: int = 4 - 1, *rest: str) -> list[int]:
    """Return x + 1, not x - 1."""
    größe: int = (first  # the first, of two
             + second)  # and the second
    total = 0

    def inner(value, step=1 + 1):
    \t"""Tabs, here."""
    \ttext = "ä" * value + f"{value + 1} {step}"
    \tif value > 0 and (  # a comment with > and +
    \t\tstep < größe
    \t):
    \t\treturn inner(value - 1, step) + text
    \treturn text

    for index, item in enumerate(sorted(rest)):
        if not item: continue
        total += len(item); größe -= 1
    while (total
           > größe):
        total -= \\
            größe
    return [größe, total] if total else [len(inner(größe)), total]
'''
ONE_LINE = "def f(items, start=0): return sum(item * 2 for item in items if item > 1) - start\n"
NO_FINAL_NEWLINE = (
    "def f(n):\n    if n > 1:\n        n -= 1\n    else:\n        n += 1\n    return n"
)
SOURCES = {
    "troublesome": problem_of(TROUBLESOME, function="outer"),
    "carriage returns": problem_of(TROUBLESOME.replace("\n", "\r\n"), function="outer"),
    "one line": problem_of(ONE_LINE),
    "no final newline": problem_of(NO_FINAL_NEWLINE),
    **{problem.name: problem for problem in bundled()[::20]},
}


def all_of(problem: Problem, seed: int = 1) -> list[BugCandidate]:
    return list(candidates(problem, seed))


def first_change(one: str, other: str) -> int:
    """Return the number, from 1, of the first line that two texts do not share."""
    lines = zip_longest(one.split("\n"), other.split("\n"))
    return next(number for number, (here, there) in enumerate(lines, 1) if here != there)


@pytest.mark.parametrize("name", SOURCES)
def test_a_candidate_changes_nothing_before_its_line_and_parses_as_a_tree_of_its_own(
    name: str,
) -> None:
    reference = SOURCES[name].reference
    trees = [ast.dump(syntax.parse(reference))]
    for candidate in all_of(SOURCES[name]):
        assert first_change(reference, candidate.code) >= candidate.line
        tree = syntax.parse(candidate.code)
        trees.append(ast.dump(tree))
        assert ast.dump(ast.parse(ast.unparse(tree))) == trees[-1]
    assert len(set(trees)) == len(trees) > 1


def test_what_no_bug_touches_stays() -> None:
    """Docstrings, comments, signatures, annotations, decorators, f-strings, imports, names."""
    kept = (
        '"""The module\'s docstring: x + 1."""\nfrom __future__ import annotations\n',
        "import functools\n",
        "  # a table, 1 + 1\n",
        "@functools.lru_cache(maxsize=2 + 1)\n"
        "def outer(first: int, second: int = 4 - 1, *rest: str) -> list[int]:\n"
        '    """Return x + 1, not x - 1."""\n',
        "    def inner(value, step=1 + 1):\n    \t",
        '"""Tabs, here."""',
        "  # and the second",
    )
    found = all_of(SOURCES["troublesome"])
    for candidate in found:
        assert all(text in candidate.code for text in kept), candidate
    assert {candidate.line for candidate in found} >= {6, 12, 14, 18, 19, 20, 26, 29, 31}
    texts = [one.code for one in found if 'f"{value + 1} {step}"' not in one.code]
    assert all('f"' not in text for text in texts)  # taken out as a whole, never edited inside
    outside = {(one.kind, one.line) for one in found if one.line < 9}
    assert outside == {("constant", 6)}


def test_the_same_seed_gives_the_same_bugs_and_another_one_another_order() -> None:
    problem = SOURCES["one line"]
    assert all_of(problem) == all_of(problem)
    one, other = ([candidate.code for candidate in all_of(problem, seed)] for seed in (1, 2))
    assert one != other
    assert sorted(one) == sorted(other)


def test_another_machine_and_another_python_give_the_same_candidates() -> None:
    content = [
        [problem.name, candidate.kind, candidate.line, candidate.code]
        for problem in bundled()
        for candidate in islice(candidates(problem, 1), 24)
    ]
    assert hashlib.sha256(json.dumps(content).encode()).hexdigest() == BUNDLED_SHA256


@settings(max_examples=30)
@given(seed=st.integers(0, 2**53), problem=st.sampled_from(bundled()))
def test_kinds_take_turns_for_every_seed(seed: int, problem: Problem) -> None:
    found = all_of(problem, seed)
    assert [one.number for one in found] == list(range(1, len(found) + 1))
    turns: dict[str, int] = {}
    last = 0
    for candidate in found:
        turns[candidate.kind] = turn = turns.get(candidate.kind, 0) + 1
        assert turn >= last  # nobody has a third turn before everyone who can had a second
        last = turn


def test_the_problems_own_bug_is_no_candidate() -> None:
    reference = "def f(a, b):\n    return a - b\n"
    own = "def f(a, b):\n    return a + b  # wrong\n"
    codes = [one.code for one in all_of(problem_of(reference))]
    assert own.replace("  # wrong", "") in codes
    left = [one.code for one in all_of(problem_of(reference, buggy=own))]
    assert left == [code for code in codes if code != own.replace("  # wrong", "")]


# Kind, line and line with a bug of each row of the table of examples.
ROW = re.compile(r"^\| `(\w+)` \|[^|]*\| (.+) \| (.+) \|$", re.MULTILINE)
# The programs of the examples: {} is the line, or lines, that the bug is in.
FRAMES = {
    "initial_value": "def f(xs):\n    {}\n    for x in xs:\n        best = x\n    return best\n",
    "recursion": "def f(n):\n    {}\n",
    "assignment": "def f(xs):\n    total = 0\n    for x in xs:\n        {}\n    return total\n",
    "variable": "def f(xs):\n    total = 0\n    for x in xs:\n        {}\n    return total\n",
}
FRAME = "def f(a, b, n, xs):\n    low = n - 1\n    for x in xs:\n        {}\n        a.append(b)\n"


def test_every_kind_is_documented_with_an_example_that_is_a_candidate() -> None:
    examples = ROW.findall((REPOSITORY / "docs/bugs.md").read_text())
    assert [kind for kind, _, _ in examples] == list(KINDS)
    for kind, line, bug in examples:
        frame = FRAMES.get(kind, FRAME)
        indentation = frame.split("{}")[0].rpartition("\n")[2]
        before, after = (
            frame.replace("{}", text.strip("`").replace("` <br> `", f"\n{indentation}"))
            for text in (line, bug)
        )
        found = {(one.kind, one.code) for one in all_of(problem_of(before))}
        assert (kind, after) in found, line
