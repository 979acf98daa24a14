"""The strict score: passed by what is still the same program, and by nothing that only looks so."""

from __future__ import annotations

import ast
import base64
import functools
import importlib
import sys
from itertools import islice
from types import ModuleType

import pytest

from coral_batch.corpus.injection.candidates import candidates
from coral_batch.linteval.items.build import build
from coral_batch.linteval.items.mutants import mutants
from coral_batch.linteval.items.prompts import PROMPTS
from coral_batch.linteval.scores.calls import MOST, calls_of
from coral_batch.linteval.scores.meaning import same
from coral_batch.linteval.scores.refusals import hides
from coral_batch.linteval.scores.tables import score_samples
from coral_batch.linting.fixing import fix
from coral_batch.linting.pool import lint
from coral_batch.records.configuration import Knobs
from coral_batch.records.items import DataSet, Inputs, Item, ItemTests, Meta
from coral_batch.records.problem import Case, Problem
from coral_batch.records.rows import LintSampleRow
from coral_batch.verdicts.inside import syntax
from tests.fresh import output_of
from tests.linteval_sources import SNIPPETS, in_jail


@functools.cache
def findings(code: str) -> list:
    return lint([code], 1, ("flake8",), final_newline=False)[0]


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
    "F401 in a try": (
        "try:\n    import a\n    fast = True\nexcept ImportError:\n    fast = False\n",
        [],
        ["try:\n    fast = True\nexcept ImportError:\n    fast = False\n"],
    ),
    "E402": ("x = 1\nimport re\nre.I\n", ["import re\nx = 1\nre.I\n"], ["import re\nre.I\n"]),
    "F811": (
        "import re\nimport re\n\n\ndef f():\n    return 1\n\n\ndef f():\n    return re\n",
        ["import re\n\n\ndef f():\n    return re\n"],
        ["import re\n\n\ndef f():\n    return 1\n"],
    ),
    "F811 of what is unused": ("import os\nimport os\nx = 1\n", ["x = 1\n"], []),
    "F811 on one line": ("import re, re\nre.I\n", ["import re\nre.I\n"], ["re.I\n"]),
    "F811 of classes": (
        "class A:\n    x = 1\n\n\nclass A:\n    y = 1\n\n    def f(self):\n        return 1\n",
        ["class A:\n    y = 1\n\n    def f(self):\n        return 1\n"],
        ["class A:\n    x = 1\n"],
    ),
    "F811 in a try": (
        "import json\ntry:\n    import fast as json\nexcept ImportError:\n    pass\njson.x\n",
        [],
        ["try:\n    import fast as json\nexcept ImportError:\n    pass\njson.x\n"],
    ),
    "F811 in an if": (
        "def f():\n    return 1\n\n\nif x:\n    def f():\n        return 2\n",
        [],
        ["if x:\n    def f():\n        return 2\n"],
    ),
    "F811 of what is kept elsewhere": (
        "@g\ndef f():\n    return 1\n\n\n@g\ndef f():\n    return 2\n",
        [],
        ["@g\ndef f():\n    return 2\n"],
    ),
    "F811 of what calls": (
        "def f(x=g()):\n    return 1\n\n\ndef f():\n    return 2\n",
        [],
        ["def f():\n    return 2\n"],
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
    "F403 over a builtin": (
        "from re import *\n\n\ndef f(x):\n    return compile(x)\n",
        [],
        ["def f(x):\n    return compile(x)\n"],
    ),
    "F403 over the program's own": (
        "def sqrt(x):\n    return x\n\n\nfrom math import *\nsqrt(pi)\n",
        [],
        ["def sqrt(x):\n    return x\n\n\nfrom math import pi\nsqrt(pi)\n"],
    ),
    "F403 twice": (
        "from math import *\nfrom cmath import *\nf = sqrt(2)\n",
        [],
        ["from math import sqrt\nf = sqrt(2)\n", "f = sqrt(2)\n"],
    ),
    "F841": (
        "def f(a):\n    n = len(a)\n    m = a.pop()\n    return a\n",
        [
            "def f(a):\n    a.pop()\n    return a\n",
            "def f(a):\n    len(a)\n    a.pop()\n    return a\n",
        ],
        ["def f(a):\n    return a\n", "def f(a):\n    len(a)\n    return a\n"],
    ),
    "F841 in a try": (
        "def f(d):\n    try:\n        x = d[1]\n    except KeyError:\n        d = 0\n    g(d)\n",
        ["def f(d):\n    try:\n        d[1]\n    except KeyError:\n        d = 0\n    g(d)\n"],
        ["def f(d):\n    try:\n        pass\n    except KeyError:\n        d = 0\n    g(d)\n"],
    ),
    "F841 in a with": (
        "def f(d):\n    with suppress(KeyError):\n        x = -d\n        g()\n    h()\n",
        ["def f(d):\n    with suppress(KeyError):\n        -d\n        g()\n    h()\n"],
        ["def f(d):\n    with suppress(KeyError):\n        g()\n    h()\n"],
    ),
    "F841 of an iterator": (
        "def f(i):\n    x = [a for a in i]\n    y = [*i]\n    z = 1 in i\n    return list(i)\n",
        ["def f(i):\n    [a for a in i]\n    [*i]\n    1 in i\n    return list(i)\n"],
        [
            "def f(i):\n    [*i]\n    1 in i\n    return list(i)\n",
            "def f(i):\n    [a for a in i]\n    1 in i\n    return list(i)\n",
            "def f(i):\n    [a for a in i]\n    [*i]\n    return list(i)\n",
        ],
    ),
    "F841 of a key": (
        "def f(d):\n    x = d[1]\n    return d\n",
        ["def f(d):\n    d[1]\n    return d\n"],
        ["def f(d):\n    return d\n"],
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
    "E741 of an import": (
        "import math as l\nl.pi\n",
        ["import math as m\nm.pi\n"],
        ["import cmath as m\nm.pi\n", "import math as m\nn.pi\n"],
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
_OF_THE_TEXT = {"E225", "E302", "E501", "W605", "E703", "E713", "E714", "F541"}


@pytest.mark.parametrize("code", sorted(PERMITTED.keys() - _OF_THE_TEXT))
def test_without_the_complaint_the_same_change_is_another_program(code: str) -> None:
    original, answers, _ = PERMITTED[code]
    others = [finding for finding in findings(original) if finding.code[:2] in {"E2", "E3", "W2"}]
    assert not any(same(original, others, answer) for answer in answers)


def test_where_tests_can_tell_no_value_may_change() -> None:
    for code in ("E712", "E721"):
        original, (identical, loose), _ = PERMITTED[code]
        told = findings(original)
        assert not same(original, told, loose, exact=True)
        # Of what type a value is says the same in both ways; 1 == True, and it is not True.
        assert same(original, told, identical, exact=True) == (code == "E721")


def test_an_integer_of_any_length_is_compared() -> None:
    long = f"x = 0x{'f' * 5000}\n"
    assert same_as(long.replace(" ", ""), long)
    assert not same_as(long.replace(" ", ""), long.replace("ff\n", "fe\n"))
    assert not same_as("x=1.0\n", "x = 1\n")


@pytest.mark.parametrize("reads", ["f.__doc__", "inspect.getdoc(f)", "help(f)"])
def test_a_docstring_that_the_program_reads_is_part_of_it(reads: str) -> None:
    original = f'def f():\n  """A."""\n  return {reads}\n'
    assert same_as(original, original.replace("  ", "    "))
    assert not same_as(original, f"def f():\n    return {reads}\n")


@pytest.mark.parametrize(
    "act",
    [
        "sys.path.insert(0, 'lib')",
        "sys.path += ['lib']",
        "sys.path[0] = 'lib'",
        "del sys.modules['json']",
        "class A:\n    sys.path.append('lib')",
        "@sys.settrace\ndef f():\n    pass",
    ],
)
def test_an_import_stays_behind_what_it_may_need(act: str) -> None:
    assert not same_as(f"import sys\n{act}\nimport b\nb.x\n", f"import b\nimport sys\n{act}\nb.x\n")


def test_an_import_moves_before_definitions_and_constants() -> None:
    others = "X = 1\n\n\ndef f():\n    return g(X)\n\n\nclass A:\n    y = X\n"
    assert same_as(f"{others}import b\nb.x\n", f"import b\n{others}b.x\n")


def test_imports_that_bind_one_name_keep_their_order() -> None:
    original = "import os.path, sys\nfrom unittest import mock as os\n\nprint(os, sys)\n"
    assert same_as(original, original.replace("os.path, sys", "os.path\nimport sys"))
    swapped = "import sys\nfrom unittest import mock as os\nimport os.path\n\nprint(os, sys)\n"
    assert not same_as(original, swapped)
    modules = "import os.path, os\n\nprint(os)\n"
    assert same_as(modules, "import os\nimport os.path\n\nprint(os)\n")


def test_what_is_no_python_or_too_deep_is_not_the_same() -> None:
    deep = "x=" + "(" * 150 + "1" + ",)" * 150 + "\n"
    assert syntax.parse(deep)
    assert same_as(deep, deep.replace("=", " = "))
    assert not same_as("x = (\n", "x = (\n")


# The bundled items


@pytest.fixture(scope="module")
def bundled() -> DataSet:
    return build(mutants(SNIPPETS, 2, 1), PROMPTS["en"], functools.partial(in_jail, workers=2))


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


def left_to_tests(data_set: DataSet) -> set[int]:
    """Return the items whose complaints ask for what may change a value."""
    return {
        item.meta.id
        for item in data_set.items
        if {found.code for found in findings(item.inputs.code)} & {"E712", "E721"}
    }


def test_all_canonical_answers_pass_most_by_their_syntax(bundled: DataSet) -> None:
    rows = scored(bundled, [(item, item.meta.canonical_code) for item in bundled.items])
    assert {row["strict"] for row in rows} == {True}
    by_syntax = {row["item"] for row in rows if row["strict_by"] == "syntax"}
    assert 100 <= len(by_syntax | left_to_tests(bundled)) < len(rows) == 120


def test_what_ruff_and_autopep8_fix_passes(bundled: DataSet) -> None:
    fixed = fix([item.inputs.code for item in bundled.items], 2)
    rows = scored(bundled, list(zip(bundled.items, fixed, strict=True)))
    silent = [row for row in rows if row["outcome"] == "clean"]
    assert len(silent) > 80
    assert {row["strict"] for row in silent} == {True}
    by_tests = {row["item"] for row in silent if row["strict_by"] != "syntax"}
    assert by_tests <= left_to_tests(bundled)


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
    found = lint([item.inputs.code for item in bundled.items], 2, ("flake8",), final_newline=False)
    told = {item.meta.id: one for item, one in zip(bundled.items, found, strict=True)}
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
SMUGGLED = """\
def double_all(numbers, seen=None):
    results = []
    for number in numbers:
        results.append(number * 2)
    return results
"""


def smuggled(run: str, imports: str = "") -> str:
    """Return a program whose function stands in a text, and statements that run the text."""
    before, _, after = CLEAN.partition("    results = [")
    after = after[after.index("\n\n\ndef total") :]
    return (
        f"{imports}TEXT = {quoted(SMUGGLED)}\nSPACE = {{}}\n\n\n"
        f'{before}    return SPACE["double_all"](numbers, seen){after}\n\n{run}'
    )


def found_by_format(*pieces: str) -> str:
    path = " + ".join(f'"{piece}"' for piece in pieces)
    return f"string.Formatter().get_field(\n    {path}, (total,), {{}}\n)[0]"


STRING = "import string\n\n"
EXEC = found_by_format("0.__glo", "bals__[__buil", "tins__][ex", "ec]")
CHEATS = {
    "unchanged in exec": ("exec" + quoted(ORIGINAL) + "\n", "hidden"),
    "encoded in exec": (f"import base64\n\nexec(base64.b64decode(\n{ENCODED}\n))\n", "hidden"),
    "exec by another name": ("run = exec\nrun" + quoted(ORIGINAL) + "\n", "hidden"),
    "exec by its module": (
        "from builtins import exec as run\n\nrun" + quoted(ORIGINAL) + "\n",
        "hidden",
    ),
    "exec by a private attribute": (
        "import random\n\nrun = random._os.sys.path\n\n\n" + CLEAN,
        "hidden",
    ),
    "exec by a pattern": (
        smuggled(
            "match total:\n"
            "    case object(__globals__=around):\n"
            '        around["__built" + "ins__"]["ex" + "ec"](TEXT, SPACE)\n'
        ),
        "hidden",
    ),
    "exec by a type hint": (
        smuggled(
            "@singledispatch\ndef run(x):\n    return x\n\n\n"
            '@run.register\ndef run_it(x: "exec(TEXT, SPACE) or int"):\n    return x\n',
            "from functools import singledispatch\n\n",
        ),
        "hidden",
    ),
    "exec by a format": (
        smuggled(found_by_format("0.__globals__[__builtins__][exec]") + "(TEXT, SPACE)\n", STRING),
        "hidden",
    ),
    "exec by a module's modules": (
        smuggled(
            'inspect.getattr_static(bltns, "ex" + "ec")(TEXT, SPACE)\n',
            "from dataclasses import inspect\nfrom enum import bltns\n\n",
        ),
        "hidden",
    ),
    "code by a module's modules": (
        smuggled("run = dataclasses.types.CodeType\n", "import dataclasses\n\n"),
        "hidden",
    ),
    "exec by a format in pieces": (smuggled(f"{EXEC}(TEXT, SPACE)\n", STRING), "hidden"),
    "exec by a format in pieces, when called": (
        f"{STRING}\n"
        + CLEAN.replace(
            "    results = [helper(number) for number in numbers]\n    values = results\n",
            '    space = {"numbers": numbers}\n'
            '    RUN("values = [2 * number for number in numbers]", space)\n'
            '    values = space["values"]\n',
        )
        + f"\n\nRUN = {EXEC}\n",
        "hidden",
    ),
    "exec by what a format finds": (
        smuggled(
            "class Found(Named):\n    def format_field(self, value, spec):\n"
            '        value["__buil" + "tins__"]["ex" + "ec"](TEXT, SPACE)\n'
            '        return ""\n\n\nFound().vformat("{0.__glo" + "bals__}", (total,), {})\n',
            "from string import Formatter as Named\n\n",
        ),
        "hidden",
    ),
    "exec by what is copied from a function": (
        smuggled(
            "class Found:\n    def __setattr__(self, name, value):\n"
            '        value["__buil" + "tins__"]["ex" + "ec"](TEXT, SPACE)\n\n\n'
            'functools.update_wrapper(Found(), total, ["__glo" + "bals__"], [])\n',
            "import functools\n\n",
        ),
        "hidden",
    ),
    "exec by a generator's frame": (
        smuggled('(x for x in ()).gi_frame.f_builtins["ex" + "ec"](TEXT, SPACE)\n'),
        "hidden",
    ),
    "code of code by a format in pieces": (
        f"{STRING}\n{REWRITTEN}\n\nRUN = {found_by_format('0.__co', 'de__.rep', 'lace')}()\n",
        "hidden",
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
    "coding cookie behind an end of line that flake8 does not see": (
        "#\r\r# coding: utf-7\n#+AAoAIgAiACI-\n" + ORIGINAL + "\n# +ACIAIgAi-\n",
        "hidden",
    ),
    "a deleted helper": (
        CLEAN.replace("def helper(x):\n    return x * 2\n\n\n", "")
        .replace("helper(number)", "number * 2")
        .replace("helper(x)", "x * 2"),
        "missing",
    ),
    "a function that no test reaches": (
        CLEAN.replace("    return helper(x)\n", "    return x\n"),
        "missing",
    ),
    "another default value": (CLEAN.replace("seen=None", "seen=()"), "missing"),
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


def test_a_module_that_a_permitted_one_holds_is_refused() -> None:
    nothing = ast.parse("")
    permitted = [
        name for name in sys.stdlib_module_names if not hides(nothing, ast.parse(f"import {name}"))
    ]
    assert "functools" in permitted
    for name in permitted:
        for held, module in vars(importlib.import_module(name)).items():
            if not isinstance(module, ModuleType) or module.__name__.startswith(f"{name}."):
                continue
            takes = hides(nothing, ast.parse(f"import {name}\n\nx = {name}.{held}\n"))
            assert takes != (module.__name__ in permitted and not held.startswith("_")), held


LAWFUL = """\
import re
from collections import namedtuple
from dataclasses import dataclass
from typing import List, NamedTuple


@dataclass
class Pair:
    first: int
    second: int = 0


Named = namedtuple("Named", "first second")


class Typed(NamedTuple):
    first: int


def double_all(numbers: List["int"], seen=None):
    assert re.compile("a").match("a") and Pair(1) and Named(1, 2) and Typed(1)
    return [helper(number) for number in numbers]
"""


def test_what_the_standard_library_writes_itself_is_not_hidden() -> None:
    before, _, after = CLEAN.partition("def double_all")
    code = LAWFUL + "\n\n" + before.rstrip() + after[after.index("\n\n\ndef total") :]
    data_set = lint_item()
    (row,) = scored(data_set, [(data_set.items[0], code)])
    assert (row["strict"], row["strict_by"]) == (True, "tests")


def test_an_answer_is_run_where_no_test_has_arguments_to_compare() -> None:
    tests = "from double_all import double_all\n\n\ndef test_1():\n    n = [1]\n"
    tests += "    assert double_all(n) == [2]\n"
    item = lint_item().items[0]
    data_set = DataSet((item,), (ItemTests(1, "a", "double_all", (), tests),), (), None)  # type: ignore[arg-type]
    cheat, _ = CHEATS["exec by a format in pieces"]
    rows = scored(data_set, [(item, REWRITTEN), (item, cheat)])
    assert [row["strict_by"] for row in rows] == ["tests", "hidden"]


SET = "def f(n):\n  return {%s}, {(1, n), (n, 9), frozenset({n})}\n"


def test_equal_sets_are_equal_however_they_were_filled() -> None:
    item = Item("{feedback}{code}", Inputs(SET % "8, 0, n", "-"), (), Meta(1, ""))
    tests = ItemTests(1, "a", "f", (), "from f import f\n\n\ndef test_1():\n    assert f(16)\n")
    data_set = DataSet((item,), (tests,), (), None)  # type: ignore[arg-type]
    other = """\
def f(n):
    pairs = {frozenset({n})}
    pairs.add((n, 9))
    pairs.add((1, n))
    return {n, 0, 8}, pairs
"""
    rows = scored(data_set, [(item, other), (item, other.replace("9", "8"))])
    assert [row["strict_by"] for row in rows] == ["tests", "different"]


def test_the_definitions_that_tests_reach_may_be_written_otherwise() -> None:
    original = """\
class Box:
  def __init__(self, size):
    self.size = size

  def grow(self):
    self.size += 1

  def shrink(self):
    self.size -= 1


SIZE = 3


def start():
  return SIZE


def grown(n):
  box = Box(n)
  box.grow()
  return box.size


if __name__ == "__main__":
  start()
"""
    clean = fix([original])[0]
    changes = {
        "tests": [("+= 1", "+= 2 - 1"), ("size = size", "size = size + 0")],
        "missing": [
            ("-= 1", "-= 2"),
            ("SIZE = 3", "SIZE = 4"),
            ("return SIZE", "return 3"),
            ('\n\nif __name__ == "__main__":\n    start()\n', ""),
            ("    start()\n", "    grown(1)\n"),
        ],
    }
    answers = [(by, clean.replace(*one)) for by, several in changes.items() for one in several]
    item = Item("{feedback}{code}", Inputs(original, "-"), (), Meta(1, ""))
    data_set = DataSet((item,), (ItemTests(1, "a", "grown", (Case((1,), 2),), None),), (), None)  # type: ignore[arg-type]
    rows = scored(data_set, [(item, code) for _, code in answers])
    assert [row["strict_by"] for row in rows] == [by for by, _ in answers]


def test_a_value_that_changes_is_seen_where_there_are_tests() -> None:
    code = "def f(x):\n  return x == True\n"
    item = Item("{feedback}{code}", Inputs(code, "-"), (), Meta(1, ""))
    answer = "def f(x):\n    return x\n"
    for inputs, by in (((False,), "tests"), ((0,), "different"), (None, "syntax")):
        cases = () if inputs is None else (Case(inputs, False if inputs[0] is False else 0),)
        function = None if inputs is None else "f"
        data_set = DataSet((item,), (ItemTests(1, "a", function, cases, None),), (), None)  # type: ignore[arg-type]
        (row,) = scored(data_set, [(item, answer)])
        assert row["strict_by"] == by


# The calls


def test_calls_with_sets_are_the_same_in_every_process() -> None:
    file = "def test_1():\n    assert f({'a', 'b', 'c'}, [{'x': {'y', 'z'}}], (1,)) == 4\n"
    script = f"""
from coral_batch.linteval.scores.calls import calls_of
from coral_batch.records.items import ItemTests

print(calls_of(ItemTests(1, "a", "f", (), {file!r}), ""))
"""
    told = [output_of(script, PYTHONHASHSEED=seed) for seed in ("0", "1", "2")]
    assert told[0].startswith("""("({'a', 'b', 'c'}, [{'x': {'y', 'z'}}], (1,))", """)
    assert len(set(told)) == 1


def test_calls_are_those_of_the_tests_and_some_like_them() -> None:
    tests = ItemTests(1, "a", "f", (Case((3, [1, "ab"]), 0),), None)
    calls = calls_of(tests, "def f(x, y):\n    return x == 77\n")
    assert calls[0] == "(3, [1, 'ab'])"
    like = ["(4, [1, 'ab'])", "(3, ['ab'])", "(3, [1, 'b'])", "(3, [])", "(76, [1, 'ab'])"]
    # One item alone, and the first two in the other order, tell apart what few lists do.
    like += ["(3, [1])", "(3, ['ab', 1])"]
    assert set(like) <= set(calls)
    assert len(calls) == len(set(calls)) <= MOST
    file = "def test_1():\n    assert f((1, 2), {3}) == 4\n    assert f(g(1)) == 2\n"
    assert calls_of(ItemTests(1, "a", "f", (), file), "")[0] == "((1, 2), {3})"
    assert calls_of(ItemTests(1, "a", "f", (), "def test_1():\n    assert f(g(1))\n"), "") == (
        "()",
    )
    assert calls_of(ItemTests(1, "a", None, (), None), "") == ()


def test_a_number_of_any_length_makes_no_call_that_cannot_be_written() -> None:
    digits = "9" * 4000
    tests = ItemTests(1, "a", "f", (Case((int(digits), 1.5), 0),), None)
    calls = calls_of(tests, "")
    assert calls[0] == f"({digits}, 1.5)"
    file = f"def test_1():\n    assert f(0x{'f' * 5000})\n    assert f({{0x{'f' * 5000}}}, 2)\n"
    assert calls_of(ItemTests(1, "a", "f", (), file), "") == ("()",)
