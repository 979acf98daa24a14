"""The objectives' formulas, exactly those of CORAL-X ('Objective Calculation Details').

Every function expects code that parses; `coral_batch.objectives.score` gives other code 0 in all
objectives. The formulas keep CORAL-X's quirks: a program that passes one of nine cases has a lower
bugfix score (0.111) than one that passes none (0.2), and no style, runtime or syntax score reaches
1.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Sequence

SYNTAX = 0.9
"""The score of code that parses."""

RUN_ONCE = 1e-3
"""Seconds; shorter times count as this if a case ran once: the first-time work of a process takes
as long as most cases."""

REPEATED = 1e-6
"""Likewise if a case was repeated until it could be timed: a function call takes as long."""


def bugfix(passed: int, total: int) -> float:
    """Return the share of the cases, at least one, that passed; or 0.2 when none did."""
    return passed / total if passed else 0.2


def security(high: int, medium: int) -> float:
    """Return 1.0 minus 0.3 per finding of high and 0.1 per finding of medium severity.

    In [0, 1]: CORAL-X's formula is below 0 from the fourth high finding on and is clipped here.
    Findings of low severity cost nothing.
    """
    return max(0.0, 1.0 - high * 0.3 - medium * 0.1)


def style(violations: int) -> float:
    """Return 0.97 for clean code, else 0.8 minus 0.05 per flake8 violation, at least 0."""
    return 0.97 if violations == 0 else max(0.0, 0.8 - violations * 0.05)


def runtime_heuristic(code: str, loops: int) -> float:
    """Return 0.7, plus 0.1 for ``[::-1]`` in the text, minus 0.1 for more than two nested loops.

    CORAL-X clips it to [0, 0.9]; its two patterns only reach 0.6 to 0.8.

    Args:
        code: the program.
        loops: how deep its loops are nested; see `nested_loops`.
    """
    return 0.7 + 0.1 * ("[::-1]" in code) - 0.1 * (loops > 2)


def runtime_measured(times: Sequence[tuple[float, float]], resolution: float = RUN_ONCE) -> float:
    """Return 0.9 * min(1, CPU time of the reference / CPU time of the program).

    In [0, 0.9] like the heuristic, so that the two can be exchanged: 0.9 for a program no slower
    than the reference, half of it for one that takes twice as long, 0 if it passed no case.
    The times are summed over the cases, each raised to `resolution`.

    Args:
        times: CPU seconds of the program and of the reference, for each case that both passed.
        resolution: seconds, above 0; `RUN_ONCE` or `REPEATED`.
    """
    if not times:
        return 0.0
    slow = math.fsum(max(program, resolution) for program, _ in times)
    fast = math.fsum(max(reference, resolution) for _, reference in times)
    return 0.9 * min(1.0, fast / slow)


def nested_loops(tree: ast.Module) -> int:
    """Return the deepest nesting of loops in `tree`, 0 without a loop.

    A loop is a ``for`` or ``while`` statement or a ``for`` clause of a comprehension or generator
    expression (each clause runs inside the clause before it). The iterable of a ``for`` and the
    ``else`` branch run once and are not inside the loop. A function defined inside a loop starts
    again from 0: defining it does not run it.
    """
    deepest = 0
    stack: list[tuple[ast.AST, int]] = [(tree, 0)]
    while stack:
        node, depth = stack.pop()
        deepest = max(deepest, depth)
        stack.extend(_children(node, depth))
    return deepest


def _children(node: ast.AST, depth: int) -> Iterator[tuple[ast.AST, int]]:
    """Yield the children of `node`, which is inside `depth` loops, each with its own depth."""
    match node:
        case ast.For(iter=once, target=target) | ast.AsyncFor(iter=once, target=target):
            yield once, depth
            yield target, depth + 1
            yield from ((child, depth + 1) for child in node.body)
            yield from ((child, depth) for child in node.orelse)
        case ast.While(test=test, body=body, orelse=orelse):
            yield test, depth + 1
            yield from ((child, depth + 1) for child in body)
            yield from ((child, depth) for child in orelse)
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            for clause in node.generators:
                yield clause.iter, depth
                depth += 1
                yield from ((child, depth) for child in (clause.target, *clause.ifs))
            parts = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
            yield from ((child, depth) for child in parts)
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield from ((child, depth) for child in (*node.decorator_list, node.args))
            yield from ((child, 0) for child in node.body)
        case ast.Lambda(args=arguments, body=expression):
            yield arguments, depth
            yield expression, 0
        case _:
            yield from ((child, depth) for child in ast.iter_child_nodes(node))
