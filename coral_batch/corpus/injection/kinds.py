"""The kinds of bugs, by name: each is a function that yields a node's edits that put a bug in.

The ideas come from mutation testers (mutmut, cosmic-ray, mutatest, universalmutator, MutPy,
poodle), as far as people make such mistakes, and from studies of real bugs: QuixBugs' classes of
defects (Lin et al. 2017), ManySStuBs4J (Karampatsis and Sutton 2020), PyPIBugs (Allamanis et al.
2021). docs/bugs.md has an example of each.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from coral_batch.corpus.code.edits import Edit
from coral_batch.corpus.injection import bounds, calls, names, operators, statements
from coral_batch.corpus.injection.scope import Scoped

Kind = Callable[[Scoped, ast.AST], Iterator[Edit]]

KINDS: dict[str, Kind] = {
    "arithmetic": operators.arithmetic,
    "comparison": operators.comparison,
    "boolean": operators.boolean,
    "condition": operators.condition,
    "assignment": operators.assignment,
    "bound": bounds.bound,
    "range": bounds.ranges,
    "index": bounds.index,
    "slice": bounds.slices,
    "initial_value": bounds.initial_value,
    "constant": bounds.constant,
    "variable": names.variable,
    "return_value": names.return_value,
    "operands": names.operands,
    "arguments": calls.arguments,
    "call": calls.call,
    "function": calls.function,
    "recursion": calls.recursion,
    "statement": statements.statement,
    "branches": statements.branches,
    "indentation": statements.indentation,
    "loop": statements.loop,
}
"""Name, as in the tables `bug_trials` and `bugs` -> function that yields its edits."""
