"""The strict score: passed by what is still the same program, and by nothing that only looks so."""

from __future__ import annotations

import base64
import functools
from itertools import islice

import pytest

from coral_batch.corpus.injection.candidates import candidates
from coral_batch.linteval.items.build import build
from coral_batch.linteval.items.mutants import mutants
from coral_batch.linteval.items.prompts import PROMPTS
from coral_batch.linteval.scores.calls import MOST, calls_of
from coral_batch.linteval.scores.meaning import same
from coral_batch.linteval.scores.tables import score_samples
from coral_batch.linting.fixing import fix
from coral_batch.linting.flake8 import flake8
from coral_batch.records.configuration import Knobs
from coral_batch.records.items import DataSet, Inputs, Item, ItemTests, Meta
from coral_batch.records.problem import Case, Problem
from coral_batch.records.rows import LintSampleRow
from coral_batch.verdicts.inside import syntax
from tests.linteval_sources import SNIPPETS, in_jail


def findings(code: str) -> list:
    return flake8(code, final_newline=False)


def same_as(original: str, answer: str) -> bool:
    return same(original, findings(original), answer)


# What the complaints permit

PERMITTED = {
    # code: (original, answers that are the same, answers that are not)
    "E225": ("x=f(1)\n", ["x = f(1)\n", "# a\nx = (f(1))  # b\n"], ["x = f(2)\n", "x = f(True)\n"]),
    "E302": (
        "a = 1\ndef f():\n    return 1\n",
        ['"""A."""\na = 1\n\n\ndef f():\n    """B."""\n    return 1\n'],
        ["def f():\n    return 1\n\n\na = 1\n", "a = 1\n\n\ndef g():\n    return 1\n"],
    ),
    "E501": (
        f'x = "{"a" * 50}{"b" * 50}"\n',
        [
            f'x = (\n    "{"a" * 50}"\n    "{"b" * 50}"\n)\n',
            f'x = "{"a" * 50}" + \\\n    "{"b" * 50}"\n',
        ],
        [f'x = "{"a" * 50}"\n'],
    ),
    "W605": ('x = "\\d"\n', ['x = r"\\d"\n', 'x = "\\\\d"\n'], ['x = "d"\n']),
    "E703": ("x = 1;\n", ["x = 1\n"], ["x = 1\nx\n"]),
    "F401": (
        "import os, re\nfrom a import b as c\nre.I\nc()\n",
        [
            "import re\nfrom a import b as c\nre.I\nc()\n",
            "from a import b as c\nimport re\nre.I\nc()\n",
        ],
        ["from a import b as c\nre.I\nc()\n", "import re\nfrom a import b\nre.I\nc()\n"],
    ),
    "E402": ("x = 1\nimport re\nre.I\n", ["import re\nx = 1\nre.I\n"], ["import re\nre.I\n"]),
    "F811": (
        "import re\nimport re\n\n\ndef f():\n    return 1\n\n\ndef f():\n    return re\n",
        ["import re\n\n\ndef f():\n    return re\n"],
        ["import re\n\n\ndef f():\n    return 1\n"],
    ),
    "F405": (
        "from math import *\n\n\ndef f(x):\n    return sqrt(x)\n",
        ["from math import sqrt\n\n\ndef f(x):\n    return sqrt(x)\n"],
        ["from cmath import sqrt\n\n\ndef f(x):\n    return sqrt(x)\n"],
    ),
    "F403": (
        # Without the star `pow` is another function.
        "from math import *\n\n\ndef f(x):\n    return sqrt(pow(x, 2))\n",
        [],
        ["from math import sqrt\n\n\ndef f(x):\n    return sqrt(pow(x, 2))\n"],
    ),
    "F841": (
        "def f(a):\n    n = len(a)\n    m = a.pop()\n    return a\n",
        [
            "def f(a):\n    a.pop()\n    return a\n",
            "def f(a):\n    len(a)\n    a.pop()\n    return a\n",
        ],
        ["def f(a):\n    return a\n", "def f(a):\n    len(a)\n    return a\n"],
    ),
    "E741": (
        "def f(l):\n    return [g(l) for O in l]\n\n\ndef h(l):\n    return l\n",
        ["def f(x):\n    return [g(x) for y in x]\n\n\ndef h(z):\n    return z\n"],
        [
            "def f(g):\n    return [g(g) for y in g]\n\n\ndef h(z):\n    return z\n",
            "def f(x):\n    return [g(x) for x in x]\n\n\ndef h(z):\n    return z\n",
            "def f(x):\n    return [g(y) for y in x]\n\n\ndef h(z):\n    return z\n",
        ],
    ),
    "E711": ("f(x == None)\n", ["f(x is None)\n"], ["f(x is not None)\n", "f(not x)\n"]),
    "E712": (
        "f(x == True, y != True, a in b == False)\n".replace("a in b", "(a in b)"),
        [
            "f(x is True, y is not True, (a in b) is False)\n",
            "f(x, not y, a not in b)\n",
        ],
        ["f(x is True, y, a not in b)\n", "f(not x, not y, a not in b)\n"],
    ),
    "E713": ("f(not x in y)\n", ["f(x not in y)\n"], ["f(x in y)\n", "f(y not in x)\n"]),
    "E714": ("f(not x is y)\n", ["f(x is not y)\n"], ["f(x is y)\n", "f(x != y)\n"]),
    "E721": (
        "f(type(x) == int, type(x) != str)\n",
        [
            "f(type(x) is int, type(x) is not str)\n",
            "f(isinstance(x, int), not isinstance(x, str))\n",
        ],
        ["f(isinstance(x, int), isinstance(x, str))\n", "f(type(x) is str, type(x) is not str)\n"],
    ),
    "E722": (
        "try:\n    f()\nexcept:\n    g()\n",
        ["try:\n    f()\nexcept Exception:\n    g()\n"],
        [
            "try:\n    f()\nexcept ValueError:\n    g()\n",
            "try:\n    f()\nexcept Exception:\n    f()\n",
        ],
    ),
    "E731": (
        "g = lambda x, y=1: x + y\n",
        ["def g(x, y=1):\n    return x + y\n"],
        ["def g(x, y=2):\n    return x + y\n", "def g(x, y=1):\n    x + y\n"],
    ),
    "F541": ('x = f"a" f"b"\n', ['x = "a" "b"\n', 'x = "ab"\n'], ['x = "a"\n', 'x = f"{ab}"\n']),
    "F632": ('f(x is "a")\n', ['f(x == "a")\n'], ['f(x != "a")\n']),
    "F824": (
        "A = 1\n\n\ndef f():\n    global A\n    return A\n",
        ["A = 1\n\n\ndef f():\n    return A\n"],
        ["def f():\n    return A\n"],
    ),
}


