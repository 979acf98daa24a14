"""Sample answers that change a program: where and how they first differ from a copy of it.

The model's distribution is conditioned on "the answer is not the unchanged program". Let p(t) be
the probability of the copy's token t after the prompt and the copy's earlier tokens. The first
change is at t with probability ``p(0) ... p(t-1) (1 - p(t)) / (1 - p(0) p(1) ...)``. Its token is
sampled from the model without the copy's token; the rest of the answer is sampled freely. One pass
over prompt and copy gives all p(t), so copied tokens need not be sampled.

The condition is on tokens. An answer that only changes layout, comments or docstring is discarded
too: see `is_copy`, after which engines retry.
"""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from coral_batch.models.decoding.sampling import check_finite, kept, penalised
from coral_batch.models.prompts.tokens import continuation
from coral_batch.records.configuration import Knobs

CLOSING = "\n```"
ATTEMPTS = 8
"""How often an answer is sampled until it changes the program; the last one is kept anyway."""
ROOM = 64
"""Tokens that a repair may have beyond its program's; longer answers are not repairs."""
_ROWS = 32


@dataclass(frozen=True)
class Original:
    """A program that answers must change.

    Attributes:
        program: the program, without a final newline.
        reference: a correct program, for the first look; None if unknown.
        room: tokens that an answer may have beyond the program's copy, even above the general
            limit; None if only the general limit holds.
    """

    program: str
    reference: str | None = None
    room: int | None = None

    def limit(self, copied: int, most: int) -> int:
        """Return how many tokens an answer may have.

        Args:
            copied: tokens of the program's copy.
            most: the general limit of answers.
        """
        return most if self.room is None else max(most, copied + self.room)


@dataclass(frozen=True)
class Copy:
    """The answer that copies a program, in tokens.

    Attributes:
        program: the program.
        tokens: the tokens of the program and its closing fence.
        lines: for each token, the program's line, from 1, that a change of it affects; one more
            than the program has if something is appended.
        right: where the reference first differs, and its token there; None without a reference.
    """

    program: str
    tokens: tuple[int, ...]
    lines: tuple[int, ...]
    right: tuple[int, int] | None

    @property
    def line(self) -> int | None:
        """The line of the reference's first change; None without a reference."""
        return None if self.right is None else self.lines[self.right[0]]


@dataclass(frozen=True)
class Look:
    """Probabilities of a program's first change, before sampling: at temperature 1, all tokens.

    Attributes:
        problem: the prompt's name.
        unchanged: probability that the answer is the unchanged program, in [0, 1].
        lines: for each line of the program, and for appending to it, the probability of the first
            change being there, given that there is one; they sum to 1.
        line: line, from 1, of the reference's first change; None without a reference.
        right: probability that the first change is the reference's, given that there is one; None
            without a reference, or if it is beyond the longest answer.
    """

    problem: str
    unchanged: float
    lines: tuple[float, ...]
    line: int | None
    right: float | None


def copy_of(tokenizer: Any, prompt: str, original: Original) -> Copy:
    """Return the answer that copies a program, for a prompt that ends in an opening fence."""
    tokens = continuation(tokenizer, prompt, original.program + CLOSING)
    newlines = np.cumsum([0, *(text.count("\n") for text in _texts(tokenizer, tokens))])
    right = None
    if original.reference is not None:
        wanted = continuation(tokenizer, prompt, original.reference + CLOSING)
        pairs = enumerate(zip(tokens, wanted, strict=False))
        right = next(((at, token) for at, (copied, token) in pairs if copied != token), None)
    lines = tuple(int(count) + 1 for count in newlines[: len(tokens)])
    return Copy(original.program, tuple(tokens), lines, right)


def is_copy(program: str, answer: str) -> bool:
    """Whether an answer leaves a program unchanged: the same syntax tree, except docstrings.

    Args:
        program: the program.
        answer: the completion, without the opening fence. If it does not parse, it is a change,
            unless it equals the program's text.
    """
    code, _, _ = answer.partition("```")
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


class Dull:
    """The tokens that greedy changes must not begin with.

    These are special tokens, unknown tokens and tokens that begin with a backtick, or with blanks
    and a backtick: only a closing fence in different tokens than the copy's does. Also tokens that
    begin a comment, and blank ones that neither indent a line differently nor end one early.
    """

    def __init__(self, tokenizer: Any, width: int) -> None:
        """Find them.

        Args:
            tokenizer: the model's own.
            width: number of tokens that it knows.
        """
        known = range(min(width, len(tokenizer)))
        texts = [
            "" if text.lstrip().startswith("`") else text.partition("`")[0]
            for text in _texts(tokenizer, known, special=False)
        ]
        self._blanks = {at: text for at, text in enumerate(texts) if text and text.isspace()}
        texts = [text.lstrip().partition("#")[0] for text in texts]
        self.tokens = np.ones(width, dtype=bool)
        """(width,) array: whether a token is one of them, or blank."""
        self.tokens[: len(texts)] = [text == "" for text in texts]
        self._tokenizer = tokenizer
        self._moving = cache(self._find_moving)

    def moving(self, copied: Sequence[int]) -> list[list[int]]:
        """Return the blank tokens that may take the place of each copied token."""
        line, found = "", []
        for text in _texts(self._tokenizer, copied):
            found.append(self._moving(not line.strip(), text))
            line = (line + text).rpartition("\n")[2]
        return found

    def _find_moving(self, starts: bool, copied: str) -> list[int]:
        """Return the blank tokens that may take a token's place.

        Args:
            starts: whether the line is blank up to there.
            copied: the text of the copied token.
        """
        return [token for token, blank in self._blanks.items() if _moves(starts, copied, blank)]


