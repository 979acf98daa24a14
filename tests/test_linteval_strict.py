"""The strict score: passed by what the tests accept or, without tests, by the same syntax tree."""

from __future__ import annotations

import functools
from dataclasses import replace
from itertools import islice

import pytest

from coral_batch.corpus.injection.candidates import candidates
from coral_batch.linteval.items.build import build
from coral_batch.linteval.items.mutants import mutants
from coral_batch.linteval.items.prompts import PROMPTS
from coral_batch.linteval.scores.meaning import same
from coral_batch.linteval.scores.tables import score_samples
from coral_batch.linting.fixing import fix
from coral_batch.linting.pool import lint
from coral_batch.records.items import Answer, DataSet, Item
from coral_batch.records.problem import Problem
from tests.linteval_sources import SNIPPETS, in_jail


@functools.cache
def findings(code: str) -> list:
    return lint([code], 1, ("flake8",), final_newline=False)[0]


def same_as(original: str, answer: str) -> bool:
    return same(original, findings(original), answer)


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
    "F811 of classes": (
        "class A:\n    x = 1\n\n\nclass A:\n    y = 1\n\n    def f(self):\n        return 1\n",
        ["class A:\n    y = 1\n\n    def f(self):\n        return 1\n"],
        ["class A:\n    x = 1\n"],
    ),
    "F811 in an if": (
        "def f():\n    return 1\n\n\nif x:\n    def f():\n        return 2\n",
        [],
        ["if x:\n    def f():\n        return 2\n"],
    ),
    "F405": (
        "from math import *\n\n\ndef f(x):\n    return sqrt(x)\n",
        ["from math import sqrt\n\n\ndef f(x):\n    return sqrt(x)\n"],
        ["from cmath import sqrt\n\n\ndef f(x):\n    return sqrt(x)\n"],
    ),
    "F841": (
        "def f(a):\n    n = len(a)\n    m = a.pop()\n    return a\n",
        [
            "def f(a):\n    len(a)\n    a.pop()\n    return a\n",
            "def f(a):\n    _ = len(a)\n    a.pop()\n    return a\n",
        ],
        ["def f(a):\n    a.pop()\n    return a\n", "def f(a):\n    len(a)\n    return a\n"],
    ),
    "F841 of what does nothing": (
        "def f(i):\n    x = []\n    y = set()\n    z = i + 1\n    return i\n",
        ["def f(i):\n    return i\n", "def f(i):\n    i + 1\n    return i\n"],
        ["def f(i):\n    return i + 1\n"],
    ),
    "F841 of a name that another function reads": (
        "def f():\n    x = 1\n\n\ndef g():\n    x = 2\n    return x\n",
        ["def f():\n    pass\n\n\ndef g():\n    x = 2\n    return x\n"],
        ["def f():\n    pass\n\n\ndef g():\n    x = 3\n    return x\n"],
    ),
    "F841 of an exception and a file": (
        "def f():\n    try:\n        with open(g()) as h:\n            g()\n"
        "    except OSError as error:\n        g()\n",
        [
            "def f():\n    try:\n        with open(g()):\n            g()\n"
            "    except OSError:\n        g()\n",
        ],
        [
            "def f():\n    try:\n        with open(g()):\n            g()\n"
            "    except ValueError:\n        g()\n",
        ],
    ),
    "F842": (
        "def f(i):\n    x: int\n    return i\n",
        ["def f(i):\n    return i\n"],
        ["def f(i):\n    pass\n"],
    ),
    "F841 of a key": (
        "def f(d):\n    x = d[1]\n    return d\n",
        ["def f(d):\n    d[1]\n    return d\n"],
        ["def f(d):\n    return d\n"],
    ),
    "E741": (
        "def f(l):\n    return [f'{g(l)}' for O in l]\n\n\ndef h(l):\n    return l\n",
        ["def f(x):\n    return [f'{g(x)}' for y in x]\n\n\ndef h(x):\n    return x\n"],
        [
            "def f(g):\n    return [f'{g(g)}' for y in g]\n\n\ndef h(g):\n    return g\n",
            "def f(x):\n    return [f'{g(x)}' for x in x]\n\n\ndef h(x):\n    return x\n",
            "def f(x):\n    return [f'{g(y)}' for y in x]\n\n\ndef h(x):\n    return x\n",
            "def f(x):\n    return [f'{g(x)}' for y in x]\n\n\ndef h(z):\n    return z\n",
        ],
    ),
    "E711": ("f(x == None)\n", ["f(x is None)\n"], ["f(x is not None)\n", "f(not x)\n"]),
    "E711 the other way round": (
        "f(None == x)\n",
        ["f(x is None)\n", "f(None is x)\n"],
        ["f(x is not None)\n"],
    ),
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
        [
            "try:\n    f()\nexcept Exception:\n    g()\n",
            "try:\n    f()\nexcept BaseException:\n    g()\n",
        ],
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
    "F632 beside a truth": (
        'f(y is True, x is "a")\n',
        ['f(y is True, x == "a")\n'],
        ['f(y == True, x == "a")\n'],
    ),
    "F824": (
        "A = 1\n\n\ndef f():\n    global A\n    return A\n",
        ["A = 1\n\n\ndef f():\n    return A\n"],
        ["def f():\n    return A\n"],
    ),
}


