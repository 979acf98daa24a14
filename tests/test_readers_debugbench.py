"""DebugBench's Python rows become problems whose cases are the examples of the task's text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coral_batch.corpus.sources.leetcode import parse_examples
from coral_batch.errors import CoralError
from coral_batch.records.problem import Case
from tests.readers import jsonl, kinds, passes, read, reasons

SOLUTION = """class Solution:
    def sumPair(self, nums: List[int], start: int) -> List[int]:
        return [sum(nums) + start, Counter(nums)[1], gcd(4, heapq.nlargest(1, nums)[0])]
"""
ROW = {
    "slug": "sum-pair",
    "category": "logic error",
    "subtype": "operation error",
    "level": "easy",
    "release_time": 1691549090,
    "language": "python3",
    "question": "Given nums and start, return the sums.",
    "examples": [
        "Input: nums = [1,2], start = 0\nOutput: [3,1,2]\nExplanation: 1 + 2 = 3.",
        "Input: nums = [8], start = -1\nOutput: [7,0,4]",
    ],
    "constraints": "1 <= nums.length",
    "solution": SOLUTION,
    "solution_explanation": "",
    "bug_explanation": "start is subtracted",
    "buggy_code": SOLUTION.replace("+ start", "- start"),
}
SHARD = {
    "slug": "sum-pair",
    "description": ROW["question"],
    "examples": ROW["examples"],
    "constraints": "",
    "oracle_code": SOLUTION,
    "content": "",
    "level": "easy",
    "type": ["operation error"],
    "buggy_code": ROW["buggy_code"],
}


def changed(code: str, examples: list[str], **more: Any) -> dict[str, Any]:
    """Return a row with another program, whose bug is a comment's worth of code."""
    return {
        **ROW,
        "solution": code,
        "buggy_code": code + "\nbug = 1\n",
        "examples": examples,
        **more,
    }


def test_a_method_becomes_a_function_and_examples_become_cases(tmp_path: Path) -> None:
    (problem,), dropped = read("debugbench", jsonl(tmp_path / "debugbench.json", ROW))
    assert (problem.name, problem.function) == ("debugbench_sum_pair_1", "sumPair")
    assert (problem.docstring, dropped) == (ROW["question"], [])
    assert problem.cases == (Case(([1, 2], 0), [3, 1, 2]), Case(([8], -1), [7, 0, 4]))
    assert problem.reference == (
        "import heapq\nfrom collections import Counter\nfrom math import gcd\n"
        f"from typing import List\n\n\n{SOLUTION}\n\n"
        "def sumPair(nums, start):\n    return Solution().sumPair(nums, start)\n"
    )
    assert kinds(problem) == ["PASS", "PASS"]
    assert problem.buggy is not None
    assert kinds(problem, problem.buggy) == ["PASS", "FAIL"]


def test_shards_are_read_together_and_their_names_tell_the_language(tmp_path: Path) -> None:
    for name in ("cpp_double", "python3_double", "python3_triple"):
        (tmp_path / f"{name}.json").write_text(json.dumps([SHARD]))
    problems, dropped = read("debugbench", tmp_path)
    assert [one.name for one in problems] == ["debugbench_sum_pair_2", "debugbench_sum_pair_3"]
    assert reasons(dropped) == [("debugbench_sum_pair_1", "language")]
    assert "cpp" in dropped[0].detail


def test_floats_are_compared_with_the_tolerance_of_leetcode(tmp_path: Path) -> None:
    code = "class Solution:\n    def third(self, n):\n        return n / 3\n"
    row = changed(code, ["Input: n = 1\nOutput: 0.33333", "Input: n = 3\nOutput: 1.00000"])
    (problem,), _ = read("debugbench", jsonl(tmp_path / "a.jsonl", row))
    assert problem.cases == ()
    assert passes([problem]) == [True]
    assert kinds(problem, problem.reference.replace("/ 3", "/ 3.001")) == ["FAIL", "FAIL"]


CALL = "Input: n = 1\nOutput: 1"
BODY = "class Solution:\n    def f(self, n{}){}:\n        return n\n"


