"""The strict score: passed by what the tests accept or, without tests, by the same syntax tree."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest

from coral_batch.corpus.injection.candidates import candidates
from coral_batch.linteval.scores.meaning import same
from coral_batch.linteval.scores.tables import score_samples
from coral_batch.linting.fixing import fix
from coral_batch.linting.pool import lint
from coral_batch.records.finding import Finding
from coral_batch.records.items import Answer
from tests.injectable import problem_of
from tests.linteval_sources import bundled, in_jail

TRY = "try:\n    f()\nexcept{}:\n    {}()\n"
PERMITTED = {
    # code: (original, answers that are the same, answers that are not)
    "E225": ("x=f(1)\n", ["x = f(1)\n", "# a\nx = (f(1))  # b\n"], ["x = f(2)\n", "x = f(True)\n"]),
    "E302": (
        "a = 1\ndef f():\n    return 1\n",
        ['"""A."""\na = 1\n\n\ndef f():\n    """B."""\n    return 1\n'],
        ["def f():\n    return 1\n\n\na = 1\n", "a = 1\n\n\ndef g():\n    return 1\n"],
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
    "F401 of a submodule": (
        "import os.path as path\nimport re\nre.I\n",
        ["import re\nre.I\n"],
        ["import os.path as path\n", "re.I\n"],
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
    "F841": (
        "def f(a):\n    n = len(a)\n    m = a.pop()\n    return a\n",
        [
            "def f(a):\n    len(a)\n    a.pop()\n    return a\n",
            "def f(a):\n    _ = len(a)\n    a.pop()\n    return a\n",
        ],
        ["def f(a):\n    a.pop()\n    return a\n", "def f(a):\n    len(a)\n    return a\n"],
    ),
    "F841 of what does nothing": (
        "def f(i):\n    x = []\n    z = i + 1\n    return i\n",
        ["def f(i):\n    return i\n", "def f(i):\n    i + 1\n    return i\n"],
        ["def f(i):\n    return i + 1\n"],
    ),
    "F841 of a name that another function reads": (
        "def f():\n    x = 1\n\n\ndef g():\n    x = 2\n    return x\n",
        ["def f():\n    pass\n\n\ndef g():\n    x = 2\n    return x\n"],
        ["def f():\n    pass\n\n\ndef g():\n    x = 3\n    return x\n"],
    ),
    "F841 of an exception": (
        "def f():\n    try:\n        g()\n    except OSError as error:\n        g()\n",
        ["def f():\n    try:\n        g()\n    except OSError:\n        g()\n"],
        ["def f():\n    try:\n        g()\n    except ValueError:\n        g()\n"],
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
    "E712": (
        "f(x == True, y != True, (a in b) == False)\n",
        ["f(x is True, y is not True, (a in b) is False)\n", "f(x, not y, a not in b)\n"],
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
        TRY.format("", "g"),
        [TRY.format(" Exception", "g"), TRY.format(" BaseException", "g")],
        [TRY.format(" ValueError", "g"), TRY.format(" Exception", "f")],
    ),
    "E731": (
        "g = lambda x, y=1: x + y\n",
        ["def g(x, y=1):\n    return x + y\n"],
        ["def g(x, y=2):\n    return x + y\n", "def g(x, y=1):\n    x + y\n"],
    ),
    "F541": ('x = f"a" f"b"\n', ['x = "a" "b"\n', 'x = "ab"\n'], ['x = "a"\n', 'x = f"{ab}"\n']),
    "F632": ('f(x is "a")\n', ['f(x == "a")\n'], ['f(x != "a")\n']),
    "F632 of other constants": (
        "f(x is not 0.5, y is ())\n",
        ["f(x != 0.5, y == ())\n"],
        ["f(x == 0.5, y == ())\n", "f(x != 0.5, y != ())\n"],
    ),
    "F632 beside a tuple of variables": (
        "f(x is 0.5, y is (x,))\n",
        ["f(x == 0.5, y is (x,))\n"],
        ["f(x == 0.5, y == (x,))\n"],
    ),
    "F811 in a class": (
        "class A:\n    def f(self):\n        return 1\n\n    def f(self):\n        return 2\n",
        ["class A:\n    def f(self):\n        return 2\n"],
        ["class A:\n    def f(self):\n        return 1\n"],
    ),
    "F841 in an async function": (
        "async def f(a):\n    x: int = a.pop()\n    with a as b:\n        return a\n",
        ["async def f(a):\n    a.pop()\n    with a:\n        return a\n"],
        ["async def f(a):\n    with a:\n        return a\n"],
    ),
    "F841 where an exception is expected, and of a name that is global elsewhere": (
        "def f(n):\n    try:\n        x = 1 / n\n    except OSError:\n        return 0\n\n\n"
        "def g():\n    global x\n    x = 1\n",
        [
            "def f(n):\n    try:\n        1 / n\n    except OSError:\n        return 0\n\n\n"
            "def g():\n    global x\n    x = 1\n"
        ],
        [
            "def f(n):\n    try:\n        pass\n    except OSError:\n        return 0\n\n\n"
            "def g():\n    global x\n    x = 1\n",
            "def f(n):\n    try:\n        1 / n\n    except OSError:\n        return 0\n\n\n"
            "def g():\n    global x\n    x = 0\n",
        ],
    ),
    "F841 of a name that a class in the function has": (
        "def f():\n    x = 1\n\n    class A:\n        x = 2\n    return A\n",
        ["def f():\n\n    class A:\n        x = 2\n    return A\n"],
        ["def f():\n\n    class A:\n        x = 3\n    return A\n"],
    ),
    "F841 of an attribute": (
        "def f(d):\n    x = d.n\n    return d\n",
        ["def f(d):\n    d.n\n    return d\n"],
        ["def f(d):\n    return d\n"],
    ),
    "F811 of imports": (
        "from os.path import join\nfrom posixpath import join\n\n\n"
        "def f():\n    import re\n    import re\n    return re, join\n",
        ["from posixpath import join\n\n\ndef f():\n    import re\n    return re, join\n"],
        ["from os.path import join\n\n\ndef f():\n    import re\n    return re, join\n"],
    ),
    "E741 of an attribute, a global and in a text": (
        "def f(self):\n    global l\n    self.l = l = 1\n    g(\"id='l'\")\n",
        ["def f(self):\n    global x\n    self.x = x = 1\n    g(\"id='l'\")\n"],
        [
            "def f(self):\n    global x\n    self.x = x = 1\n    g(\"id='x'\")\n",
            "def f(self):\n    global x\n    self.y = x = 1\n    g(\"id='l'\")\n",
        ],
    ),
    "F824 beside an assignment": (
        "A = 1\n\n\ndef f():\n    global A\n    return A\n\n\ndef g():\n    global A\n    A = 2\n",
        ["A = 1\n\n\ndef f():\n    return A\n\n\ndef g():\n    global A\n    A = 2\n"],
        ["A = 1\n\n\ndef f():\n    return A\n\n\ndef g():\n    A = 2\n    return A\n"],
    ),
    "F824": (
        "A = 1\n\n\ndef f():\n    global A\n    return A\n",
        ["A = 1\n\n\ndef f():\n    return A\n"],
        ["def f():\n    return A\n"],
    ),
}


@pytest.fixture(scope="module")
def told() -> dict[str, list[Finding]]:
    """What flake8 says of the originals."""
    found = lint([one for one, *_ in PERMITTED.values()], 1, ("flake8",), final_newline=False)
    return dict(zip(PERMITTED, found, strict=True))


def test_a_complaint_permits_what_meets_it_and_nothing_else(told: dict[str, list[Finding]]) -> None:
    for case, (original, answers, others) in PERMITTED.items():
        assert case.split(maxsplit=1)[0] in {finding.code for finding in told[case]}
        wrong = [answer for answer in answers if not same(original, told[case], answer)]
        assert (case, wrong) == (case, [])
        wrong = [other for other in others if same(original, told[case], other)]
        assert (case, wrong) == (case, [])


# Codes whose complaints are met by another text, or by one that always means the same.
_OF_THE_TEXT = {"E225", "E302", "E402", "W605", "E703", "E713", "E714", "F541"}


def test_without_the_complaint_it_is_another_program(told: dict[str, list[Finding]]) -> None:
    for case in PERMITTED.keys() - _OF_THE_TEXT:
        original, answers, _ = PERMITTED[case]
        others = [one for one in told[case] if one.code[:2] in {"E2", "E3", "W2"}]
        assert not any(same(original, others, answer) for answer in answers), case


@pytest.mark.parametrize("broken", ["x = (\n", "x = 0x" + "f" * 5000 + "\n"])
def test_what_cannot_be_compared_is_not_the_same(broken: str) -> None:
    assert not same(broken, [], broken)


# The bundled items


def test_what_ruff_and_autopep8_fix_passes_with_tests_and_without() -> None:
    items = bundled().items[::3]
    fixed = fix([item.inputs.code for item in items], 2)
    answers = [Answer("a", item.meta.id, 0, code) for item, code in zip(items, fixed, strict=True)]
    untested = [replace(one, function=None, cases=()) for one in bundled().tests]
    for tests in (bundled().tests, untested):
        rows = score_samples(answers, items, tests, in_jail, "-", 2)["linteval_scores"]
        clean = [row for row in rows if row["outcome"] == "clean"]
        assert len(clean) > 25
        assert {row["strict"] for row in clean} == {True}


def test_no_edit_of_a_canonical_answer_passes_by_its_syntax() -> None:
    items = bundled().items
    found = lint([item.inputs.code for item in items], 2, ("flake8",), final_newline=False)
    edits = 0
    for item, told in zip(items, found, strict=True):
        for edit in islice(candidates(problem_of(item.meta.canonical_code), seed=1), 8):
            assert not same(item.inputs.code, told, edit.code), edit.code
            edits += 1
    assert edits > 900