@pytest.mark.parametrize("case", PERMITTED)
def test_a_complaint_permits_what_meets_it_and_nothing_else(case: str) -> None:
    original, answers, others = PERMITTED[case]
    assert case.split(maxsplit=1)[0] in {finding.code for finding in findings(original)}
    assert [answer for answer in answers if not same_as(original, answer)] == []
    assert [other for other in others if same_as(original, other)] == []


# Codes whose complaints are met by another text, or by one that always means the same.
_OF_THE_TEXT = {"E225", "E302", "E402", "E501", "W605", "E703", "E713", "E714"}


@pytest.mark.parametrize("code", sorted(PERMITTED.keys() - _OF_THE_TEXT))
def test_without_the_complaint_the_same_change_is_another_program(code: str) -> None:
    original, answers, _ = PERMITTED[code]
    others = [finding for finding in findings(original) if finding.code[:2] in {"E2", "E3", "W2"}]
    assert not any(same(original, others, answer) for answer in answers)


@pytest.mark.parametrize("broken", ["x = (\n", "x = 0x" + "f" * 5000 + "\n"])
def test_what_cannot_be_compared_is_not_the_same(broken: str) -> None:
    assert not same_as(broken, broken)


# The bundled items


@pytest.fixture(scope="module")
def bundled() -> DataSet:
    return build(mutants(SNIPPETS, 2, 1), PROMPTS["en"], functools.partial(in_jail, workers=2))


def scored(data_set: DataSet, answers: list[tuple[Item, str]], *, tests: bool) -> list[dict]:
    asked = data_set.tests
    if not tests:
        asked = tuple(replace(one, function=None, cases=(), tests=None) for one in asked)
    samples = [
        Answer("a", item.meta.id, number, code) for number, (item, code) in enumerate(answers)
    ]
    judge = functools.partial(in_jail, workers=2)
    return score_samples(samples, data_set.items, asked, judge, "-", 2).scores


def test_canonical_answers_and_what_ruff_and_autopep8_fix_pass(bundled: DataSet) -> None:
    canonical = [(item, item.meta.canonical_code) for item in bundled.items]
    assert {row["strict"] for row in scored(bundled, canonical, tests=True)} == {True}
    fixed = fix([item.inputs.code for item in bundled.items], 2)
    answers = list(zip(bundled.items, fixed, strict=True))
    for tests in (True, False):
        rows = scored(bundled, answers, tests=tests)
        clean = [row for row in rows if row["outcome"] == "clean"]
        assert len(clean) > 80
        assert {row["strict"] for row in clean} == {True}


def test_no_edit_of_a_canonical_answer_passes_by_its_syntax(bundled: DataSet) -> None:
    edits = [
        (item, edit.code)
        for item in bundled.items
        for edit in islice(
            candidates(
                Problem("p", "p", None, item.meta.canonical_code, "", (), None, {}, "", ""),
                seed=1,
            ),
            8,
        )
    ]
    found = lint([item.inputs.code for item in bundled.items], 2, ("flake8",), final_newline=False)
    told = {item.meta.id: one for item, one in zip(bundled.items, found, strict=True)}
    assert len(edits) > 900
    passed = [code for item, code in edits if same(item.inputs.code, told[item.meta.id], code)]
    assert passed == []


def test_tests_decide_alone_where_an_item_has_them(bundled: DataSet) -> None:
    (item, *_), code = bundled.items, bundled.items[0].meta.canonical_code
    quoted = "".join(f"    {line!r}\n" for line in code.splitlines(keepends=True))
    answers = [(item, f"exec(\n{quoted})\n"), (item, code.replace("return", "return not"))]
    assert [row["strict"] for row in scored(bundled, answers, tests=True)] == [True, False]
    assert [row["strict"] for row in scored(bundled, answers, tests=False)] == [False, False]
