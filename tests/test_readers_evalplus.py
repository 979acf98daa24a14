"""EvalPlus' tasks become tests that compare as EvalPlus does, by its rules and tolerances."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coral_batch.corpus.readers.evalplus import LONGEST, MOST, chosen, like, rule_of
from coral_batch.corpus.testcode.comparisons import Rule, comparing, written
from tests.readers import EVALPLUS, jsonl, kinds, passes, read

HUMANEVAL = {
    "task_id": "HumanEval/7",
    "prompt": 'def average(numbers):\n    """ Mean, 0.0 of nothing. """\n',
    "entry_point": "average",
    "canonical_solution": "    return sum(numbers) / len(numbers) if numbers else 0.0\n",
    "base_input": [[[1, 2]], [[1, 1, 2]]],
    "plus_input": [[[0.1, 0.2]], [[]], [[1, 2]]],
    "atol": 0,
    "contract": "\n    assert isinstance(numbers, list) # $_CONTRACT_$\n",
    "assertion": "assert average([1, 2]) == 1.5",
}
PREAMBLE = "import numpy as np\n\n"
HF_HUMANEVAL = {
    "task_id": "HumanEval/7",
    "prompt": HUMANEVAL["prompt"],
    "canonical_solution": HUMANEVAL["canonical_solution"],
    "entry_point": "average",
    "test": PREAMBLE + "def check(candidate):\n    inputs = [[[1, 2]], [[inf, -inf, 1.0]], [[]]]\n"
    "    results = [1.5, nan, 0.0]\n    for i, (inp, exp) in enumerate(zip(inputs, results)):\n"
    "        assertion(candidate(*inp), exp, 0.01)\n",
}
HF_MBPP = {
    "task_id": 2,
    "prompt": "Write a function that joins.",
    "code": EVALPLUS["canonical_solution"],
    "source_file": "notebook",
    "test_imports": [],
    "test_list": ["assert joined((1,), (2,)) == (1, 2)"],
    "test": PREAMBLE + "inputs = [[(1,), (2,)], [(), ({1},)]]\nresults = [(1, 2), ({1},)]\n"
    "for i, (inp, exp) in enumerate(zip(inputs, results)):\n    assertion(joined(*inp), exp, 0)\n",
}


def test_the_reference_in_the_test_file_says_what_is_expected(tmp_path: Path) -> None:
    (problem,), dropped = read("evalplus", jsonl(tmp_path / "HumanEvalPlus.jsonl.gz", HUMANEVAL))
    assert (problem.name, problem.function) == ("humanevalplus_7", "average")
    assert (problem.docstring, problem.cases, dropped) == ("Mean, 0.0 of nothing.", (), [])
    assert kinds(problem) == ["PASS"] * 4  # of five inputs, two are the same
    near = "def average(n):\n    return sum(n) / len(n) + 1e-9 if n else 0\n"
    assert set(kinds(problem, near)) == {"PASS"}
    wrong = "def average(n):\n    return sum(n) / len(n) + 1e-3\n"
    assert kinds(problem, wrong) == ["FAIL", "FAIL", "FAIL", "ERROR"]
    assert set(kinds(problem, "def average(n):\n    import sys\n    return str(n)\n")) == {"FAIL"}


def test_inputs_of_mbpp_are_tuples_where_the_example_has_them(tmp_path: Path) -> None:
    (problem,), _ = read("evalplus", jsonl(tmp_path / "MbppPlus.jsonl", EVALPLUS))
    assert (problem.name, problem.function) == ("mbppplus_2", "joined")
    assert problem.docstring.startswith("Write a function that joins.\nassert joined")
    assert kinds(problem) == ["PASS"]
    assert kinds(problem, "def joined(a, b):\n    return list(a + b)\n") == ["FAIL"]


def test_the_hugging_face_form_brings_results(tmp_path: Path) -> None:
    (first,), _ = read("evalplus", jsonl(tmp_path / "a.jsonl", HF_HUMANEVAL))
    (second,), _ = read("evalplus", jsonl(tmp_path / "b.jsonl", HF_MBPP))
    assert (first.name, second.name) == ("humanevalplus_7", "mbppplus_2")
    assert (first.docstring, second.docstring) == ("Mean, 0.0 of nothing.", HF_MBPP["prompt"])
    assert kinds(first)[::2] == ["PASS", "PASS"]  # nan is equal to nothing
    assert kinds(first, "def average(n):\n    return 1.505 if n else 0.0\n")[0] == "PASS"
    assert passes([second]) == [True]


def test_a_test_of_that_form_may_have_a_reference_instead_of_results(tmp_path: Path) -> None:
    test = "def ref_func(a, b):\n    return a + b\n\ninputs = [[1, 2], [3, 4]]\n"
    test += "for i, inp in enumerate(inputs):\n    assertion(joined(*inp), ref_func(*inp), 0)\n"
    (problem,), _ = read("evalplus", jsonl(tmp_path / "a.jsonl", {**HF_MBPP, "test": test}))
    assert kinds(problem) == ["PASS", "PASS"]
    assert kinds(problem, "def joined(a, b):\n    return a * b\n") == ["FAIL", "FAIL"]


@pytest.mark.parametrize(
    ("rule", "arguments", "expected", "right", "wrong"),
    [
        ("equal", [2], {"a": [1.0]}, {"a": [1.0000001]}, {"a": (1.0,)}),
        ("equal", [2], (1, 2), (1, 2), [1, 2]),
        ("equal", [2], "1.0", "1.0", 1.0),
        ("equal", [2], math.inf, math.inf, 5.0),
        ("equal", [2], [-math.inf], [-math.inf], [math.inf]),
        ("set", [2], [1, 2], (2, 1, 1), [1]),
        ("presence", [2], True, "found", None),
        ("presence", [2], None, False, 0),
        ("root", [[-4, 0, 1]], 2.0, -2.0, 1.9),
    ],
)
def test_results_are_compared_by_the_rule_of_the_task(
    rule: Rule, arguments: list[Any], expected: Any, right: Any, wrong: Any
) -> None:
    tests = comparing("f", [arguments], [expected], 1e-6, rule)
    assert _passes(tests, right)
    assert not _passes(tests, wrong)


def test_an_integer_is_met_nearly_only_by_a_tolerance_of_the_file() -> None:
    for tolerance, near in ((0.0, False), (1e-4, True)):
        tests = comparing("f", [[1]], [55], tolerance)
        assert _passes(tests, 55.0)
        assert _passes(tests, 55.00001) == near


@pytest.mark.parametrize("name", ["near", "REFERENCE"])
def test_a_function_may_be_called_like_what_the_test_file_defines(
    tmp_path: Path, name: str
) -> None:
    code, prompt = f"def {name}(a, b): return a + b\n", f"Add.\nassert {name}(1, 2) == 3"
    row = {**EVALPLUS, "prompt": prompt, "entry_point": name, "canonical_solution": code}
    (problem,), _ = read("evalplus", jsonl(tmp_path / "a.jsonl", row))
    assert passes([problem]) == [True]


@given(
    expected=st.recursive(
        st.none() | st.floats(allow_nan=False) | st.integers() | st.text() | st.booleans(),
        lambda inner: (
            st.lists(inner)
            | st.lists(inner).map(tuple)
            | st.dictionaries(st.text(), inner)
            | st.sets(st.text() | st.integers())
            | st.frozensets(st.text())
        ),
    )
)
def test_a_result_agrees_with_itself(expected: Any) -> None:
    """So every value is written into the test file as it is."""
    assert _passes(comparing("f", [[]], [expected], 0.0), expected)


@given(expected=st.floats(-1e6, 1e6), error=st.floats(0, 1e3), tolerance=st.floats(0, 1e3))
def test_a_float_may_differ_by_the_tolerance(
    expected: float, error: float, tolerance: float
) -> None:
    tests = comparing("f", [[]], [expected], tolerance)
    if error <= 0.999 * tolerance:
        assert _passes(tests, expected + error)
    elif error > 2 * (tolerance + 1e-7 * abs(expected)) + 1e-6:
        assert not _passes(tests, expected + error)


def _passes(tests: str, found: Any) -> bool:
    """Run the one test of a file, on a function that returns `found`."""
    space: dict[str, Any] = {"tested": lambda *_: found}
    exec(tests.replace("from f import f as tested", ""), space)
    try:
        space["test_1"]()
    except AssertionError:
        return False
    return True


@given(inputs=st.lists(st.lists(st.integers(0, 200), max_size=2)))
def test_at_most_32_different_inputs_are_chosen_the_first_16_among_them(
    inputs: list[list[int]],
) -> None:
    numbers = chosen([*inputs, ["x" * LONGEST]])  # which is too long
    distinct = list(dict.fromkeys(map(repr, inputs)))
    shown = [repr(inputs[number]) for number in numbers]
    assert len(numbers) == min(MOST, len(distinct))
    assert numbers == sorted(numbers)
    assert shown[:16] == distinct[:16]
    assert len(set(shown)) == len(shown)


def test_sets_are_written_in_one_order() -> None:
    assert written([{"b", "a"}, frozenset("yx"), set()]) == (
        "[set(['a', 'b']), frozenset(['x', 'y']), set()]"
    )


@pytest.mark.parametrize(
    ("example", "given", "turned"),
    [
        ([[(1,)]], [[[1], [2]]], [[(1,), (2,)]]),
        ([[{1}, {}]], [[[1], [], {}]], [[{1}, set(), {}]]),
        ([{"a": (1,)}, 2], [{"b": [1]}, 2], [{"b": (1,)}, 2]),
        ([(1, (2, (3,)))], [[1, [2, [3]]]], [(1, (2, (3,)))]),
        ([()], [[[1]]], [([1],)]),
    ],
)
def test_json_becomes_the_tuples_and_sets_of_the_example(
    example: list[Any], given: list[Any], turned: list[Any]
) -> None:
    assert [like(value, [shown]) for value, shown in zip(given, example, strict=True)] == turned


def test_tasks_with_rules_of_their_own() -> None:
    assert rule_of("HumanEval/32", "find_zero") == "root"
    assert rule_of("Mbpp/2", "similar_elements") == "set"
    assert rule_of("HumanEval/2", "similar_elements") == "equal"
    assert rule_of("Mbpp/434", "text_match_three") == "presence"


def test_tasks_that_cannot_be_tested_are_dropped(tmp_path: Path) -> None:
    several = {"prompt": "Sum.\nassert sum_div(1, 2) == 1", "entry_point": "sum_div"}
    several["canonical_solution"] = "def sum_div(a, b): pass"
    table = [
        ({**EVALPLUS, "prompt": "A.\nassert joined(1j, (2,)) == 1"}, "untestable"),
        ({**EVALPLUS, "prompt": "A.\nassert other(1) == 1"}, "untestable"),
        ({**EVALPLUS, **several}, "undecided"),
        ({**EVALPLUS, "canonical_solution": "import numpy\ndef joined(a, b): return a"}, "imports"),
        ({**HF_MBPP, "test": "inputs = [[1]]\nresults = []\n"}, "untestable"),
        ({**HF_MBPP, "test": "inputs = make()\n"}, "untestable"),
        (
            {**EVALPLUS, "prompt": "A.\nassert joined({1}, 2)", "base_input": [[[[1]], 2]]},
            "untestable",
        ),
        ({**EVALPLUS, "base_input": []}, "untested"),
        ({**HF_MBPP, "code": ""}, "untested"),
        ({**HF_MBPP, "test": "inputs = (\n"}, "unparseable"),
    ]
    for row, reason in table:
        _, dropped = read("evalplus", jsonl(tmp_path / "a.jsonl", HUMANEVAL, row))
        assert [one.reason for one in dropped] == [reason], row
        # A memory address would make the table differ in every run.
        assert " at 0x" not in dropped[0].detail


def test_numbers_may_be_infinite_as_python_writes_them(tmp_path: Path) -> None:
    row = {**EVALPLUS, "task_id": "Mbpp/3", "base_input": [[math.inf, -math.inf], [math.inf, 1]]}
    code = "def joined(a, b):\n    return max(a, b)\n"
    (problem,), _ = read(
        "evalplus", jsonl(tmp_path / "a.jsonl", {**row, "canonical_solution": code})
    )
    assert kinds(problem) == ["PASS", "PASS"]