def _moves(starts: bool, copied: str, blank: str) -> bool:
    """Whether a blank text in place of another text changes more than the layout."""
    ends, _, indentation = blank.rpartition("\n")
    if blank == indentation:
        return starts
    if starts or ends or "\r" in blank:  # blank lines
        return False
    return bool(copied.strip()) or indentation != copied.rpartition("\n")[2]


def _texts(tokenizer: Any, tokens: Sequence[int], *, special: bool = True) -> list[str]:
    return list(
        tokenizer.batch_decode(
            [[token] for token in tokens],
            skip_special_tokens=not special,
            clean_up_tokenization_spaces=False,
        )
    )


def first_look(problem: str, copy: Copy, logits: Tensor) -> tuple[Look, NDArray[np.float64]]:
    """Return the probabilities of a program's first change and of copying each token.

    Args:
        problem: the prompt's name.
        copy: the program's copy.
        logits: (n, vocabulary) logits that predict the copy's first n tokens.

    Returns:
        The look, and the (n,) log-probabilities of the copy's tokens.

    Raises:
        CoralError: the logits are not finite.
    """
    stays, changes = _log_probabilities(logits, copy.tokens[: len(logits)])
    check_finite(stays, problem)
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
    # Rounded sums can exceed 1.
    shares_by_line = tuple(min(1.0, float(share)) for share in by_line)
    return Look(problem, unchanged, shares_by_line, copy.line, right), stays


def _log_probabilities(
    logits: Tensor, tokens: Sequence[int]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the log-probability of each token, and of all other tokens together."""
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
    """The possible first changes of a program under some knobs, with probabilities."""

    def __init__(
        self,
        copy: Copy,
        prompt: Sequence[int],
        logits: Tensor,
        stays: NDArray[np.float64],
        knobs: Knobs,
        dull: Dull | None,
        ranks: int,
    ) -> None:
        """Process a pass over prompt and copy.

        Args:
            copy: the program's copy.
            prompt: the prompt's tokens.
            logits: (n, vocabulary) logits that predict the copy's first n tokens, those that may be
                copied.
            stays: the (n,) log-probabilities of these tokens, from `first_look`.
            knobs: the sampling parameters.
            dull: tokens that no change begins with, at temperature 0; None above it.
            ranks: how many of the most likely changes to prepare, at temperature 0.
        """
        tokens = copy.tokens[: len(logits)]
        seen: list[list[int]] = [[]] * len(tokens)
        if knobs.repetition_penalty != 1:
            seen = [[*prompt, *tokens[:at]] for at in range(len(tokens))]
        self._greedy: list[tuple[int, int]] = []
        if dull is not None:
            self._greedy = _most_likely(tokens, logits, knobs, seen, dull, ranks)
            places = np.array([at for at, _ in self._greedy])
            ids = np.array([[token] for _, token in self._greedy])
        else:
            ids, logs = _weighed(tokens, logits, knobs, seen)
            if np.isneginf(logs).all():
                # Top-p or top-k leave only the copy: sample the first change without them.
                wide = replace(knobs, top_p=1.0, top_k=max(knobs.top_k, 2))
                ids, logs = _weighed(tokens, logits, wide, seen)
            # Relative to the greatest, since all may underflow.
            self._cumulative = np.cumsum(np.exp(logs - logs.max()).ravel())
            places = np.arange(len(tokens))
        self._tokens = ids
        rows = torch.from_numpy(places)[:, None]
        copied = torch.tensor(tokens)[rows]
        # The change's log-probability minus that of the copy's token at the same place.
        likelier = logits[rows, torch.from_numpy(ids)].float() - logits[rows, copied].float()
        self._logs = np.cumsum(stays)[places][:, None] + likelier.cpu().numpy()

    def draw(self, rank: int, uniform: float) -> tuple[int, int, float]:
        """Return a first change: the number of copied tokens, and the token after them.

        The third value is the log-probability of all these tokens under the model itself: at
        temperature 1, over all tokens, without a penalty.

        Args:
            rank: at temperature 0, the rank of the change, from 0 for the most likely; the last
                prepared one if there are fewer.
            uniform: otherwise, a random number in [0, 1) that selects the change.
        """
        if self._greedy:
            rank = min(rank, len(self._greedy) - 1)
            return *self._greedy[rank], float(self._logs[rank, 0])
        total = self._cumulative[-1]
        at = int(np.searchsorted(self._cumulative, uniform * total, side="right"))
        # If rounding goes past the end, take the last one with a weight.
        at = min(at, int(np.searchsorted(self._cumulative, total)))
        width = self._tokens.shape[1]
        place = at // width, at % width
        return place[0], int(self._tokens[place]), float(self._logs[place])


def _weighed(
    copy: Sequence[int], logits: Tensor, knobs: Knobs, seen: Sequence[Sequence[int]]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the (n, width) tokens of first changes, and their log-probabilities."""
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
    dull: Dull,
    ranks: int,
) -> list[tuple[int, int]]:
    """Return first changes, the most likely first, ties by position and token."""
    found: list[tuple[float, int, int]] = []
    before = 0.0
    left_out = torch.from_numpy(dull.tokens).to(logits.device)
    for at, (token, moving) in enumerate(zip(copy, dull.moving(copy), strict=True)):
        row = penalised(logits[at : at + 1], [knobs], [seen[at]])[0].float()
        row = row - row.logsumexp(0)
        stays = float(row[token])
        allowed = row[moving]
        row[left_out] = -torch.inf
        row[moving] = allowed
        row[token] = -torch.inf
        values, ids = row.topk(min(ranks, len(row)))
        found += [
            (-(before + value), at, one)
            for value, one in zip(values.tolist(), ids.tolist(), strict=True)
            if value > -math.inf
        ]
        before += stays
    return [(at, token) for _, at, token in sorted(found)[:ranks]]
