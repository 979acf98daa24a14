"""Read HumanEval+ and MBPP+ of EvalPlus (Liu et al. 2023, arXiv:2305.01210).

Two forms, compressed or not. The release files, ``HumanEvalPlus.jsonl`` and ``MbppPlus.jsonl``,
hold inputs; what is expected is what the canonical solution returns, so that the test file holds
it. The inputs are JSON, which has neither tuples nor sets: the example call in the prompt of a task
of MBPP+ says where they stand. The Hugging Face form, converted to JSONL, has a ``test``; of that
the inputs, the results and the tolerance are read, and compared by the same rules: its own code
needs numpy. The programs have no bugs.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coral_batch.corpus.sources.problems import make_problem
from coral_batch.corpus.sources.programs import parse, parse_program
from coral_batch.corpus.sources.rows import Lost, Row, read_problems
from coral_batch.corpus.testcode.comparisons import Rule, comparing, written
from coral_batch.records.problem import DroppedProblem, Problem
from coral_batch.verdicts.functions import take_docstring

FLOATS = 1e-6
"""The tolerance where the file says 0."""

MOST = 32
"""Most inputs of a task that become tests; see `chosen`."""

LONGEST = 10_000
"""Most characters of the arguments of a call, as Python writes them; longer ones are left out."""

# How EvalPlus compares the results of some functions of MBPP+ (the repository evalplus/evalplus,
# versions 0.2 and 0.3), and those for which it accepts several.
_SETS = frozenset(
    (
        *("similar_elements", "find_char_long", "common_in_nested_lists", "extract_singly"),
        *("larg_nnum", "intersection_array", "find_dissimilar", "Diff"),
    )
)
_PRESENCE = frozenset(("check_str", "text_match_three", "text_starta_endb"))
_SEVERAL = frozenset(("are_equivalent", "sum_div", "surface_Area", "digit_distance_nums"))

Arguments = list[Any]


@dataclass(frozen=True)
class _Calls:
    """What is called and what is expected.

    Attributes:
        function: the function under test.
        inputs: the arguments of each call.
        results: what each is to return; None where the canonical solution says.
        tolerance: what a float may differ by.
    """

    function: str
    inputs: list[Arguments]
    results: Sequence[Any] | None
    tolerance: float


def read(path: Path, origin: str) -> tuple[list[Problem], list[DroppedProblem]]:
    """Read every task.

    ``humanevalplus_7`` is the problem of ``HumanEval/7``, ``mbppplus_2`` that of ``Mbpp/2``.

    Returns:
        The problems, and the tasks whose program or tests the jail cannot run.

    Raises:
        CoralError: see `read_problems`.
    """

    def make(name: str, row: Row) -> Problem:
        words, program = None, row["prompt"] + row.get("canonical_solution", "")
        if name.startswith("mbpp"):
            words, program = _words(row["prompt"]), row.get("code") or row["canonical_solution"]
        calls = _calls(row, words)
        function = calls.function
        parse_program(program, function)
        rule = rule_of(_id(row), function)
        numbers = chosen(calls.inputs)
        if not numbers:
            raise Lost("untested", "there are no inputs of a usable length")
        results = calls.results
        tests = comparing(
            function,
            [calls.inputs[number] for number in numbers],
            program if results is None else [results[number] for number in numbers],
            calls.tolerance or FLOATS,
            rule,
        )
        code, docstring = take_docstring(program, function)
        docstring = docstring if words is None else words
        return make_problem(name, function, code, origin, docstring=docstring, tests=tests)

    def name_of(row: Row) -> str:
        return _id(row).lower().replace("/", "plus_")

    return read_problems(path, _schema_of, name_of, make, infinite=True)


def _schema_of(row: Mapping[str, Any]) -> str:
    if "base_input" in row or "test" not in row:
        return "evalplus"
    return "evalplus_mbpp" if "code" in row else "humaneval"


def _id(row: Row) -> str:
    """Return ``HumanEval/7`` or ``Mbpp/2``, of which the Hugging Face form has the number alone."""
    task_id = row["task_id"]
    return task_id if isinstance(task_id, str) else f"Mbpp/{task_id}"


def _words(prompt: str) -> str:
    """Return the text of a prompt that may be written as a string of Python."""
    try:
        return str(ast.literal_eval(prompt.strip())).strip()
    except (SyntaxError, ValueError):
        return prompt.strip()


def _calls(row: Row, words: str | None) -> _Calls:
    if "test" in row:
        return _calls_of_test(row["test"], row.get("entry_point"))
    function, inputs = row["entry_point"], [*row["base_input"], *row["plus_input"]]
    if words is not None:
        example = example_call(words, function)
        inputs = [_arguments(given, example) for given in inputs]
    return _Calls(function, inputs, None, row["atol"])


def example_call(words: str, function: str) -> Arguments:
    """Return the arguments of the call of a function that the assert in a task's text shows.

    An argument that is no plain value is None.

    Raises:
        Lost: there is no such call, or the task is about complex numbers.
    """
    _, found, example = words.partition("\nassert ")
    if not found:
        raise Lost("untestable", "its prompt has no example, which would say what is a tuple")
    tree = parse(f"assert {example}", "the example in the prompt")
    _check_real(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == function:
            return [_plain_value(argument) for argument in node.args]
    raise Lost("untestable", "the example in its prompt does not call the function")


def _plain_value(argument: ast.expr) -> Any:
    try:
        return ast.literal_eval(argument)
    except (ValueError, TypeError):
        return None


def _arguments(given: Arguments, example: Arguments) -> Arguments:
    """Return the arguments of a call, each as the example has it at its place.

    Raises:
        Lost: one is a text where the example has a number, or its items can be in no set.
    """
    for value, shown in zip(given, example, strict=False):
        if isinstance(value, str) and isinstance(shown, int | float):
            raise Lost("untestable", "its values are complex numbers, which JSON holds as texts")
    return [like(value, example[place : place + 1]) for place, value in enumerate(given)]


def like(value: Any, examples: Sequence[Any]) -> Any:
    """Return a value of JSON with its lists made the tuples and sets that examples have there.

    All items of a list, and all values of a dict, are like any of an example's.

    Raises:
        Lost: its items can be in no set.
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
        Lost: EvalPlus accepts several results that its files do not hold.
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
    """Return the numbers of the inputs that become tests, in their order.

    Each once and none that is too long; the first 16, which begin with those of the original data
    set, and 16 that are evenly spread over the others.
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

    Its code is not used.

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
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError) as error:
        raise Lost("untestable", f"the test holds no plain values: {error}") from None
    inputs, results = values.get("inputs"), values.get("results")
    if not isinstance(inputs, list) or not all(isinstance(one, list | tuple) for one in inputs):
        raise Lost("untestable", "the test has no inputs, each a list of arguments")
    if not inputs or not isinstance(results, list | tuple | None):
        raise Lost("untestable", "the test has no inputs, or no list of results")
    if results is not None and len(results) != len(inputs):
        raise Lost("untestable", "the test has not as many results as inputs")
    _check_real(tree)
    for loop in ast.walk(tree):
        called = _called(loop) if isinstance(loop, ast.For) else []
        if called:
            numbers = [part.value for part in ast.walk(loop) if isinstance(part, ast.Constant)]
            tolerance = max([0, *(one for one in numbers if isinstance(one, int | float))])
            given = [list(arguments) for arguments in inputs]
            return _Calls(function or called[0], given, results, tolerance)
    raise Lost("untestable", "the test does not call the function with its inputs")


def _check_real(tree: ast.AST) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, complex):
            raise Lost("untestable", "its values are complex numbers")


class _Infinite(ast.NodeTransformer):
    """Puts the numbers in the place of the names ``inf`` and ``nan``."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(float(node.id)) if node.id in ("inf", "nan") else node


def _called(loop: ast.For) -> list[str]:
    """Return the names that a loop calls with arguments spread: ``f(*inp)``."""
    return [
        node.func.id
        for node in ast.walk(loop)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and len(node.args) == 1
        and isinstance(node.args[0], ast.Starred)
    ]
