"""Read HumanEval+ and MBPP+ of EvalPlus (Liu et al. 2023, arXiv:2305.01210).

There are two forms; both may be compressed. The release files, ``HumanEvalPlus.jsonl`` and
``MbppPlus.jsonl``, have only inputs. The canonical solution returns the expected results, so the
test file contains it. The inputs are JSON, which has neither tuples nor sets. In MBPP+ the example
call in a task's prompt shows where they belong. The Hugging Face form, converted to JSONL, has a
``test``. Only its inputs, results and tolerance are read, and compared by the same rules, since its
code needs numpy. The programs have no bugs.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from coral_batch.corpus.sources.programs import parse, parse_program
from coral_batch.corpus.sources.rows import Lost, Row, make_problem, read_problems
from coral_batch.corpus.testcode.comparisons import Rule, comparing, written
from coral_batch.records.problem import DroppedProblem, Problem
from coral_batch.verdicts.functions import take_docstring

MOST = 32
"""Maximum number of a task's inputs that become tests; see `chosen`."""

LONGEST = 10_000
"""Maximum characters of a call's arguments, as Python prints them; longer calls are dropped."""

# How EvalPlus compares the results of some functions of MBPP+ (the repository evalplus/evalplus,
# versions 0.2 and 0.3), and the functions for which it accepts several results.
_SETS = (
    *("similar_elements", "find_char_long", "common_in_nested_lists", "extract_singly"),
    *("larg_nnum", "intersection_array", "find_dissimilar", "Diff"),
)
_PRESENCE = ("check_str", "text_match_three", "text_starta_endb")
_SEVERAL = ("are_equivalent", "sum_div", "surface_Area", "digit_distance_nums")

Arguments = list[Any]


_Calls = tuple[str, list[Arguments], Sequence[Any] | None, float]
"""The function under test, the arguments of each call, the expected results (None if the canonical
solution computes them), and the allowed difference of a float."""


def read(path: Path) -> tuple[list[Problem], list[DroppedProblem]]:
    """Read every task.

    ``humanevalplus_7`` is the problem of ``HumanEval/7``, ``mbppplus_2`` that of ``Mbpp/2``.
    """

    def make(name: str, row: Row) -> Problem:
        words, program = None, row["prompt"] + row.get("canonical_solution", "")
        if name.startswith("mbpp"):
            # The prompt may be a Python string literal.
            words = str(_literal(row["prompt"].strip(), row["prompt"])).strip()
            program = row["code"] if "code" in row else row["canonical_solution"]
        function, inputs, results, tolerance = _calls(row, words)
        parse_program(program, function)
        rule = rule_of(_id(row), function)
        numbers = chosen(inputs)
        if not numbers:
            raise Lost("untested", "it has no input that is short enough")
        tests = comparing(
            function,
            [inputs[number] for number in numbers],
            program if results is None else [results[number] for number in numbers],
            tolerance,
            rule,
        )
        code, docstring = take_docstring(program, function)
        docstring = docstring if words is None else words
        return make_problem(name, function, code, docstring=docstring, tests=tests)

    return read_problems(
        path, _schema_of, lambda row: _id(row).lower().replace("/", "plus_"), make, infinite=True
    )


def _schema_of(row: Mapping[str, Any]) -> str:
    if "base_input" in row or "test" not in row:
        return "evalplus"
    return "evalplus_mbpp" if "code" in row else "humaneval"


def _id(row: Row) -> str:
    """Return ``HumanEval/7`` or ``Mbpp/2``; the Hugging Face form of MBPP+ has only the number."""
    task_id = row["task_id"]
    return task_id if isinstance(task_id, str) else f"Mbpp/{task_id}"


def _literal(code: str | ast.expr, otherwise: str | None) -> Any:
    """Return the value of a literal; of other code, `otherwise`."""
    try:
        return ast.literal_eval(code)
    except (ValueError, TypeError, SyntaxError):
        return otherwise


def _calls(row: Row, words: str | None) -> _Calls:
    if "test" in row:
        return _calls_of_test(row["test"], row.get("entry_point"))
    function, inputs = row["entry_point"], [*row["base_input"], *row["plus_input"]]
    if words is not None:
        example = example_call(words, function)
        inputs = [_arguments(given, example) for given in inputs]
    return function, inputs, None, row["atol"]