@pytest.mark.parametrize(
    ("row", "reason", "word"),
    [
        ({**ROW, "language": "java"}, "language", "java"),
        ({**ROW, "buggy_code": SOLUTION}, "unchanged", "correct"),
        ({**ROW, "buggy_code": "class Solution(:"}, "unparseable", "buggy"),
        ({**ROW, "solution": "print 'x'"}, "unparseable", "solution"),
        ({**ROW, "examples": []}, "untested", "no examples"),
        ({**ROW, "question": "Return them in any order."}, "undecided", "any order"),
        (changed(BODY.format(": Optional[TreeNode]", ""), [CALL]), "untestable", "TreeNode"),
        (changed(BODY.format(": 'Node'", ""), [CALL]), "untestable", "Node"),
        (changed(BODY.format("", " -> None"), [CALL]), "untestable", "returns nothing"),
        (changed(BODY.format(", m", ""), [CALL]), "untestable", "0 methods"),
        (changed("class LRUCache:\n    pass\n", [CALL]), "untestable", "0 methods"),
        (changed(BODY.format("", ""), ["n = 1"]), "untestable", "example 1"),
        (
            changed(BODY.format("", ""), [CALL, "Input: n = x\nOutput: 1"]),
            "untestable",
            "example 2",
        ),
        (changed(BODY.format("", ""), ["Input: n = 1, 2\nOutput: 1"]), "untestable", "example 1"),
        (changed(BODY.format("", ""), ["Input: n = 1 2\nOutput: 1"]), "untestable", "example 1"),
        (changed(BODY.format("", ""), ["Input: n = NaN\nOutput: 1"]), "untestable", "NaN"),
        (changed(BODY.format("", ""), ["Input: n = 1\nOutput: 2, [_]"]), "untestable", "value"),
        (changed(BODY.format("", ""), [CALL, CALL.replace("n", "m", 3)]), "untestable", "example"),
        (changed("import numpy\n" + BODY.format("", ""), [CALL]), "imports", "numpy"),
    ],
)
def test_a_row_that_cannot_be_tested_is_dropped(
    tmp_path: Path, row: dict[str, Any], reason: str, word: str
) -> None:
    problems, (dropped,) = read("debugbench", jsonl(tmp_path / "a.jsonl", ROW, row))
    assert len(problems) == 1
    assert dropped.reason == reason
    assert word in dropped.detail


def test_arguments_tell_which_of_several_methods_is_meant(tmp_path: Path) -> None:
    code = "class Solution:\n    def helper(self, k):\n        return k\n\n"
    code += "    def f(self, n):\n        return self.helper(n)\n"
    (problem,), _ = read("debugbench", jsonl(tmp_path / "a.jsonl", changed(code, [CALL])))
    assert problem.function == "f"
    assert passes([problem]) == [True]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3),
)
NAMES = st.from_regex(r"[a-z]\w{0,5}", fullmatch=True).filter(str.isascii)


@given(arguments=st.dictionaries(NAMES, VALUES, max_size=3), result=VALUES)
def test_an_example_is_read_as_it_was_written(arguments: dict[str, Any], result: Any) -> None:
    inputs = ", ".join(f"{name} = {json.dumps(value)}" for name, value in arguments.items())
    text = f"Input: {inputs}\nOutput: {json.dumps(result)}\nExplanation: so."
    (example,) = parse_examples([text])
    assert (example.arguments, example.result) == (arguments, result)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({**ROW, "slug": "Sum Pair"}, ["DebugBench", "line 2, slug"]),
        ({**ROW, "examples": "Input"}, ["line 2, examples", "array"]),
        ({**ROW, "solution": ""}, ["line 2, solution"]),
        ({**SHARD, "description": 1}, ["shards", "line 2, description"]),
        ({"slug": "a"}, ["line 2", "the missing"]),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, row: dict[str, Any], words: list[str]) -> None:
    file = jsonl(tmp_path / "a.jsonl", ROW, row)
    with pytest.raises(CoralError) as caught:
        read("debugbench", file)
    for word in [str(file), *words]:
        assert word in str(caught.value)
