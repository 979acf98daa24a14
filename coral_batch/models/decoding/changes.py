"""Answers that change a program: where and how they first differ from a copy of it.

The condition "the answer is not the program as it was" is put on the model's own distribution. With
p(t) the probability of the copy's token t behind the prompt and the copy before it, the first
change stands at t with probability ``p(0) ... p(t-1) (1 - p(t)) / (1 - p(0) p(1) ...)``, and its
token is drawn as the model would, the copy's left out; from there on the answer goes on freely. One
pass over prompt and copy gives all p(t), so what is copied need not be drawn.

The condition is on tokens. An answer that differs in its layout, comments or docstring alone is no
change either, unless these are what is to be changed: see `is_copy`, by which engines draw again.
"""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from coral_batch.models.decoding.sampling import kept, penalised
from coral_batch.models.prompts.tokens import continuation
from coral_batch.records.configuration import Knobs

CLOSING = "\n```"
ATTEMPTS = 8
"""How often an answer is drawn until it changes the program; the last one stands as it is."""
ROOM = 64
"""Tokens of a repair beyond those of its program: who writes more does not repair it."""
_ROWS = 32


@dataclass(frozen=True)
class Original:
    """A program that answers must change.

    Attributes:
        program: the program, without a newline at its end.
        reference: a right one, which the first look asks for; None where none is known.
        layout: whether another layout or comment alone is a change.
        room: tokens that an answer may have beyond those of the program's copy, however few answers
            may have otherwise; None where a limit holds for this program as for any other.
    """

    program: str
    reference: str | None = None
    layout: bool = False
    room: int | None = None

    def limit(self, copied: int, most: int) -> int:
        """Return how many tokens an answer may have.

        Args:
            copied: tokens of the program's copy.
            most: tokens that answers may have, whatever their program.
        """
        return most if self.room is None else max(most, copied + self.room)


@dataclass(frozen=True)
class Copy:
    """The answer that copies a program, in tokens.

    Attributes:
        program: the program.
        tokens: those of the program and the fence behind it.
        lines: the line of the program, from 1, in which a change of each token stands; one more
            than it has where something is put behind it.
        right: where the reference first differs, and its token there; None without a reference.
        layout: as in `Original`.
    """

    program: str
    tokens: tuple[int, ...]
    lines: tuple[int, ...]
    right: tuple[int, int] | None
    layout: bool

    @property
    def line(self) -> int | None:
        """The line in which the reference's first change stands; None without a reference."""
        return None if self.right is None else self.lines[self.right[0]]


@dataclass(frozen=True)
class Look:
    """What a model would do to a program, before anything is drawn: at temperature 1, all tokens.

    Attributes:
        problem: the prompt's name.
        unchanged: probability that the answer is the program as it was, in [0, 1].
        lines: for each line of the program, and for what may be put behind it, the probability that
            the first change stands there, given that there is one; they sum to 1.
        line: line, from 1, in which the reference's first change stands; None without a reference.
        right: probability that the first change is the reference's, given that there is one; None
            without a reference, or where it lies behind the longest answer.
    """

    problem: str
    unchanged: float
    lines: tuple[float, ...]
    line: int | None
    right: float | None


def copy_of(tokenizer: Any, prompt: str, original: Original) -> Copy:
    """Return the answer to a prompt that ends in an opening fence which copies a program."""
    tokens = continuation(tokenizer, prompt, original.program + CLOSING)
    newlines = np.cumsum([0, *(text.count("\n") for text in _texts(tokenizer, tokens))])
    right = None
    if original.reference is not None:
        wanted = continuation(tokenizer, prompt, original.reference + CLOSING)
        pairs = enumerate(zip(tokens, wanted, strict=False))
        right = next(((at, token) for at, (copied, token) in pairs if copied != token), None)
    lines = tuple(int(count) + 1 for count in newlines[: len(tokens)])
    return Copy(original.program, tuple(tokens), lines, right, original.layout)


def is_copy(program: str, answer: str, layout: bool = False) -> bool:
    """Say whether an answer leaves a program as it is: the same syntax tree but for docstrings.

    Args:
        program: the program.
        answer: what the model wrote, the opening fence left out. What does not parse is a change,
            unless it is the program's own text.
        layout: whether any other text is a change.
    """
    code, _, _ = answer.partition("```")
    if layout:
        return code.removesuffix("\n") == program
    if code.strip() == program.strip():
        return True
    tree = _tree(code)
    return tree is not None and tree == _tree(program)


