"""What EvalPlus' files leave to its program: which inputs are tuples, and how results are compared.

Its release files hold inputs as JSON, which has neither tuples nor sets, so that the program turns
lists back into them by the number of the task; and for some tasks of MBPP+ it compares otherwise
than by equality, by the name of the function (Liu et al. 2023, arXiv:2305.01210; the repository
evalplus/evalplus, versions 0.2 and 0.3, MBPP+ v0.2.0).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from coral_batch.corpus.sources.comparisons import Rule, written
from coral_batch.corpus.sources.programs import parse
from coral_batch.corpus.sources.rows import Lost

MOST = 32
"""Most inputs of a task that become tests; see `chosen`."""

LONGEST = 10_000
"""Most characters of the arguments of a call, as Python writes them; longer ones are left out."""

Arguments = list[Any]


def chosen(numbered: list[Arguments]) -> list[int]:
    """Return the numbers of the inputs that become tests, in their order.

    Each once and none that is too long; the first 16, which begin with those of the original data
    set, and 16 that are evenly spread over the others.
    """
    seen: set[str] = set()
    kept = []
    for number, arguments in enumerate(numbered):
        shown = written(arguments)
        if shown not in seen and len(shown) <= LONGEST:
            kept.append(number)
        seen.add(shown)
    half = MOST // 2
    first, rest = kept[:half], kept[half:]
    if len(rest) <= half:
        return kept
    return first + [rest[place * len(rest) // half] for place in range(half)]


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


_SETS = frozenset(
    (
        *("similar_elements", "find_char_long", "common_in_nested_lists", "extract_singly"),
        *("larg_nnum", "intersection_array", "find_dissimilar", "Diff"),
    )
)
_PRESENCE = frozenset(("check_str", "text_match_three", "text_starta_endb"))
_SEVERAL = frozenset(("are_equivalent", "sum_div", "surface_Area", "digit_distance_nums"))


def arguments_of(task_id: str, arguments: Arguments) -> Arguments:
    """Return the arguments of a call whose JSON form a release file holds.

    Raises:
        Lost: the task is about complex numbers, which do not cross the jail's border, or its inputs
            are not what EvalPlus turns.
    """
    name, number = task_id.split("/")
    if name != "Mbpp":
        return arguments
    if int(number) in _COMPLEX:
        raise Lost("untestable", "its values are complex numbers")
    turn = _TURNS.get(int(number))
    try:
        return arguments if turn is None else turn(arguments)
    except (TypeError, AttributeError, IndexError):
        raise Lost("untestable", "its inputs have another form than those of EvalPlus") from None


def _tuples(value: list[Any]) -> list[Any]:
    return [tuple(item) for item in value]


def _all_tuples(value: Any) -> Any:
    return tuple(map(_all_tuples, value)) if isinstance(value, list) else value


def _sets(value: list[Any]) -> list[Any]:
    return [set(item) if isinstance(item, list) and item else {} for item in value]


_COMPLEX = frozenset((124, 252, 590))
_TURNS: Mapping[int, Callable[[Arguments], Arguments]] = {
    number: turn
    for numbers, turn in (
        # Every argument is a tuple,
        (
            (
                *(2, 116, 132, 143, 222, 261, 273, 394, 399, 421, 424),
                *(429, 470, 560, 579, 596, 616, 630, 726, 740, 744, 809),
            ),
            _tuples,
        ),
        # or a list of tuples,
        (
            (63, 64, 70, 94, 120, 237, 272, 299, 400, 409, 417, 438, 473, 614, 780),
            lambda given: [_tuples(value) for value in given],
        ),
        # or a tuple of tuples;
        ((259, 401, 445), lambda given: [tuple(_tuples(value)) for value in given]),
        # the first is a tuple,
        (
            (250, 307, 405, 446, 617, 720, 763, 808),
            lambda given: [tuple(given[0]), *given[1:]],
        ),
        # or a list of tuples,
        ((75, 413, 444, 753), lambda given: [_tuples(given[0]), *given[1:]]),
        # or the second a tuple;
        ((106, 750), lambda given: [given[0], tuple(given[1]), *given[2:]]),
        # sets in a list; a tuple with tuples among its items; tuples in a dict; tuples throughout.
        ((115,), lambda given: [_sets(given[0])]),
        (
            (278,),
            lambda given: [
                tuple(tuple(item) if isinstance(item, list) else item for item in given[0])
            ],
        ),
        (
            (722,),
            lambda given: [{key: tuple(value) for key, value in given[0].items()}, *given[1:]],
        ),
        ((580, 615, 791), lambda given: list(map(_all_tuples, given))),
    )
    for number in numbers
}


@dataclass(frozen=True)
class Written:
    """What a test of the Hugging Face form holds.

    Attributes:
        function: the name that it calls the function under test by.
        inputs: the arguments of each call.
        results: what each is to return; None where a reference program in the test says.
        tolerance: what a float may differ by.
    """

    function: str
    inputs: list[Arguments]
    results: list[Any] | None
    tolerance: float


def parse_test(source: str) -> Written:
    """Read the data of a test: its ``inputs`` and ``results``, and a loop that calls and compares.

    Its code is not used.

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
    if not inputs or (results is not None and not _as_many(results, inputs)):
        raise Lost("untestable", "the test has no inputs, or not as many results")
    if _has_complex([inputs, results]):
        raise Lost("untestable", "its values are complex numbers")
    for loop in ast.walk(tree):
        called = _called(loop) if isinstance(loop, ast.For) else []
        if called:
            tolerance = max(
                node.value
                for node in [*ast.walk(loop), ast.Constant(0)]
                if isinstance(node, ast.Constant) and isinstance(node.value, int | float)
            )
            return Written(called[0], [list(one) for one in inputs], results, tolerance)
    raise Lost("untestable", "the test does not call the function with its inputs")


def _as_many(results: object, inputs: list[Arguments]) -> bool:
    return isinstance(results, list | tuple) and len(results) == len(inputs)


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


def _has_complex(value: Any) -> bool:
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return any(map(_has_complex, value))
    return isinstance(value, complex)
