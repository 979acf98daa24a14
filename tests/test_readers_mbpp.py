"""MBPP in both published forms becomes problems, and its asserts cases or tests."""

from __future__ import annotations

import ast
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coral_batch.corpus.testcode.asserts import checks, has_truth, is_json
from coral_batch.errors import CoralError
from coral_batch.records.problem import Case
from tests.readers import MBPP, jsonl, kinds, passes, read, reasons

SANITIZED = {
    "source_file": "notebook",
    "task_id": 7,
    "prompt": "Write a function to halve.",
    "code": "def half(n):\n    return n / 2\n",
    "test_imports": ["import math"],
    "test_list": ["assert math.isclose(half(3), 1.5)", "assert half(2) == 1"],
}


def test_asserts_on_plain_values_become_cases(tmp_path: Path) -> None:
    (problem,), dropped = read("mbpp", jsonl(tmp_path / "mbpp.jsonl", MBPP))
    assert dropped == []
    assert (problem.name, problem.function) == ("mbpp_601", "add")
    assert problem.reference == "def add(a, b):\n\treturn a + b\n"
    assert (problem.docstring, problem.buggy, problem.tests) == (MBPP["text"], None, None)
    assert problem.cases == (Case((1, 2), 3), Case(([1], [2.5]), [1, 2.5]))
    assert kinds(problem) == ["PASS", "PASS"]
    assert kinds(problem, "def add(a, b):\n    return a\n") == ["FAIL", "FAIL"]


@pytest.mark.parametrize(
    "test",
    [
        "assert add((1,), (2,)) == (1, 2)",
        "assert add(1, b=2) == 3",
        "assert add({1}, {2})",
        "assert add(1, 2) != 4",
        "x = add(1, 2)\nassert x == 3",
    ],
)
def test_what_json_does_not_say_becomes_a_test(tmp_path: Path, test: str) -> None:
    code = "def add(a, b):\n    return a | b if isinstance(a, set) else a + b\n"
    row = {**MBPP, "code": code, "test_list": [test]}
    (problem,), _ = read("mbpp", jsonl(tmp_path / "mbpp.jsonl", row))
    assert problem.cases == ()
    assert problem.tests is not None and "def test_1():" in problem.tests
    assert passes([problem]) == [True]


def test_the_sanitized_form_is_an_array_with_imports(tmp_path: Path) -> None:
    file = tmp_path / "sanitized-mbpp.json"
    file.write_text(json.dumps([SANITIZED, {**SANITIZED, "task_id": 8}]))
    problems, dropped = read("mbpp", tmp_path)
    assert [problem.name for problem in problems] == ["mbpp_7", "mbpp_8"]
    assert (problems[0].docstring, dropped) == ("Write a function to halve.", [])
    assert passes(problems[:1]) == [True]
    assert kinds(problems[0], "def half(n):\n    return n // 2\n") == ["FAIL", "PASS"]


def test_tests_may_import_what_the_program_imports(tmp_path: Path) -> None:
    row = {**SANITIZED, "code": "import math\ndef half(n):\n    return math.fabs(n) / 2\n"}
    (tmp_path / "sanitized-mbpp.json").write_text(json.dumps([row]))
    (problem,), _ = read("mbpp", tmp_path)
    assert (problem.function, passes([problem])) == ("half", [True])


def test_tasks_that_the_jail_cannot_test_are_dropped_with_a_reason(tmp_path: Path) -> None:
    pair = "class Pair:\n    pass\n\n\ndef first(p): return p.a\n"
    changes: list[tuple[dict[str, Any], str]] = [
        ({"code": pair, "test_list": ["assert first(Pair()) == 1"]}, "untestable"),
        ({"code": "print 'x'"}, "unparseable"),
        ({"test_list": ["assert ("]}, "unparseable"),
        ({"code": "import numpy\ndef add(a, b): return numpy.add(a, b)"}, "imports"),
        ({"code": "add = lambda a, b: a + b"}, "untestable"),
        ({"test_list": ["assert add(1j, 1) == 1 + 1j"]}, "untestable"),
        ({"test_list": ["assert add(lambda: 1, 2) == 1"]}, "untestable"),
        ({"test_list": ["add(1, 2) == 3"]}, "untestable"),
        ({"test_list": ["add(1, 2) == 3"], "test_setup_code": "assert True"}, "untestable"),
        ({"test_list": ["", "assert add(1, 2) == 3"]}, "untestable"),
        ({"test_list": ["assert add(b'a', b'b') == 1"]}, "untestable"),
        ({"test_list": [f"assert add(1, 2) == 0x{'f' * 4000}"]}, "untestable"),
        ({"test_list": []}, "untested"),
        ({"code": "\n"}, "untested"),
        ({"test_setup_code": "import numpy"}, "imports"),
        ({"test_setup_code": "import ("}, "unparseable"),
    ]
    rows = [{**MBPP, "task_id": number, **change} for number, (change, _) in enumerate(changes)]
    problems, dropped = read("mbpp", jsonl(tmp_path / "mbpp.jsonl", *rows, MBPP))
    assert [problem.name for problem in problems] == ["mbpp_601"]
    assert reasons(dropped) == [
        (f"mbpp_{number}", reason) for number, (_, reason) in enumerate(changes)
    ]
    assert "numpy" in dropped[3].detail


@pytest.mark.parametrize("condition", ["TYPE_CHECKING", "typing.TYPE_CHECKING"])
def test_imports_for_type_checkers_alone_are_not_missing(tmp_path: Path, condition: str) -> None:
    start = "from __future__ import annotations\nimport typing\nfrom typing import TYPE_CHECKING\n"
    start += f"if {condition}:\n    import numpy as np\nelse:\n    import "
    code = "\n\n\ndef add(a: np.int64, b):\n    return a + b\n"
    rows = [
        {**MBPP, "task_id": number, "code": f"{start}{module}{code}"}
        for number, module in enumerate(("math", "numpy"))
    ]
    problems, dropped = read("mbpp", jsonl(tmp_path / "mbpp.jsonl", *rows))
    assert passes(problems) == [True]
    assert reasons(dropped) == [("mbpp_1", "imports")]


def test_a_data_set_without_a_problem_is_an_error_that_says_why(tmp_path: Path) -> None:
    file = jsonl(tmp_path / "mbpp.jsonl", {**MBPP, "code": "print 'x'"})
    with pytest.raises(CoralError, match=r"no row of the data set[\s\S]*mbpp_601"):
        read("mbpp", file)


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
LITERALS = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(inputs=st.lists(LITERALS, max_size=3), expected=LITERALS)
def test_a_case_holds_to_the_letter_what_the_assert_says(inputs: list[Any], expected: Any) -> None:
    source = f"assert f({', '.join(map(repr, inputs))}) == {expected!r}"
    cases, tests = checks("f", [ast.parse(source).body])
    exact = is_json(inputs) and is_json(expected) and not has_truth(expected)
    assert bool(cases) == exact
    if exact:
        (case,) = cases
        assert repr([list(case.inputs), case.expected]) == repr([inputs, expected])
        assert repr(json.loads(json.dumps(inputs))) == repr(inputs)
    else:
        space: dict[str, Any] = {"inf": math.inf, "nan": math.nan}
        assert tests is not None
        exec(tests.replace("from f import f", "def f(*given): return given"), space)
        assert callable(space["test_1"])