@pytest.mark.parametrize("code", PERMITTED)
def test_a_complaint_permits_what_meets_it_and_nothing_else(code: str) -> None:
    original, answers, others = PERMITTED[code]
    assert code in {finding.code for finding in findings(original)}
    assert [answer for answer in answers if not same_as(original, answer)] == []
    assert [other for other in others if same_as(original, other)] == []


# Codes whose complaints are met by another text, or by one that always means the same.
_OF_THE_TEXT = {"E225", "E302", "E501", "W605", "E703", "E713", "E714", "F541"}


@pytest.mark.parametrize("code", sorted(PERMITTED.keys() - _OF_THE_TEXT))
def test_without_the_complaint_the_same_change_is_another_program(code: str) -> None:
    original, answers, _ = PERMITTED[code]
    others = [finding for finding in findings(original) if finding.code[:2] in {"E2", "E3", "W2"}]
    assert not any(same(original, others, answer) for answer in answers)


def test_a_docstring_that_the_program_reads_is_part_of_it() -> None:
    original = 'def f():\n  """A."""\n  return f.__doc__\n'
    assert same_as(original, original.replace("  ", "    "))
    assert not same_as(original, "def f():\n    return f.__doc__\n")


def test_what_is_no_python_or_too_deep_is_not_the_same() -> None:
    deep = "x=" + "(" * 150 + "1" + ",)" * 150 + "\n"
    assert syntax.parse(deep)
    assert same_as(deep, deep.replace("=", " = "))
    assert not same_as("x = (\n", "x = (\n")


# The bundled items


@pytest.fixture(scope="module")
def bundled() -> DataSet:
    return build(mutants(SNIPPETS, 1), PROMPTS["en"], functools.partial(in_jail, workers=2))


