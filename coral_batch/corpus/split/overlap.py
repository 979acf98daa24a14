"""How much of an evaluation program one that is trained or selected on gives away.

Three measures, each from 0 to 1, none of which sees names, comments or layout: how alike the two
token sequences are as a whole; which share of the evaluation program's runs of tokens, and which
share of the pieces of its syntax tree, the other program holds. They find a copy, renamed or
edited, and a copied part; they do not find another algorithm for the same task.
"""

from __future__ import annotations

import ast
import difflib
import keyword
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from coral_batch.corpus.code.tokens import tokens_of
from coral_batch.errors import CoralError
from coral_batch.records.problem import Problem, Role
from coral_batch.records.settings import Split

NGRAM = 10
"""Tokens of a run: about one line and a half."""

NODES = 8
"""Nodes of the smallest piece of a syntax tree that counts; ``x += 1`` has 5."""


MEASURES = ("similarity", "ngrams", "trees")
_LIMITS = ("near_duplicate", "ngrams", "trees")


@dataclass(frozen=True)
class Overlap:
    """A row of the table `overlaps`: one evaluation program, and one of those closest to it.

    Attributes:
        evaluation: name of the evaluation problem.
        role: its role, ``test`` or ``held_out``.
        other: name of the problem that is trained on or, beside a held-out one, selected on.
        other_role: its role, ``training`` or ``test``.
        similarity: of the two reference programs, see `similarity`.
        ngrams: share of the evaluation reference's token n-grams that the other problem's
            reference or buggy program holds.
        trees: the same of its syntax subtrees.
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

    Test programs are compared with all that are trained on, held-out ones with those that are
    selected on as well.

    Returns:
        For every evaluation program the pair that is largest by each of `MEASURES`, each pair
        once; of equal ones the first by name.
    """
    roles = {row.name: row.role for row in manifest}
    by_role: dict[str, list[_Fingerprint]] = defaultdict(list)
    for problem in sorted(problems, key=lambda problem: problem.name):
        by_role[roles[problem.name]].append(_Fingerprint(problem))
    seen = [("training", one) for one in by_role["training"]]
    tested = [("test", one) for one in by_role["test"]]
    return [
        row
        for role, others in (("test", seen), ("held_out", seen + tested))
        for one in by_role[role]
        for row in _closest(one, role, others)
    ]


class _Fingerprint:
    """What two programs are compared by, computed once for each."""

    def __init__(self, problem: Problem) -> None:
        shown = [problem.reference, *([problem.buggy] if problem.buggy else [])]
        self.name, self.reference = problem.name, problem.reference
        self.tokens = _numbered(_tokens(problem.reference))
        self.ngrams, self.trees = ngrams(problem.reference), subtrees(problem.reference)
        self.seen_ngrams = set().union(*map(ngrams, shown))
        self.seen_trees = set().union(*map(subtrees, shown))


def _closest(
    one: _Fingerprint, role: str, others: Sequence[tuple[str, _Fingerprint]]
) -> list[Overlap]:
    if not others:
        return []
    # SequenceMatcher keeps what it knows of its second sequence.
    matcher = difflib.SequenceMatcher(None, [], one.tokens, autojunk=False)
    likest, most = 0, -1.0
    for index, (_, other) in enumerate(others):
        matcher.set_seq1(other.tokens)
        # The quick ratios are upper bounds, so that few pairs cost a whole comparison.
        if matcher.real_quick_ratio() > most and matcher.quick_ratio() > most:
            ratio = matcher.ratio()
            if ratio > most:
                likest, most = index, ratio
    of_ngrams = [_share(one.ngrams, other.seen_ngrams) for _, other in others]
    of_trees = [_share(one.trees, other.seen_trees) for _, other in others]
    chosen = {likest: None, _largest(of_ngrams): None, _largest(of_trees): None}
    rows = []
    for index in chosen:
        other_role, other = others[index]
        matcher.set_seq1(other.tokens)
        values = matcher.ratio(), of_ngrams[index], of_trees[index]
        rows.append(Overlap(one.name, role, other.name, other_role, *values))
    return rows