@lru_cache(maxsize=1024)
def _tree(code: str) -> str | None:
    """Return the syntax tree of a program without docstrings and other lone strings."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
            for node in ast.walk(tree):
                body = getattr(node, "body", None)
                if isinstance(body, list):
                    body[:] = [one for one in body if not _is_text(one)]
            return ast.dump(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _is_text(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def dull_tokens(tokenizer: Any, width: int, layout: bool) -> NDArray[np.bool_]:
    """Return which of `width` tokens no greedy change begins with.

    Special tokens, those that the tokenizer does not know, and those that begin with a backtick:
    no Python code does, but a fence that closes in other tokens than the copy's. Unless `layout`
    is a change, also those that are blank or begin a comment.
    """
    known = range(min(width, len(tokenizer)))
    texts = [text.partition("`")[0] for text in _texts(tokenizer, known, special=False)]
    if not layout:
        texts = [text.lstrip().partition("#")[0] for text in texts]
    dull = np.ones(width, dtype=bool)
    dull[: len(texts)] = [text == "" for text in texts]
    return dull


def _texts(tokenizer: Any, tokens: Sequence[int], *, special: bool = True) -> list[str]:
    return list(
        tokenizer.batch_decode(
            [[token] for token in tokens],
            skip_special_tokens=not special,
            clean_up_tokenization_spaces=False,
        )
    )


def first_look(problem: str, copy: Copy, logits: Tensor) -> tuple[Look, NDArray[np.float64]]:
    """Return what a model would do to a program, and how likely it copies each of its tokens.

    Args:
        problem: the prompt's name.
        copy: the program's copy.
        logits: (n, vocabulary) logits, those before each of the copy's first n tokens.

    Returns:
        The look, and the (n,) logarithms of the probabilities of the copy's tokens.
    """
    stays, changes = _log_probabilities(logits, copy.tokens[: len(logits)])
    before = np.concatenate([[0.0], np.cumsum(stays)[:-1]])
    places = before + changes
    total = float(np.logaddexp.reduce(places))
    shares = np.exp(places - total)
    lines = copy.lines[: len(logits)]
    by_line = np.bincount(lines, weights=shares, minlength=copy.program.count("\n") + 3)[1:]
    right = None
    if copy.right is not None and copy.right[0] < len(logits):
        at, token = copy.right
        row = logits[at].float()
        probability = float(row[token] - row.logsumexp(0))
        right = min(1.0, math.exp(before[at] + probability - total))
    unchanged = min(1.0, math.exp(float(np.sum(stays))))
    # Rounded sums can end above 1.
    shares_by_line = tuple(min(1.0, float(share)) for share in by_line)
    return Look(problem, unchanged, shares_by_line, copy.line, right), stays


def _log_probabilities(
    logits: Tensor, tokens: Sequence[int]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the logarithms of each token's probability and of that of all others together."""
    stays, changes = [], []
    for start in range(0, len(tokens), _ROWS):
        rows = logits[start : start + _ROWS].float()
        own = torch.tensor(tokens[start : start + _ROWS], device=rows.device)[:, None]
        kept_logits = rows.gather(1, own)[:, 0].double()
        others = rows.scatter(1, own, -torch.inf).logsumexp(1).double()
        whole = torch.logaddexp(kept_logits, others)
        stays.append((kept_logits - whole).cpu().numpy())
        changes.append((others - whole).cpu().numpy())
    return np.concatenate(stays), np.concatenate(changes)


