"""Answers, unfinished and finished: the code that all engines share.

It decides how an answer begins, which random number draws which token, and where it ends. An engine
provides the logits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from torch import Tensor
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from coral_batch.errors import Unfit
from coral_batch.models.decoding.changes import (
    ATTEMPTS,
    Copy,
    Dull,
    FirstChanges,
    Look,
    Original,
    copy_of,
    is_copy,
)
from coral_batch.models.decoding.fence import FenceTokens
from coral_batch.models.decoding.guessing import Text
from coral_batch.models.prompts.prompt import FENCE
from coral_batch.records.configuration import Knobs
from coral_batch.seeding import generator


@dataclass(frozen=True)
class Unit:
    """A unit of work: prompts with one adapter and one set of knobs.

    Attributes:
        name: the caller's name for it, a genome's id; it does not affect the seeds.
        adapter: a PEFT folder; None for the base model without adapter.
        knobs: the sampling parameters.
        prompts: problem name -> prompt, from `prompt.chat_prompt` or `prompt.free_prompt`. If it
            ends in an opening fence, the answer ends when the fence is closed.
        originals: problem name -> the program that answers must change, see `changes`; empty if
            answers are free.
        read: names of prompts that are only prefilled and not answered, each with an original.
    """

    name: str
    adapter: Path | None
    knobs: Knobs
    prompts: Mapping[str, str]
    originals: Mapping[str, Original] = field(default_factory=dict)
    read: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Sample:
    """One answer.

    Attributes:
        problem: the prompt's key.
        index: number of the sample among the problem's, from 0.
        text: the completion without special tokens; it starts after the opening fence if the prompt
            ends in one.
        prompt_tokens: length of the prompt.
        tokens: the completion's tokens, including the closing fence and the end token.
        copied: how many leading tokens were copied from the program instead of sampled.
        redrawn: how many answers were discarded before it because they changed nothing.
        finish: ``fence`` (the prompt's fence was closed), ``eos`` (the model ended its turn or the
            text) or ``length`` (the token limit was reached).
        log_probability: natural log-probability under the model itself: at temperature 1, over all
            tokens, without penalty or condition.
    """

    problem: str
    index: int
    text: str
    prompt_tokens: int
    tokens: int
    copied: int
    redrawn: int
    finish: str
    log_probability: float


@dataclass(frozen=True)
class Drawn:
    """The results of a unit.

    Attributes:
        samples: its answers, by prompt and index.
        looks: one per prompt, if answers had to change its program; else empty.
    """

    samples: list[Sample]
    looks: list[Look]

    def ordered(self, prompts: Iterable[str]) -> Drawn:
        """Return it sorted by the given order of prompts, then by index."""
        place = {name: number for number, name in enumerate(prompts)}
        return Drawn(
            sorted(self.samples, key=lambda one: (place[one.problem], one.index)),
            sorted(self.looks, key=lambda one: place[one.problem]),
        )


@dataclass(frozen=True, eq=False)
class Prompt:
    """A tokenized prompt.

    Attributes:
        name: the name of its problem or item.
        ids: its tokens.
        fenced: it ends in an opening fence, whose closing ends the answer.
        copy: the answer that leaves its program unchanged; None without a program.
        length: how many leading tokens of the copy an answer may have.
        limit: maximum tokens of an answer.
    """

    name: str
    ids: list[int]
    fenced: bool
    copy: Copy | None
    length: int
    limit: int

    @property
    def read(self) -> list[int]:
        """The tokens to prefill: its own, and all but the last of the copy.

        The logits after the copy's last token are not needed.
        """
        return self.ids if self.copy is None else [*self.ids, *self.copy.tokens[: self.length - 1]]


@dataclass
class Draft:
    """An unfinished answer.

    Attributes:
        prompt: its prompt.
        index: its number among the prompt's answers, from 0.
        knobs: the sampling parameters.
        uniforms: a random number in [0, 1) for each possible token.
        change: a random number in [0, 1) for its first change.
        attempt: how many answers were discarded before it.
        text: the prompt's tokens and its own.
        tokens: its tokens so far.
        copied: how many of them were copied.
        backticks: how many backticks it ends with.
        finish: why it is finished, as in `Sample`; None if it is not.
        log_probability: as in `Sample`, of the tokens so far.
    """

    prompt: Prompt
    index: int
    knobs: Knobs
    uniforms: list[float]
    change: float
    attempt: int
    text: Text
    tokens: list[int] = field(default_factory=list)
    copied: int = 0
    backticks: int = 0
    finish: str | None = None
    log_probability: float = 0.0

    @property
    def length(self) -> int:
        """Number of tokens in the KV cache: all but the last sampled one."""
        return len(self.prompt.ids) + len(self.tokens) - 1


class Writing:
    """Begins and continues answers, and detects their end."""

    def __init__(
        self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, context: int
    ) -> None:
        """Prepare for a model.

        Args:
            model: the model.
            tokenizer: the model's own.
            context: its context length, prompt and completion together.
        """
        self._tokenizer, self._context = tokenizer, context
        self._dull = cache(partial(Dull, tokenizer))
        self._fence = FenceTokens(tokenizer)
        ends = model.generation_config.eos_token_id
        # Adapters are trained to end with the tokenizer's token, which a checkpoint may not list.
        self._ends = frozenset(
            [*(ends if isinstance(ends, list) else [ends]), tokenizer.eos_token_id]
        )

    def encode(
        self, max_new_tokens: int, name: str, text: str, original: Original | None
    ) -> Prompt:
        """Tokenize a prompt, and the copy of the program that answers must change.

        An answer may have `max_new_tokens`, or more if `Original.limit` says so.

        Raises:
            Unfit: the prompt and its longest answer exceed the context length.
        """
        ids: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        copy, length, limit = None, 0, max_new_tokens
        if original is not None:
            copy = copy_of(self._tokenizer, text, original)
            limit = original.limit(len(copy.tokens), max_new_tokens)
            length = self._length(copy.tokens[:limit])
        if len(ids) + limit > self._context:
            raise Unfit(
                f"the prompt of {name} and its answer do not fit the base model",
                found=f"{len(ids)} tokens of prompt and {limit} of answer",
                expected=f"together at most the {self._context} that the model attends to",
                action="shorten the program, leave it out, or take another base model",
            )
        return Prompt(name, ids, text.endswith(FENCE), copy, length, limit)

    def _length(self, tokens: Sequence[int]) -> int:
        """Return how many of these tokens an answer inside a fence has before the fence closes."""
        backticks = 0
        for count, token in enumerate(tokens, start=1):
            backticks = self._fence.run(backticks, token)
            if backticks == FenceTokens.CLOSED or token in self._ends:
                return count
        return len(tokens)

    def begin(self, prompt: Prompt, index: int, knobs: Knobs, seed: int, attempt: int = 0) -> Draft:
        """Return an empty answer; `seed` is the run's."""
        again = (attempt,) if attempt else ()
        stream = generator(seed, "sample", prompt.name, index, *again)
        *uniforms, change = stream.random(prompt.limit + 1).tolist()
        return Draft(prompt, index, knobs, uniforms, change, attempt, Text(prompt.ids))

    def changes(
        self,
        prompt: Prompt,
        logits: Tensor,
        stays: NDArray[np.float64],
        knobs: Knobs,
        samples: int,
    ) -> FirstChanges:
        """Return the first changes of a prompt's program.

        Args:
            prompt: a prompt with a program.
            logits: (length, vocabulary) logits that predict each token of the copy.
            stays: the second result of `first_look` for them.
            knobs: the sampling parameters.
            samples: number of answers.
        """
        copy = prompt.copy
        assert copy is not None
        # Finding the dull tokens takes a second; only greedy decoding needs them.
        dull = self._dull(logits.shape[1]) if knobs.temperature == 0 else None
        return FirstChanges(copy, prompt.ids, logits, stays, knobs, dull, samples * ATTEMPTS)

    def change(self, answer: Draft, changes: FirstChanges, samples: int) -> None:
        """Make an empty answer copy its program up to its first change, and append the change.

        Greedy answers to a prompt each start from a different one of the likeliest first changes.
        """
        copy = answer.prompt.copy
        assert copy is not None
        rank = answer.index + answer.attempt * samples
        at, token, log_probability = changes.draw(rank, answer.change)
        for one in copy.tokens[:at]:
            self.take(answer, one, 0.0)
        self.take(answer, token, log_probability)
        answer.copied = at

    def failed(self, answer: Draft) -> bool:
        """Whether a finished answer did not change its program, but must, and may be retried."""
        copy = answer.prompt.copy
        if copy is None or answer.attempt + 1 == ATTEMPTS:
            return False
        return is_copy(copy.program, self._text(answer))

    def take(self, answer: Draft, token: int, log_probability: float) -> None:
        """Append `token` with its log-probability under the model."""
        answer.log_probability += log_probability
        answer.tokens.append(token)
        answer.text.append(token)
        if answer.prompt.fenced:
            answer.backticks = self._fence.run(answer.backticks, token)
        if answer.backticks == FenceTokens.CLOSED:
            answer.finish = "fence"
        elif token in self._ends:
            answer.finish = "eos"
        elif len(answer.tokens) == len(answer.uniforms):
            answer.finish = "length"

    def sample(self, answer: Draft) -> Sample:
        """Return a finished answer."""
        text = self._text(answer)
        return Sample(
            answer.prompt.name,
            answer.index,
            FENCE + text if answer.prompt.fenced else text,
            len(answer.prompt.ids),
            len(answer.tokens),
            answer.copied,
            answer.attempt,
            answer.finish or "",
            min(0.0, answer.log_probability),  # sums of rounded logarithms can exceed 0
        )

    def _text(self, answer: Draft) -> str:
        return str(
            self._tokenizer.decode(
                answer.tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False
            )
        )