def _largest(values: Sequence[float]) -> int:
    return max(range(len(values)), key=lambda index: (values[index], -index))


def given_away(overlaps: Iterable[Overlap], limits: Split) -> dict[str, str]:
    """Return the held-out programs that another gives away, and the pair and measure that say so.

    Args:
        overlaps: as measured.
        limits: from where on a measure gives a program away, and what follows.

    Returns:
        Program -> reason, where `limits.overlapping` is ``exclude``: nobody is to be measured on
        it. Otherwise nothing.

    Raises:
        CoralError: a measure reaches its limit, and `limits.overlapping` is ``refuse`` or the
            program is one of those that selection goes by. It names all such pairs.
    """
    reached = [
        (row, field, measure)
        for row in overlaps
        for field, measure in zip(_LIMITS, MEASURES, strict=True)
        if getattr(row, measure) >= getattr(limits, field)
    ]
    # A test program is refused either way.
    refused = [one for one in reached if limits.overlapping == "refuse" or one[0].role == "test"]
    if refused:
        raise _contamination(refused, limits)
    return {
        row.evaluation: f"{row.other} ({row.other_role}) gives it away: {measure} "
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
    held_out = all(row.role == "held_out" for row, _, _ in refused)
    instead = ", or set split.overlapping to exclude" if held_out else ""
    fields = dict.fromkeys(field for _, field, _ in refused)
    return CoralError(
        "contamination: a program gives away an evaluation program",
        field="\n            ".join(pairs.values()),
        expected="below "
        + ", ".join(f"split.{field} = {getattr(limits, field)}" for field in fields),
        action=f"exclude {which} (corpus.sources: exclude){instead}; raise the limit only if you "
        "know why they overlap",
    )


def similarity(left: str, right: str) -> float:
    """Return how alike two programs are, from 0 to 1; 1 for copies up to names and layout.

    Ratcliff-Obershelp ratio over tokens, names numbered in order of first appearance, comments and
    blank lines left out.
    """
    return difflib.SequenceMatcher(
        None, _numbered(_tokens(left)), _numbered(_tokens(right)), autojunk=False
    ).ratio()


def ngrams(source: str) -> set[tuple[str, ...]]:
    """Return the runs of `NGRAM` tokens, names numbered within each run."""
    tokens = _tokens(source)
    runs = (tokens[start : start + NGRAM] for start in range(len(tokens) - NGRAM + 1))
    return {tuple(_numbered(run)) for run in runs}


def subtrees(source: str) -> set[str]:
    """Return the pieces of the syntax tree with at least `NODES` nodes, names left out.

    A piece is a node with all that is below it; constants and operators count, since a program is
    little else. Docstrings and positions do not.
    """
    found: set[str] = set()
    for statement in ast.parse(source).body:
        _write(statement, found)
    return found


def _write(node: ast.AST, found: set[str]) -> tuple[str, int]:
    """Write a node as text, note it if it is large enough, and return text and size."""
    if isinstance(node, ast.Constant):
        return f"Constant {node.value!r}", 1
    texts, size = [], 1
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
    """Return each token's text and whether it is a name; comments and blank lines left out."""
    tokens = []
    for token in tokens_of(source):
        if token.type in (tokenize.COMMENT, tokenize.NL, tokenize.ENCODING):
            continue
        if token.type in (tokenize.INDENT, tokenize.DEDENT, tokenize.NEWLINE):
            tokens.append((tokenize.tok_name[token.type], False))
        else:
            name = token.type == tokenize.NAME and not keyword.iskeyword(token.string)
            tokens.append((token.string, name))
    return tokens


def _numbered(tokens: Sequence[tuple[str, bool]]) -> list[str]:
    """Number names in order of first appearance."""
    names: dict[str, str] = {}
    return [names.setdefault(text, f"name{len(names)}") if name else text for text, name in tokens]