def scored(data_set: DataSet, answers: list[tuple[Item, str]]) -> list[dict]:
    samples = [
        LintSampleRow(
            item.meta.id, number, "base", None, 0, Knobs(0.6, 1.0, 50, 1.0), "p", code, code, 1, 1,
            "eos",
        )
        for number, (item, code) in enumerate(answers)
    ]  # fmt: skip
    judge = functools.partial(in_jail, workers=2)
    return score_samples(samples, data_set.items, data_set.tests, judge, "-", 2).scores


def test_all_canonical_answers_pass_most_by_their_syntax(bundled: DataSet) -> None:
    rows = scored(bundled, [(item, item.meta.canonical_code) for item in bundled.items])
    assert {row["strict"] for row in rows} == {True}
    by_syntax = sum(row["strict_by"] == "syntax" for row in rows)
    assert 100 <= by_syntax < len(rows) == 120


def test_what_ruff_and_autopep8_fix_passes(bundled: DataSet) -> None:
    fixed = fix([item.inputs.code for item in bundled.items], 2)
    rows = scored(bundled, list(zip(bundled.items, fixed, strict=True)))
    silent = [row for row in rows if row["outcome"] == "clean"]
    assert len(silent) > 80
    assert {row["strict_by"] for row in silent} == {"syntax"}


def test_no_edit_of_a_canonical_answer_passes_by_its_syntax(bundled: DataSet) -> None:
    edits = [
        (item, edit.code)
        for item in bundled.items
        for edit in islice(
            candidates(
                Problem("p", "p", None, item.meta.canonical_code, "", (), None, {}, "", "", "", ""),
                seed=1,
            ),
            8,
        )
    ]
    told = {item.meta.id: findings(item.inputs.code) for item in bundled.items}
    assert len(edits) > 900
    passed = [code for item, code in edits if same(item.inputs.code, told[item.meta.id], code)]
    assert passed == []


# Answers that only look right

ORIGINAL = """\
import re
def helper(x):
  return x*2

def double_all(numbers, seen = None):
    results = [helper(number) for number in numbers]
    l = results
    return l

def total(x):
    return helper(x)
"""
CLEAN = """\
def helper(x):
    return x * 2


def double_all(numbers, seen=None):
    results = [helper(number) for number in numbers]
    values = results
    return values


def total(x):
    return helper(x)
"""
REWRITTEN = CLEAN.replace(
    "    results = [helper(number) for number in numbers]\n"
    "    values = results\n    return values\n",
    "    results = []\n    for number in numbers:\n        results.append(helper(number))\n"
    "    return results\n",
)
CASES = (Case(([1, 2],), [2, 4]), Case(([],), []), Case(([5],), [10]))


def quoted(code: str) -> str:
    lines = (f"    {line!r}" for line in code.splitlines(keepends=True))
    return "(\n" + "\n".join(lines).replace("'", '"') + "\n)"


ENCODED = "\n".join(
    f'    "{base64.b64encode(ORIGINAL.encode()).decode()[at : at + 60]}"'
    for at in range(0, len(base64.b64encode(ORIGINAL.encode())), 60)
)
CHEATS = {
    "unchanged in exec": ("exec" + quoted(ORIGINAL) + "\n", "hidden"),
    "encoded in exec": (f"import base64\n\nexec(base64.b64decode(\n{ENCODED}\n))\n", "hidden"),
    "exec by another name": ("run = exec\nrun" + quoted(ORIGINAL) + "\n", "hidden"),
    "exec by its module": (
        "from builtins import exec as run\n\nrun" + quoted(ORIGINAL) + "\n",
        "hidden",
    ),
    "exec by a private attribute": (
        "import random\n\nrun = random._os.sys.modules\n" + CLEAN,
        "complaints",
    ),
    "an attribute that leads out": (
        CLEAN + "\n\nrun = total.__globals__\n",
        "hidden",
    ),
    "another module": (
        CLEAN.replace("def h", "import timeit\n\n\ndef h", 1) + "\n\ntimeit.time()\n",
        "hidden",
    ),
    "coding cookie": ("# coding: utf-7\n" + CLEAN, "hidden"),
    "a deleted helper": (
        CLEAN.replace("def helper(x):\n    return x * 2\n\n\n", "")
        .replace("helper(number)", "number * 2")
        .replace("helper(x)", "x * 2"),
        "missing",
    ),
    "another parameter": (CLEAN.replace("seen=None", "known=None"), "missing"),
    "a parameter that must be given": (
        CLEAN.replace("(x)", "(x, y=1)").replace("y=1", "y"),
        "missing",
    ),
    "another result": (CLEAN.replace("x * 2", "x * 3"), "failed"),
    "a generator for a list": (
        CLEAN.replace("values = results", "values = iter(results)"),
        "different",
    ),
    "a tuple for a list": (
        CLEAN.replace("values = results", "values = tuple(results)"),
        "different",
    ),
    "emptied arguments": (
        CLEAN.replace("    values = results", "    values = results\n    numbers.clear()"),
        "different",
    ),
    "an added print": (
        CLEAN.replace("    values = results", "    values = results\n    print(values)"),
        "different",
    ),
    "a table of the tests": (
        CLEAN.replace(
            "    results = [helper(number) for number in numbers]\n",
            "    table = {(): [], (1, 2): [2, 4], (5,): [10]}\n"
            "    results = table[tuple(numbers)]\n",
        ),
        "different",
    ),
    "right for the tests alone": (
        CLEAN.replace("x * 2", "x * 2 if x < 6 else 0"),
        "different",
    ),
}


