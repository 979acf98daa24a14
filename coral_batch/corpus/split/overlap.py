"""How much of an evaluation program leaks through a training or selection program.

Three measures from 0 to 1, all blind to chosen names, comments and layout: the similarity of the
two token sequences; and the share of the evaluation program's token n-grams, and of its syntax
subtrees, that the other program contains. They find copies, also renamed or edited ones, and copied
parts. They do not find another algorithm for the same task.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import keyword
import tokenize
import warnings
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from coral_batch.corpus.code.tokens import tokens_of
from coral_batch.corpus.split.roles import LEAKED
from coral_batch.errors import CoralError
from coral_batch.records.problem import Problem, Role
from coral_batch.records.settings import Split

NGRAM = 10
"""Tokens in an n-gram: about one and a half lines."""

NODES = 8
"""Nodes in the smallest subtree that counts; ``x += 1`` has 5."""

_BUILT_IN = frozenset(vars(builtins))

MEASURES = ("similarity", "ngrams", "trees")
_LIMITS = ("near_duplicate", "ngrams", "trees")


@dataclass(frozen=True)
class Overlap:
    """A row of the table `overlaps`: an evaluation program and one of the closest programs.

    Attributes:
        evaluation: name of the evaluation problem.
        role: its role, ``test`` or ``held_out``.
        other: name of a training problem; of a test problem only if `role` is ``held_out``.
        other_role: its role, ``training`` or ``test``.
        similarity: of the two reference programs: the Ratcliff-Obershelp ratio of their tokens,
            names numbered in order of first appearance; 1 if only names and layout differ.
        ngrams: share of the evaluation reference's token n-grams that the other problem's
            reference or buggy program contains.
        trees: likewise for its syntax subtrees.
    """

    evaluation: str
    role: str
    other: str
    other_role: str
    similarity: float
    ngrams: float
    trees: float


def measure_overlaps(problems: Sequence[Problem], manifest: Sequence[Role]) -> list[Overlap]:
    """Find the closest programs of every evaluation program.

    Test programs are compared with training programs, held-out programs also with test programs.

    Returns:
        For every evaluation program the closest pair by each of `MEASURES`, each pair once; ties go
        to the first name.
    """
    roles = {row.name: row.role for row in manifest}
    by_role: dict[str, list[_Fingerprint]] = defaultdict(list)
    for problem in sorted(problems, key=lambda problem: problem.name):
        role = roles[problem.name]
        by_role[role].append(_Fingerprint(problem, role))
    training, test, held_out = (by_role[role] for role in ("training", "test", "held_out"))
    return [
        row
        for programs, others in ((test, training), (held_out, training + test))
        for one in programs
        for row in _closest(one, others)
    ]


class _Fingerprint:
    """The data that programs are compared by, computed once per program."""

    def __init__(self, problem: Problem, role: str) -> None:
        shown = [problem.reference, *([problem.buggy] if problem.buggy else [])]
        self.name, self.role = problem.name, role
        self.tokens = _numbered(_tokens(problem.reference))
        self.ngrams, self.trees = ngrams(problem.reference), subtrees(problem.reference)
        self.seen_ngrams = set().union(*map(ngrams, shown))
        self.seen_trees = set().union(*map(subtrees, shown))


def _closest(one: _Fingerprint, others: Sequence[_Fingerprint]) -> list[Overlap]:
    if not others:
        return []
    # SequenceMatcher caches its analysis of the second sequence.
    matcher = difflib.SequenceMatcher(None, [], one.tokens, autojunk=False)
    likest, most = 0, -1.0
    for index, other in enumerate(others):
        matcher.set_seq1(other.tokens)
        # The quick ratios are upper bounds, so few pairs need a full comparison.
        if matcher.real_quick_ratio() > most and matcher.quick_ratio() > most:
            ratio = matcher.ratio()
            if ratio > most:
                likest, most = index, ratio
    of_ngrams = [_share(one.ngrams, other.seen_ngrams) for other in others]
    of_trees = [_share(one.trees, other.seen_trees) for other in others]
    every = range(len(others))
    largest = [max(every, key=shares.__getitem__) for shares in (of_ngrams, of_trees)]
    rows = []
    for index in dict.fromkeys((likest, *largest)):
        other = others[index]
        matcher.set_seq1(other.tokens)
        values = matcher.ratio(), of_ngrams[index], of_trees[index]
        rows.append(Overlap(one.name, one.role, other.name, other.role, *values))
    return rows


def leaked(overlaps: Iterable[Overlap], limits: Split) -> dict[str, str]:
    """Return the evaluation programs that leak through another program, and why.

    Args:
        overlaps: as measured.
        limits: the values from which a program counts as leaked, and whether that is an error.

    Returns:
        Program -> why it is excluded, if `limits.overlapping` is ``exclude``; else nothing.

    Raises:
        CoralError: a measure reaches its limit, and `limits.overlapping` is ``refuse``. It names
            all such pairs.
    """
    reached = [
        (row, field, measure)
        for row in overlaps
        for field, measure in zip(_LIMITS, MEASURES, strict=True)
        if getattr(row, measure) >= getattr(limits, field)
    ]
    if reached and limits.overlapping == "refuse":
        raise _contamination(reached, limits)
    return {
        row.evaluation: f"{LEAKED} {row.other} ({row.other_role}): {measure} "
        f"{getattr(row, measure):.2f}, limit {getattr(limits, field)}"
        for row, field, measure in reversed(reached)  # the first of a program stays
    }


def _contamination(refused: Sequence[tuple[Overlap, str, str]], limits: Split) -> CoralError:
    """Return an error that names all pairs, each with the first limit that it reaches."""
    pairs: dict[tuple[str, str], str] = {}
    for row, field, measure in refused:
        value = f"{field} {getattr(row, measure):.3f}"
        pair = f"{row.other} ({row.other_role}), {row.evaluation} ({row.role}): {value}"
        pairs.setdefault((row.other, row.evaluation), pair)
    which = "one of them" if len(pairs) == 1 else "one of each pair"
    fields = dict.fromkeys(field for _, field, _ in refused)
    return CoralError(
        "contamination: a program is too similar to an evaluation program",
        field="\n            ".join(pairs.values()),
        expected="below "
        + ", ".join(f"split.{field} = {getattr(limits, field)}" for field in fields),
        action=f"exclude {which} (corpus.sources: exclude), or set split.overlapping to exclude; "
        "raise the limit only if you know why they overlap",
    )


def ngrams(source: str) -> set[tuple[str, ...]]:
    """Return the n-grams of `NGRAM` tokens, names numbered within each."""
    tokens = _tokens(source)
    runs = (tokens[start : start + NGRAM] for start in range(len(tokens) - NGRAM + 1))
    return {tuple(_numbered(run)) for run in runs}


def subtrees(source: str) -> set[str]:
    """Return the syntax subtrees with at least `NODES` nodes, without chosen names and positions.

    Constants and operators count: the rest of a program says little about it.
    """
    found: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # "\d" in a program's string
        body = ast.parse(source).body
    for statement in body:
        _write(statement, found)
    return found


def _write(node: ast.AST, found: set[str]) -> tuple[str, int]:
    """Return a node's text and size; add the text to `found` if it is large enough."""
    if isinstance(node, ast.Constant):
        return f"Constant {node.value!r}", 1
    texts, size = [], 1
    if isinstance(node, ast.Attribute):
        texts.append(node.attr)
    elif isinstance(node, ast.Name) and node.id in _BUILT_IN:
        texts.append(node.id)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr_context):
            continue
        text, nodes = _write(child, found)
        texts.append(text)
        size += nodes
    written = f"{type(node).__name__}({', '.join(texts)})"
    if size >= NODES:
        found.add(written)
    return written, size


def _share(pieces: set[Any], seen: set[Any]) -> float:
    return len(pieces & seen) / len(pieces) if pieces else 0.0


def _tokens(source: str) -> list[tuple[str, bool]]:
    """Return each token's text and whether it is a chosen name, without comments and blank lines.

    Names of built-in functions and of attributes are not chosen.
    """
    tokens: list[tuple[str, bool]] = []
    for token in tokens_of(source):
        if token.type in (tokenize.COMMENT, tokenize.NL, tokenize.ENCODING):
            continue
        if token.type in (tokenize.INDENT, tokenize.DEDENT, tokenize.NEWLINE):
            tokens.append((tokenize.tok_name[token.type], False))
        else:
            chosen = not keyword.iskeyword(token.string) and token.string not in _BUILT_IN
            attribute = bool(tokens) and tokens[-1][0] == "."
            name = token.type == tokenize.NAME and chosen and not attribute
            tokens.append((token.string, name))
    return tokens


def _numbered(tokens: Sequence[tuple[str, bool]]) -> list[str]:
    """Number names in order of first appearance."""
    names: dict[str, str] = {}
    return [names.setdefault(text, f"name{len(names)}") if name else text for text, name in tokens]