def example_call(words: str, function: str) -> Arguments:
    """Return the arguments of the call in the example, an assert, of a task's text.

    An argument that is not a literal is None.

    Raises:
        Lost: there is no such call, or it has complex numbers.
    """
    _, found, example = words.partition("\nassert ")
    if not found:
        raise Lost("untestable", "its prompt has no example, which would show where tuples are")
    tree = parse(f"assert {example}", "the example in the prompt")
    _check_real(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == function:
            return [_literal(argument, None) for argument in node.args]
    raise Lost("untestable", "the example in its prompt does not call the function")


def _arguments(given: Arguments, example: Arguments) -> Arguments:
    """Return the arguments of a call, each in the form of the example's argument.

    Raises:
        Lost: one is a string where the example has a number, or its items cannot be in a set.
    """
    for value, shown in zip(given, example, strict=False):
        if isinstance(value, str) and isinstance(shown, int | float):
            raise Lost("untestable", "its values are complex numbers, which JSON holds as strings")
    return [like(value, example[place : place + 1]) for place, value in enumerate(given)]


def like(value: Any, examples: Sequence[Any]) -> Any:
    """Return a JSON value with lists converted to tuples and sets where the examples have them.

    The items of a list, and the values of a dict, are converted like any item of the examples.

    Raises:
        Lost: its items cannot be in a set.
    """
    if isinstance(value, dict):
        inner = [item for one in examples if isinstance(one, dict) for item in one.values()]
        return {key: like(item, inner) for key, item in value.items()}
    if isinstance(value, list):
        alike = [one for one in examples if isinstance(one, list | tuple | set)]
        inner = [item for one in alike for item in one]
        items = [like(item, inner) for item in value]
        try:
            return type(alike[0])(items) if alike else items
        except TypeError:
            raise Lost("untestable", "its inputs have another form than its example") from None
    return value


def rule_of(task_id: str, function: str) -> Rule:
    """Return how the results of a task are compared.

    Raises:
        Lost: EvalPlus accepts several results that its files do not list.
    """
    if task_id == "HumanEval/32":
        return "root"
    if not task_id.startswith("Mbpp/"):
        return "equal"
    if function in _SEVERAL:
        raise Lost("undecided", "EvalPlus accepts several results of this task")
    if function in _PRESENCE:
        return "presence"
    return "set" if function in _SETS else "equal"


def chosen(inputs: Sequence[Arguments]) -> list[int]:
    """Return the indices of the inputs that become tests, in order.

    Duplicates and long inputs are dropped. Of the others, the first 16 are taken, which begin with
    those of the original data set, and 16 spread evenly over the rest.
    """
    first_of: dict[str, int] = {}
    for number, arguments in enumerate(inputs):
        first_of.setdefault(written(arguments), number)
    kept = [number for shown, number in first_of.items() if len(shown) <= LONGEST]
    half = MOST // 2
    first, rest = kept[:half], kept[half:]
    if len(rest) <= half:
        return kept
    return first + [rest[place * len(rest) // half] for place in range(half)]


def _calls_of_test(source: str, function: str | None) -> _Calls:
    """Read the data of a test: its ``inputs`` and ``results``, and a loop that calls and compares.

    Its code is not run.

    Args:
        source: the test.
        function: the function under test; None for the one that the loop calls.

    Raises:
        Lost: the test has another form, or its values are complex numbers.
    """
    tree = _Infinite().visit(parse(source, "the test"))
    try:
        values = {
            target.id: ast.literal_eval(node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name) and target.id in ("inputs", "results")
        }
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        # The error's text has an object's address, which differs in every run.
        raise Lost("untestable", "the test's inputs or results are not literals") from None
    inputs, results = values.get("inputs"), values.get("results")
    if not isinstance(inputs, list) or not all(isinstance(one, list | tuple) for one in inputs):
        raise Lost("untestable", "the test's inputs are not lists of arguments")
    if not inputs or not isinstance(results, list | tuple | None):
        raise Lost("untestable", "the test has no inputs, or no list of results")
    if results is not None and len(results) != len(inputs):
        raise Lost("untestable", "the test has more or fewer results than inputs")
    _check_real(tree)
    for loop in ast.walk(tree):
        parts = list(ast.walk(loop)) if isinstance(loop, ast.For) else []
        for part in parts:
            match part:
                case ast.Call(func=ast.Name(id=called), args=[ast.Starred()]):
                    numbers = [one.value for one in parts if isinstance(one, ast.Constant)]
                    tolerance = max([0, *(one for one in numbers if isinstance(one, int | float))])
                    given = [list(arguments) for arguments in inputs]
                    return function or called, given, results, tolerance
    raise Lost("untestable", "the test does not call the function with its inputs")


def _check_real(tree: ast.AST) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, complex):
            raise Lost("untestable", "its values are complex numbers")


class _Infinite(ast.NodeTransformer):
    """Replaces the names ``inf`` and ``nan`` by numbers."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(float(node.id)) if node.id in ("inf", "nan") else node
