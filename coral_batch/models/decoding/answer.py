"""Answers while they are drawn and when they are done: what every engine has in common.

What an answer begins with, which of its numbers draws which token and where it ends is decided
here; an engine brings the logits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from torch import Tensor
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from coral_batch.errors import TooLong
from coral_batch.models.decoding.changes import (
    ATTEMPTS,
    Copy,
    FirstChanges,
    Look,
    Original,
    copy_of,
    dull_tokens,
    is_copy,
)
from coral_batch.models.decoding.fence import FenceTokens
from coral_batch.models.decoding.guessing import Text
from coral_batch.models.prompts.prompt import FENCE
from coral_batch.records.configuration import Knobs
from coral_batch.seeding import derive_seed, generator


@dataclass(frozen=True)
class Unit:
    """Work that is done together: prompts, with one adapter and one set of knobs.

    Attributes:
        name: the caller's name for it, a genome's id; it does not enter the random streams.
        adapter: a PEFT folder; None for the base model alone.
        knobs: how its samples are drawn.
        prompts: problem name -> text to continue, as `prompt.chat_prompt` or `prompt.free_prompt`
            makes it. The answer to one that ends in an opening fence is done when that fence is
            closed.
        originals: problem name -> the program that answers must change, see `changes`; none where
            answers are free.
        read: names of those that are looked at and not answered, each with an original.
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
        seed: seed of its random stream.
        text: what the model wrote, special tokens left out; behind the opening fence when the
            prompt ends in one.
        prompt_tokens: length of the prompt.
        tokens: the answer's tokens, the closing fence and the token that ends it included.
        copied: how many of the first of them were copied from the program and not drawn.
        redrawn: answers that were thrown away before this one since they changed nothing.
        finish: ``fence`` (the prompt's fence was closed), ``eos`` (the model ended its turn or the
            text) or ``length`` (it has as many tokens as it may have).
        log_probability: natural logarithm of the probability that the model itself gives it: at
            temperature 1, over all tokens, without a penalty, and without a condition.
        drawn: tokens that were drawn for it: its own but for what was copied, and those of the
            answers that it was chosen from.
        candidate: which of these it was, from 0.
    """

    problem: str
    index: int
    seed: int
    text: str
    prompt_tokens: int
    tokens: int
    copied: int
    redrawn: int
    finish: str
    log_probability: float
    drawn: int
    candidate: int = 0


@dataclass(frozen=True)
class Drawn:
    """What came of a unit.

    Attributes:
        samples: its answers, by prompt and index.
        looks: of each prompt, where answers had to change its program; else none.
    """

    samples: list[Sample]
    looks: list[Look]

    def ordered(self, prompts: Iterable[str]) -> Drawn:
        """Return it by the order of the prompts' names, and then by index."""
        place = {name: number for number, name in enumerate(prompts)}
        return Drawn(
            sorted(self.samples, key=lambda one: (place[one.problem], one.index)),
            sorted(self.looks, key=lambda one: place[one.problem]),
        )


def likeliest(
    samples: Sequence[Sample], best_of: int, originals: Mapping[str, Original]
) -> list[Sample]:
    """Return the likeliest of each so many samples in a row, the first of equals, renumbered.

    The model's own probability of the whole answer decides, and one that was cut off, which is no
    whole answer, is taken only where all are. Chen et al. 2021, "Evaluating large language models
    trained on code", section 3.3, take the mean of the tokens' logarithms instead, which favours
    longer answers.

    Args:
        samples: by prompt and index.
        best_of: how many stand for one, >= 1.
        originals: prompt -> the program that its answers must change; one that did not is the
            likeliest only where all are like it.
    """

    def worth(one: Sample) -> tuple[bool, bool, float]:
        original = originals.get(one.problem)
        text = one.text.removeprefix(FENCE)
        changes = original is None or not is_copy(original.program, text, original.layout)
        return changes, one.finish != "length", one.log_probability

    chosen = []
    for start in range(0, len(samples), best_of):
        candidates = samples[start : start + best_of]
        at = max(range(len(candidates)), key=lambda at: worth(candidates[at]))
        chosen.append(
            replace(
                candidates[at],
                index=candidates[0].index // best_of,
                drawn=sum(one.drawn for one in candidates),
                candidate=at,
            )
        )
    return chosen


def sample_stream(problem: str, index: int) -> tuple[str, str, int]:
    """Return purpose and ids of a sample's random stream."""
    return "sample", problem, index


@dataclass(frozen=True, eq=False)
class Prompt:
    """A prompt in tokens.

    Attributes:
        name: its name, a problem's or an item's.
        ids: its tokens.
        fenced: it ends in an opened fence, whose end ends the answer.
        copy: the answer that leaves its program as it is; None where no program is given.
        length: how many of the copy's first tokens an answer may have.
        limit: how many tokens an answer may have.
    """

    name: str
    ids: list[int]
    fenced: bool
    copy: Copy | None
    length: int
    limit: int

    @property
    def read(self) -> list[int]:
        """The tokens that are read before anything is drawn: its own, and all but one of the copy.

        What may stand behind the copy's last token is of no interest, nor is that token.
        """
        return self.ids if self.copy is None else [*self.ids, *self.copy.tokens[: self.length - 1]]