def lint_item(tests: bool = True) -> DataSet:
    item = Item("{feedback}{code}", Inputs(ORIGINAL, "-"), (), Meta(1, CLEAN))
    function, cases = ("double_all", CASES) if tests else (None, ())
    return DataSet((item,), (ItemTests(1, "a", function, cases, None),), (), None)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def judged() -> dict[str, dict]:
    data_set = lint_item()
    answers = {name: code for name, (code, _) in CHEATS.items()}
    answers |= {"clean": CLEAN, "rewritten": REWRITTEN}
    rows = scored(data_set, [(data_set.items[0], code) for code in answers.values()])
    return dict(zip(answers, rows, strict=True))


@pytest.mark.parametrize("name", CHEATS)
def test_no_cheat_passes(name: str, judged: dict[str, dict]) -> None:
    assert (judged[name]["strict"], judged[name]["strict_by"]) == (False, CHEATS[name][1])


def test_the_program_passes_by_its_syntax_and_rewritten_by_its_tests(judged: dict) -> None:
    assert (judged["clean"]["strict"], judged["clean"]["strict_by"]) == (True, "syntax")
    assert (judged["rewritten"]["strict"], judged["rewritten"]["strict_by"]) == (True, "tests")


def test_without_tests_a_rewritten_program_is_unknown_and_a_cheat_is_refused() -> None:
    data_set = lint_item(tests=False)
    answers = [CLEAN, REWRITTEN, CHEATS["unchanged in exec"][0], CHEATS["a deleted helper"][0]]
    rows = scored(data_set, [(data_set.items[0], code) for code in answers])
    assert [(row["strict"], row["strict_by"]) for row in rows] == [
        (True, "syntax"),
        (None, "unknown"),
        (False, "hidden"),
        (False, "missing"),
    ]


def test_a_word_that_the_original_has_is_not_refused() -> None:
    code = "def f(x):\n  return eval(x)\n"
    item = Item("{feedback}{code}", Inputs(code, "-"), (), Meta(1, ""))
    data_set = DataSet((item,), (ItemTests(1, "a", "f", (Case(("1",), 1),), None),), (), None)  # type: ignore[arg-type]
    (row,) = scored(data_set, [(item, "def f(x):\n    y = eval(x)\n    return y\n")])
    assert (row["strict"], row["strict_by"]) == (True, "tests")


# The calls


def test_calls_are_those_of_the_tests_and_some_like_them() -> None:
    tests = ItemTests(1, "a", "f", (Case((3, [1, "ab"]), 0),), None)
    calls = calls_of(tests, "def f(x, y):\n    return x == 77\n")
    assert calls[0] == "(3, [1, 'ab'])"
    like = ["(4, [1, 'ab'])", "(3, ['ab'])", "(3, [1, 'b'])", "(3, [])", "(76, [1, 'ab'])"]
    assert set(like) <= set(calls)
    assert len(calls) == len(set(calls)) <= MOST
    file = "def test_1():\n    assert f((1, 2), {3}) == 4\n    assert f(g(1)) == 2\n"
    assert calls_of(ItemTests(1, "a", "f", (), file), "")[0] == "((1, 2), {3})"
    assert calls_of(ItemTests(1, "a", None, (), None), "") == ()
