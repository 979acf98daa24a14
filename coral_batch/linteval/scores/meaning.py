"""Whether an answer is the original program, but for what flake8's complaints permit to change.

A pure function of the original, flake8's findings in it and the answer. Both are brought to their
canonical tree (`canonical.py`), the original's is changed as each complaint permits (`permits.py`),
and then they have to be equal. What each complaint permits:

- E1, E2, E3, E5, E70, W and any other complaint about the text: nothing but the text.
- E401, E402, F401, F403, F405, F811: imports of the module in another order and another place, but
  not before what a later one may need, without those that are unused or repeated; names in place of
  the star, for the usual modules of the standard library. What is defined again before it is used
  goes, if the second definition stands beside it and the first does nothing but to define.
- E711, F632: `is` for ``==`` and the reverse. E712: ``value is True``, or ``value`` alone. E721:
  `is`, or `isinstance`. E722: `except Exception` or `except BaseException`.
- E731: `def` in place of the lambda. E741: another name, everywhere in its scope.
- F541: no prefix. F824: no `global`.
- F841, F842: no variable; its value stays as a statement of its own, or goes if it has no effect
  but an exception that it may raise.

Nothing goes from a `try` with handlers or a `with`, where an exception may be what it is for.

E712 and E721 permit more than they should: ``5 == True`` is false, and 5 alone is true. Where
there are tests to find that out, the comparison is `exact`: it does not permit ``value`` or ``value
is True`` for ``value == True``, nor `isinstance`.

What it does not say: that an answer with another tree does something else.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from coral_batch.linteval.scores.canonical import (
    canonical,
    read,
    reads_docstrings,
    with_imports_first,
)
from coral_batch.linteval.scores.permits import (
    RENAMED,
    Caught,
    Kind,
    Spare,
    Told,
    Truth,
    ambiguous,
    is_call_of,
    permit,
)
from coral_batch.linteval.scores.scopes import renamed
from coral_batch.records.finding import Finding

_IMPORTS = ("E401", "E402", "F401", "F403", "F811")


def same(original: str, findings: Sequence[Finding], answer: str, *, exact: bool = False) -> bool:
    """Whether the trees are the same.

    Args:
        original: the item's code.
        findings: flake8's findings in it.
        answer: the code of the answer.
        exact: whether nothing is permitted that may change a value.

    Returns:
        False also where one of them is no Python or nested too deeply to be compared.
    """
    before, after = read(original), read(answer)
    if before is None or after is None:
        return False
    try:
        told = Told(findings)
        documented = reads_docstrings(original)
        before = canonical(permit(before, told, exact), documented)
        return _same(before, told, canonical(after, documented))
    except RecursionError:
        return False


def _same(before: ast.Module, told: Told, after: ast.Module) -> bool:
    if told.has(*_IMPORTS):
        with_imports_first(before)
        with_imports_first(after)
    if told.has(RENAMED) and not renamed(before, after, ambiguous(told)):
        return False
    return equal(before, after)


def equal(before: Any, after: Any) -> bool:
    """Compare a node, a list or a value of the original's tree with one of the answer's.

    Args:
        before: of the tree that `permit` made, in canonical form.
        after: of the answer's tree, in canonical form.
    """
    if isinstance(before, Truth | Kind | Caught):
        return _is_permitted(before, after)
    if type(before) is not type(after):
        return False
    if isinstance(before, list):
        return _equal_lists(before, after)
    if not isinstance(before, ast.AST):
        # 0.0 and -0.0 are two things; of an integer not all digits can be written.
        written = isinstance(before, float | complex)
        return bool(repr(before) == repr(after) if written else before == after)
    # No generator, which would double the depth of the stack.
    for field in before._fields:
        if not equal(getattr(before, field, None), getattr(after, field, None)):
            return False
    return True


def _equal_lists(before: list[Any], after: list[Any]) -> bool:
    at = 0
    for item in before:
        there = at < len(after)
        if isinstance(item, Spare):
            kept = there and isinstance(after[at], ast.Expr) and equal(item.value, after[at].value)
            if item.needed and not kept:
                return False
            at += kept
        elif there and equal(item, after[at]):
            at += 1
        else:
            return False
    return at == len(after)


def _is_permitted(before: Truth | Kind | Caught, after: Any) -> bool:
    if isinstance(before, Truth):
        return _is_truth(before, after)
    if isinstance(before, Kind):
        return _is_kind(before, after)
    return isinstance(after, ast.Name) and after.id in {"Exception", "BaseException"}


def _is_truth(before: Truth, after: Any) -> bool:
    """Compare with ``value``, ``not value``, ``value is True`` and the like."""
    if isinstance(after, ast.Compare) and len(after.ops) == 1:
        constant = after.comparators[0]
        exact = isinstance(constant, ast.Constant) and constant.value is before.truth
        if exact and _is_identity(after, before.negated) and equal(before.value, after.left):
            return True
    if before.truth is not before.negated:
        return equal(before.value, after)
    negation = canonical(ast.Module([ast.Expr(_negated(before.value))], []), documented=True)
    return equal(negation.body, [ast.Expr(after)])


def _is_kind(before: Kind, after: Any) -> bool:
    """Compare with ``type(value) is kind`` and ``isinstance(value, kind)``, or their opposites."""
    if isinstance(after, ast.Compare) and len(after.ops) == 1:
        left = after.left
        return (
            _is_identity(after, before.negated)
            and is_call_of(left, "type")
            and equal([before.value], left.args)
            and equal(before.kind, after.comparators[0])
        )
    if before.negated:
        if not (isinstance(after, ast.UnaryOp) and isinstance(after.op, ast.Not)):
            return False
        after = after.operand
    return is_call_of(after, "isinstance") and equal([before.value, before.kind], after.args)


def _is_identity(comparison: ast.Compare, negated: bool) -> bool:
    return isinstance(comparison.ops[0], ast.IsNot if negated else ast.Is)


def _negated(value: ast.expr) -> ast.expr:
    return ast.copy_location(ast.UnaryOp(ast.Not(), value), value)