@dataclass
class Draft:
    """An answer that is being drawn.

    Attributes:
        prompt: what it answers.
        index: its number among the prompt's, from 0.
        knobs: how it is drawn.
        seed: seed of its random stream.
        uniforms: a number in [0, 1) for each token that it may have, in their order.
        change: a number in [0, 1) for its first change.
        attempt: how many answers were thrown away before it.
        text: its tokens behind the prompt's.
        tokens: what it has so far.
        copied: how many of them were copied.
        backticks: how many the text ends with.
        finish: why it is done, as in `Sample`; None while it is not.
        log_probability: as in `Sample`, of what it has so far.
    """

    prompt: Prompt
    index: int
    knobs: Knobs
    seed: int
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
        """Tokens that were read: all but the last one drawn."""
        return len(self.prompt.ids) + len(self.tokens) - 1


class Writing:
    """Begins answers, lets them go on, and sees where they end."""

    def __init__(
        self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, context: int
    ) -> None:
        """Prepare for a model.

        Args:
            model: what draws.
            tokenizer: the model's own.
            context: tokens it attends to, prompt and answer together.
        """
        self._tokenizer, self._context = tokenizer, context
        self._dull = cache(partial(dull_tokens, tokenizer))
        self._fence = FenceTokens(tokenizer)
        ends = model.generation_config.eos_token_id
        # Adapters are trained to end with the tokenizer's, which a checkpoint may not list.
        self._ends = frozenset(
            [*(ends if isinstance(ends, list) else [ends]), tokenizer.eos_token_id]
        )

    def encode(
        self, max_new_tokens: int, name: str, text: str, original: Original | None
    ) -> Prompt:
        """Return a prompt in tokens, with the copy of the program that answers must change.

        An answer may have `max_new_tokens`, or more where `Original.limit` says so.

        Raises:
            TooLong: the prompt and its longest answer do not fit the model.
        """
        ids: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        copy, length, limit = None, 0, max_new_tokens
        if original is not None:
            copy = copy_of(self._tokenizer, text, original)
            limit = original.limit(len(copy.tokens), max_new_tokens)
            length = self._length(copy.tokens[:limit])
        if len(ids) + limit > self._context:
            raise TooLong(
                f"the prompt of {name} and its answer do not fit the base model",
                field="max_new_tokens",
                found=limit,
                expected=f"at most {self._context - len(ids)}: the prompt has {len(ids)} "
                f"tokens and the model attends to {self._context}",
            )
        return Prompt(name, ids, text.endswith(FENCE), copy, length, limit)

    def _length(self, tokens: Sequence[int]) -> int:
        """Return how many of these tokens an answer inside a fence has before it ends."""
        backticks = 0
        for count, token in enumerate(tokens, start=1):
            backticks = self._fence.run(backticks, token)
            if backticks == FenceTokens.CLOSED or token in self._ends:
                return count
        return len(tokens)

    def begin(self, prompt: Prompt, index: int, knobs: Knobs, seed: int, attempt: int = 0) -> Draft:
        """Return an answer of no token, `seed` being the run's."""
        stream = sample_stream(prompt.name, index)
        again = (attempt,) if attempt else ()
        *uniforms, change = generator(seed, *stream, *again).random(prompt.limit + 1).tolist()
        return Draft(
            prompt,
            index,
            knobs,
            derive_seed(seed, *stream),
            uniforms,
            change,
            attempt,
            Text(prompt.ids),
        )

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
            logits: (length, vocabulary) logits, those before each token of the copy.
            stays: what `first_look` returns of them.
            knobs: how its answers are drawn.
            samples: how many there are.
        """
        copy = prompt.copy
        assert copy is not None
        # To find the dull tokens takes a second, which no draw at a temperature needs.
        dull = self._dull(logits.shape[1], copy.layout) if knobs.temperature == 0 else None
        return FirstChanges(copy, prompt.ids, logits, stays, knobs, dull, samples * ATTEMPTS)

    def change(self, answer: Draft, changes: FirstChanges, samples: int) -> None:
        """Let an answer of no token copy its program up to its first change, and make that.

        Greedy answers to a prompt take turns at the most likely first changes.
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
        """Say whether an answer that is done had to change its program, did not, and may retry."""
        copy = answer.prompt.copy
        if copy is None or answer.attempt + 1 == ATTEMPTS:
            return False
        return is_copy(copy.program, self._text(answer), copy.layout)

    def take(self, answer: Draft, token: int, log_probability: float) -> None:
        """Let an answer go on with `token`, which the model gives a probability."""
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
        """Return an answer that is done."""
        text = self._text(answer)
        return Sample(
            answer.prompt.name,
            answer.index,
            answer.seed,
            FENCE + text if answer.prompt.fenced else text,
            len(answer.prompt.ids),
            len(answer.tokens),
            answer.copied,
            answer.attempt,
            answer.finish or "",
            min(0.0, answer.log_probability),  # which sums of rounded logarithms can exceed
            len(answer.tokens) - answer.copied,
        )

    def _text(self, answer: Draft) -> str:
        return str(
            self._tokenizer.decode(
                answer.tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False
            )
        )
