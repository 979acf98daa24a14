"""HumanEval and HumanEvalPack become problems whose tests are what `check` asserts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from coral_batch.records.problem import Case
from tests.readers import HUMANEVAL, HUMANEVALPACK, jsonl, kinds, passes, read, reasons


def test_a_task_is_prompt_and_solution_with_its_docstring_apart(tmp_path: Path) -> None:
    (problem,), dropped = read("humaneval", jsonl(tmp_path / "HumanEval.jsonl.gz", HUMANEVAL))
    assert (problem.name, problem.function, problem.buggy) == ("humaneval_7", "tallest", None)
    assert problem.docstring.startswith("Return the largest height")
    assert "largest" not in problem.reference and "Adds one" in problem.reference
    assert problem.reference.endswith("-> int:\n    return max([floor, *heights])\n")
    assert problem.cases == (Case(([1, 3],), 3), Case(([], 4), 4))
    assert dropped == []
    assert kinds(problem) == ["PASS", "PASS"]


def test_line_ends_of_windows_are_read_as_others(tmp_path: Path) -> None:
    windows = {name: value.replace("\n", "\r\n") for name, value in HUMANEVAL.items()}
    (one,), _ = read("humaneval", jsonl(tmp_path / "a.jsonl", HUMANEVAL))
    (other,), _ = read("humaneval", jsonl(tmp_path / "b.jsonl", windows))
    assert one == other


@pytest.mark.parametrize(
    ("body", "tests"),
    [
        ("    assert abs(candidate([2.5]) - 2.5) < 1e-6\n    assert candidate([1]) == 1\n", 2),
        ("    for n in range(3):\n        assert candidate([n]) == n\n    assert n == 2\n", 1),
        ("    assert candidate([helper(1)]) == 2\n    assert candidate([ONE]) == one()\n", 2),
    ],
)
def test_asserts_at_the_top_are_tests_of_their_own(tmp_path: Path, body: str, tests: int) -> None:
    source = f"ONE = 1\n\n\ndef one():\n    return ONE\n\n\ndef check(candidate):\n{body}"
    (problem,), _ = read("humaneval", jsonl(tmp_path / "a.jsonl", {**HUMANEVAL, "test": source}))
    assert problem.cases == () and problem.tests is not None
    assert problem.tests.count("def test_") == tests
    assert kinds(problem) == ["PASS"] * tests
    wrong = problem.reference.replace("max(", "min(").replace("floor, ", "-1, ")
    assert "FAIL" in kinds(problem, wrong)


def test_a_test_may_expect_an_exception(tmp_path: Path) -> None:
    source = (
        "import pytest\n\n\ndef check(candidate):\n    assert candidate([1, 3]) == 3\n"
        "    with pytest.raises(TypeError):\n        candidate(None)\n"
    )
    (problem,), _ = read("humaneval", jsonl(tmp_path / "a.jsonl", {**HUMANEVAL, "test": source}))
    assert set(kinds(problem)) == {"PASS"}
    assert "FAIL" in kinds(problem, problem.reference.replace("*heights", "*(heights or [])"))


@pytest.mark.parametrize(
    "tests",
    [
        "import pytest\n\n\ndef check(candidate):\n"
        "    with pytest.raises(TypeError):\n        candidate(None)\n",
        "def same(input, output):\n    assert input == output\n\n\n"
        "def check(candidate):\n    same(candidate([1, 3]), 3)\n",
        "def check(candidate):\n    def expect(input, output):\n"
        "        assert candidate(input) == output\n\n    expect([1, 3], 3)\n",
    ],
    ids=["an exception", "a helper", "parameters named like built-in functions"],
)
def test_a_check_may_test_in_other_ways_than_by_asserts_of_its_own(
    tmp_path: Path, tests: str
) -> None:
    (problem,), _ = read("humaneval", jsonl(tmp_path / "a.jsonl", {**HUMANEVAL, "test": tests}))
    assert set(kinds(problem)) == {"PASS"}
    wrong = problem.reference.replace("max(", "str(").replace("*heights", "*(heights or [])")
    assert "PASS" not in kinds(problem, wrong)


def test_helpers_of_the_prompt_that_a_test_uses_are_the_correct_ones(tmp_path: Path) -> None:
    source = "def check(candidate):\n    assert candidate([helper(1)]) == 2\n"
    (problem,), _ = read("humaneval", jsonl(tmp_path / "a.jsonl", {**HUMANEVAL, "test": source}))
    broken = problem.reference.replace("return n + 1", "return n")
    assert kinds(problem, broken) == ["PASS"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"canonical_solution": "    return (\n"}, "unparseable"),
        ({"prompt": "import numpy\n" + HUMANEVAL["prompt"]}, "imports"),
        ({"entry_point": "other"}, "untestable"),
        ({"test": "def check(candidate):\n    pass\n"}, "untestable"),
        (
            {
                "test": "def check(candidate):\n    assert candidate([1]) == 1\n    try:\n"
                "        candidate(None)\n    except TypeError:\n        pass\n"
                "    else:\n        assert False\n"
            },
            "untestable",
        ),
        ({"test": "from pytest import skip\n" + HUMANEVAL["test"] + "    skip()\n"}, "untestable"),
        ({"test": HUMANEVAL["test"] + "    pytest.skip()\n"}, "untestable"),
        (
            {"test": HUMANEVAL["test"] + "    assert candidate(datetime.date(1, 1, 1))\n"},
            "untestable",
        ),
        (
            {
                "test": HUMANEVAL["test"] + "    with pytest.raises(TypeError) as info:\n"
                "        candidate(None)\n    assert info.value\n"
            },
            "untestable",
        ),
        (
            {"test": HUMANEVAL["test"] + "    pytest.raises(TypeError, candidate, b'a')\n"},
            "untestable",
        ),
        ({"canonical_solution": HUMANEVAL["canonical_solution"] + "    '```'\n"}, "untestable"),
        ({"test": "def check(candidate:\n"}, "unparseable"),
        ({"test": ""}, "untested"),
    ],
)
def test_a_task_that_cannot_be_tested_is_dropped(
    tmp_path: Path, change: dict[str, Any], reason: str
) -> None:
    file = jsonl(tmp_path / "a.jsonl", {**HUMANEVAL, "task_id": "HumanEval/8", **change}, HUMANEVAL)
    problems, dropped = read("humaneval", file)
    assert [problem.name for problem in problems] == ["humaneval_7"]
    assert reasons(dropped) == [("humaneval_8", reason)]


def test_a_repair_task_has_both_programs(tmp_path: Path) -> None:
    rows = (
        HUMANEVALPACK,
        {**HUMANEVALPACK, "task_id": "Python/4", "import": "import math", "test_setup": "#"},
    )
    problems, dropped = read("humanevalpack", jsonl(tmp_path / "pack.jsonl", *rows))
    assert [problem.name for problem in problems] == ["humanevalpack_3", "humanevalpack_4"]
    problem = problems[0]
    assert problem.reference == "def total(numbers):\n    return sum(numbers)\n"
    assert problem.buggy == "def total(numbers):\n    return sum(numbers[1:])\n"
    assert problem.docstring == "Sum of the numbers."
    assert problem.cases == (Case(([1, 2],), 3), Case(([0],), 0))
    assert problems[1].reference.startswith("import math\n\n\ndef total")
    assert dropped == []
    assert passes(problems) == [True, True]
    assert kinds(problem, problem.buggy) == ["FAIL", "PASS"]


def test_a_bug_that_is_none_or_does_not_parse_is_dropped(tmp_path: Path) -> None:
    rows = [
        HUMANEVALPACK,
        {**HUMANEVALPACK, "task_id": "Python/4", "buggy_solution": "    return sum( numbers )\n"},
        {**HUMANEVALPACK, "task_id": "Python/5", "buggy_solution": "    return sum(\n"},
    ]
    _, dropped = read("humanevalpack", jsonl(tmp_path / "pack.jsonl", *rows))
    assert reasons(dropped) == [
        ("humanevalpack_4", "unchanged"),
        ("humanevalpack_5", "unparseable"),
    ]
