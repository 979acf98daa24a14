"""CodeLinterEval items built from programs: feedback, prompts, what is kept and why not."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coral_batch import lake
from coral_batch.errors import CoralError
from coral_batch.linteval.items.build import item_id
from coral_batch.linteval.items.examples import complaints
from coral_batch.linteval.items.item import fill, instructions
from coral_batch.linteval.items.mutants import FAULTS, mutants, put_in
from coral_batch.linteval.items.renaming import without_ambiguous_names
from coral_batch.records.items import (
    PLACEHOLDERS,
    Candidate,
    Dropped,
    Inputs,
    Item,
    ItemTests,
)
from coral_batch.seeding import generator
from stages.linteval_items import linteval_items
from tests import injectable
from tests.linteval_sources import RECORD, SNIPPETS, bundled, made_of, mbpp
from tests.settings import set_params

CODES = [snippet.code for snippet in SNIPPETS]

# The prompt


@given(code=st.text(), told=st.text())
def test_a_prompt_holds_code_and_feedback_to_the_letter(code: str, told: str) -> None:
    inputs = Inputs(code, told)
    assert fill("a {code} b {feedback} c", inputs) == f"a {code} b {told} c"
    assert fill("{feedback}{0} {} {x}{code}.", inputs) == f"{told}{{0}} {{}} {{x}}{code}.".strip()


@pytest.mark.parametrize("language", ["ru", "en"])
def test_ten_different_instructions_ask_for_a_fenced_answer(language: str) -> None:
    assert len(set(instructions(language))) == 10
    for instruction in instructions(language):
        assert all(instruction.count(placeholder) == 1 for placeholder in PLACEHOLDERS)
        assert "```python\n<code>" in instruction
        assert instruction.isascii() == (language == "en")


# The bundled data set


def test_the_default_is_120_items_of_every_lint_error_and_none_changes_a_result() -> None:
    made = bundled()
    assert (len(made.items), made.dropped) == (120, ())
    lines = (line for item in made.items for line in item.inputs.feedback.split("\n"))
    assert {fault.code for fault in FAULTS} <= {line.partition(":")[0] for line in lines}
    asked = Counter(item.instruction for item in made.items)
    assert [*asked.values()] == [12] * 10
    programs = Counter(tests.source.split()[0] for tests in made.tests)
    assert set(programs.values()) == {2}
    clean = {snippet.source: snippet.code for snippet in SNIPPETS}
    for item, tests in zip(made.items, made.tests, strict=True):
        assert item.meta.id == tests.id == item_id(item.inputs.code)
        assert item.meta.canonical_code == clean[tests.source.split()[0]]
        assert tests.cases
    assert len({item.meta.id for item in made.items}) == 120


def test_no_snippet_is_named_like_a_training_problem() -> None:
    names = [problem.name for problem in injectable.bundled()]  # of snippets and classics
    assert len(set(names)) == len(names)


def test_the_same_seed_gives_the_same_programs_and_another_seed_others() -> None:
    first = [item.inputs.code for item in bundled().items]
    assert [program.code for program in mutants(SNIPPETS, 2, 1)] == first
    second = [program.code for program in mutants(SNIPPETS, 2, 2)]
    assert len(set(first) & set(second)) < 12


def test_every_kind_of_lint_error_appears_where_it_is_put_in() -> None:
    mutated: list[tuple[str, str]] = []
    for fault in FAULTS:
        streams = [generator(1, "test", one.source, fault.code) for one in SNIPPETS]
        made = [put_in(fault, *pair) for pair in zip(CODES, streams, strict=True)]
        mutated += [(fault.code, mutant) for mutant in made if mutant is not None][:4]
    assert {code for code, _ in mutated} == {fault.code for fault in FAULTS}
    found = complaints([mutant for _, mutant in mutated], 2)
    for (code, mutant), findings in zip(mutated, found, strict=True):
        codes = {finding.code for finding in findings}
        assert code in codes, mutant
        assert not codes & {"E999", "E902", "F821"}


def test_no_lint_error_is_put_into_an_f_string() -> None:
    # Python 3.12 and newer tokenize what is inside, so items would differ from those of 3.11.
    text = 'f"{one, two} {one + two}"'
    code = f"def told(one, two):\n    return {text}\n"
    for fault in FAULTS:
        mutant = put_in(fault, code, generator(1, "test", fault.code))
        assert mutant is None or text in mutant


# Building from programs


LAMBDA = "double = lambda x: 2*x\ndef name_of(x):\n    return double.__name__"
TEST = "from {0} import {0}\n\n\ndef test_1():\n    assert {0}({1}) == {2}\n"


def program(source: str, code: str, arguments: str, expected: str) -> Candidate:
    function = re.findall(r"def (\w+)", code)[-1]
    tests = TEST.format(function, arguments, expected)
    return Candidate(source, code, function=function, tests=tests)


def test_what_gives_no_item_is_dropped_with_its_reason() -> None:
    data_set = made_of(
        [
            program("good", "def add(a,b): \n  return a+b", "1, 2", "3"),
            program("again", "def add(a,b): \n  return a+b", "1, 2", "3"),
            program("fine", "def one():\n    return 1\n", "", "1"),
            program("wrong", "def add(a, b):\n  return a - b\n", "1, 2", "3"),
            program("renamed", LAMBDA, "1", "'<lambda>'"),
            program("stuck", "def use(l):\n  return f'{l}'\n", "1", "'1'"),
            program("old", "def show():\n    print 'x'\n", "", "None"),
            program("long", "x = 1\n" * 11_000 + "def f(): return 1", "", "1"),
            Candidate("untested", "import os\nx = 1\n"),
            Candidate("idle", "import os\n"),
            Candidate("deep", f"l={'-' * 250}1\n"),
        ]
    )
    assert [tests.source for tests in data_set.tests] == ["good", "untested"]
    assert [(drop.source, drop.reason) for drop in data_set.dropped] == [
        ("again", "duplicate"),
        ("fine", "clean"),
        ("old", "unparseable"),
        ("long", "too_long"),
        ("deep", "unparseable"),
        ("stuck", "not_silent"),
        ("wrong", "original_fails"),
        ("renamed", "canonical_fails"),
        ("idle", "canonical_fails"),
    ]
    details = {drop.source: drop.detail for drop in data_set.dropped}
    assert details["stuck"] == "E741: ambiguous variable name 'l' in 1 line"
    assert details["wrong"] == "test 1: FAIL returned -1"
    assert details["again"] == "same code as good"
    assert details["idle"] == "the canonical code is empty"
    good, untested = data_set.items
    assert good.inputs.feedback.startswith("E231: missing whitespace after ',' in 1 line\n")
    assert good.meta.canonical_code == "def add(a, b):\n    return a + b\n"
    assert untested.meta.canonical_code == "x = 1\n"
    assert (data_set.tests[1].function, data_set.tests[1].tests) == (None, None)


def test_a_program_in_which_noqa_hides_a_complaint_is_dropped() -> None:
    silenced = {
        "import os  # noqa\nx=1\n": "F401: 'os' imported but unused in 1 line",
        "import os  # NOQA:F401,E225\nx=2\n": "F401: 'os' imported but unused in 1 line",
        f"x = '{'long ' * 16}# noqa'\ny=1\n": "E501: line too long (92 > 79 characters) in 1 line",
        "# flake8: noqa\nx=1\n": "E225: missing whitespace around operator in 2 line",
    }
    programs = [Candidate(code, code) for code in silenced]
    data_set = made_of([*programs, Candidate("open", "x=1\n# noqa is a word here\n")])
    assert data_set.dropped == tuple(Dropped(code, "silenced", silenced[code]) for code in silenced)


def test_a_variable_that_looks_like_a_digit_gets_another_name() -> None:
    renamed = {
        "def use(l):\n  return l\n": "def use(l_):\n    return l_\n",
        'def use(l_, l):\n  # é, l\n  return [l for I in "é" for l in (l,I)]\n': (
            'def use(l_, l__):\n    # é, l\n    return [l__ for I_ in "é" for l__ in (l__, I_)]\n'
        ),
        "O = 0\r\nl=[O]\r\n": "O_ = 0\nl_ = [O_]\n",
    }
    made = made_of([Candidate(code, code) for code in renamed])
    assert [item.meta.canonical_code for item in made.items] == [*renamed.values()]
    assert all("E741" in item.inputs.feedback for item in made.items)


def test_a_name_that_may_be_used_where_no_text_shows_it_is_kept() -> None:
    for code in (
        "class A:\n    l=1\nprint(A.l)\n",
        "def use(l):\n  return f'{l}'\n",
        "def use(l):\n  return locals()\n",
        "def use(l):\n  return l\nuse(l=1)\n",
        "def l(): pass\nl=l()\n",
        "import os as l\n",
        "def use():\n  global l\n  l=1\n",
        "try:\n  pass\nexcept OSError as l:\n  pass\n",
        "match 1:\n  case l:\n    pass\n",
    ):
        assert without_ambiguous_names(code) == code


@pytest.mark.parametrize(
    ("code", "without", "kept"),
    [
        ("E402", "from functools import cache\n\n\n@cache\ndef f(n):\n    return n\n", "@cache\n"),
        ("E402", "import re\n\n\n# About f.\ndef f(n):\n    return re.escape(n)\n", "# About f."),
        ("E731", "def f(n): return n\n", "f"),
        ("E741", "T = 0\n\n\ndef f(n):\n    global T\n    T = n\n    return T\n", "T = n"),
    ],
)
def test_a_lint_error_breaks_no_program_and_takes_nothing_away(
    code: str, without: str, kept: str
) -> None:
    for fault in (one for one in FAULTS if one.code == code):
        for number in range(5):
            mutant = put_in(fault, without, generator(number, "test"))
            if mutant is not None:
                compile(mutant, "mutant", "exec")
                assert kept in mutant


def test_programs_that_give_no_item_are_an_error() -> None:
    with pytest.raises(CoralError, match="no program can become an item"):
        made_of([Candidate("fine", "x = 1\n")])


def test_an_item_keeps_its_id_whatever_is_built_beside_it() -> None:
    candidates = [Candidate(f"{number}", f"import os, sys\nx={number}\n") for number in range(23)]
    forward, backward = made_of(candidates), made_of(candidates[:4:-1], "ru")
    ids = {item.inputs.code: item.meta.id for item in forward.items}
    assert len(set(ids.values())) == 23
    assert all(ids[item.inputs.code] == item.meta.id for item in backward.items)
    asked = Counter(item.instruction for item in forward.items)
    assert sorted(asked.values()) == [2] * 7 + [3] * 3
    # In 31 bits: the hub holds an id in 32.
    assert item_id("x=3854\n") == 1710432739 < 2**31


# The stage


def test_the_stage_adopts_official_data_and_its_prompts(workspace: Path) -> None:
    folder = workspace / "published"
    folder.mkdir()
    (folder / "test.json").write_text(json.dumps({"data": [RECORD]}))
    set_params({"linteval.source": "official", "linteval.path": str(folder)})
    linteval_items()
    (item,) = lake.read_rows("linteval_items", Item)
    assert (item.meta.id, item.outputs) == (5, (1, 0))
    assert item.instruction == RECORD["instruction"]
    assert lake.read_rows("linteval_tests", ItemTests) == [
        ItemTests(5, "published", None, (), None)
    ]
    assert lake.read_rows("linteval_dropped", Dropped) == []


def test_the_prompts_of_a_file_of_the_users_are_asked(workspace: Path) -> None:
    file = workspace / "raw_dataset_meta.json"
    wrong = {"task_id": 3, "code": "def add(a, b): return b"}
    set_params({"linteval.source": "mbpp", "linteval.prompts": str(file)})
    set_params({"linteval.path": str(mbpp(workspace, {}, {"task_id": 2}, wrong))})
    file.write_text("\ufeff" + json.dumps({"name": "x", "prompts": ["{feedback} Mend {code}"]}))
    linteval_items()
    (item,) = lake.read_rows("linteval_items", Item)
    assert item.instruction == "{feedback} Mend {code}"
    assert [drop.reason for drop in lake.read_rows("linteval_dropped", Dropped)] == [
        "duplicate",
        "original_fails",
    ]