class FirstChanges:
    """The first changes of a program that some knobs allow, and how likely each is."""

    def __init__(
        self,
        copy: Copy,
        prompt: Sequence[int],
        logits: Tensor,
        stays: NDArray[np.float64],
        knobs: Knobs,
        dull: NDArray[np.bool_] | None,
        ranks: int,
    ) -> None:
        """Read a pass over prompt and copy.

        Args:
            copy: the program's copy.
            prompt: the prompt's tokens.
            logits: (n, vocabulary) logits, those before each of the copy's first n tokens, which
                are what may be copied.
            stays: the (n,) logarithms of the probabilities of these tokens, as of `first_look`.
            knobs: how answers are drawn.
            dull: which tokens no change begins with at temperature 0; above it, where that is left
                to chance, None.
            ranks: how many of the most likely changes to have ready where the temperature is 0.
        """
        tokens = copy.tokens[: len(logits)]
        seen: list[list[int]] = [[]] * len(tokens)
        if knobs.repetition_penalty != 1:
            seen = [[*prompt, *tokens[:at]] for at in range(len(tokens))]
        self._greedy: list[tuple[int, int]] = []
        if dull is not None:
            left_out = torch.from_numpy(dull).to(logits.device)
            self._greedy = _most_likely(tokens, logits, knobs, seen, left_out, ranks)
            places = np.array([at for at, _ in self._greedy])
            ids = np.array([[token] for _, token in self._greedy])
        else:
            ids, logs = _weighed(tokens, logits, knobs, seen)
            if np.isneginf(logs).all():
                # Top-p or top-k leave nothing but the copy: the first change is drawn without them.
                wide = replace(knobs, top_p=1.0, top_k=max(knobs.top_k, 2))
                ids, logs = _weighed(tokens, logits, wide, seen)
            # Relative to the greatest, since all of them may be too small for a number.
            self._cumulative = np.cumsum(np.exp(logs - logs.max()).ravel())
            places = np.arange(len(tokens))
        self._tokens = ids
        rows = torch.from_numpy(places)[:, None]
        copied = torch.tensor(tokens)[rows]
        # How much likelier than the copy's token behind the same beginning.
        likelier = logits[rows, torch.from_numpy(ids)].float() - logits[rows, copied].float()
        self._logs = np.cumsum(stays)[places][:, None] + likelier.cpu().numpy()

    def draw(self, rank: int, uniform: float) -> tuple[int, int, float]:
        """Return a first change: the number of tokens that are copied, and the token behind them.

        The third is the logarithm of the probability that the model itself gives both: at
        temperature 1, over all tokens, without a penalty.

        Args:
            rank: at temperature 0, which one, from 0 for the most likely; the last of those ready
                where there are fewer.
            uniform: in [0, 1); otherwise, which one.
        """
        if self._greedy:
            rank = min(rank, len(self._greedy) - 1)
            return *self._greedy[rank], float(self._logs[rank, 0])
        total = self._cumulative[-1]
        at = int(np.searchsorted(self._cumulative, uniform * total, side="right"))
        # What rounding puts behind the end is the last one that has a weight.
        at = min(at, int(np.searchsorted(self._cumulative, total)))
        width = self._tokens.shape[1]
        place = at // width, at % width
        return place[0], int(self._tokens[place]), float(self._logs[place])


def _weighed(
    copy: Sequence[int], logits: Tensor, knobs: Knobs, seen: Sequence[Sequence[int]]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the (n, width) tokens of first changes, and the logarithms of their probabilities."""
    logs, ids = kept(logits, [knobs] * len(copy), seen)
    logs -= np.logaddexp.reduce(logs, axis=1, keepdims=True)
    own = ids == np.array(copy)[:, None]
    stays = np.where(own, logs, -np.inf).max(axis=1)
    before = np.concatenate([[0.0], np.cumsum(stays)[:-1]])
    return ids, np.where(own, -np.inf, logs) + before[:, None]


def _most_likely(
    copy: Sequence[int],
    logits: Tensor,
    knobs: Knobs,
    seen: Sequence[Sequence[int]],
    left_out: Tensor,
    ranks: int,
) -> list[tuple[int, int]]:
    """Return first changes, the most likely one first, equal ones by place and token."""
    found: list[tuple[float, int, int]] = []
    before = 0.0
    for at, token in enumerate(copy):
        row = penalised(logits[at : at + 1], [knobs], [seen[at]])[0].float()
        row = row - row.logsumexp(0)
        stays = float(row[token])
        row[token] = -torch.inf
        row[left_out] = -torch.inf
        values, ids = row.topk(min(ranks, len(row)))
        found += [
            (-(before + value), at, one)
            for value, one in zip(values.tolist(), ids.tolist(), strict=True)
            if value > -math.inf
        ]
        before += stays
    return [(at, token) for _, at, token in sorted(found)[:ranks]]
