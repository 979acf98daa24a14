"""Answers while they are drawn and when they are done: what every engine has in common.

What an answer begins with, which of its numbers draws which token and where it ends is decided
here; an engine brings the logits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from transformers import PreTrainedModel, PreTrainedTokenizerBase

from coral_batch.errors import CoralError
from coral_batch.models.decoding.fence import FenceTokens
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
        prompts: names of the prompts to answer, at least one; None for all.
    """

    name: str
    adapter: Path | None
    knobs: Knobs
    prompts: tuple[str, ...] | None = None


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
        tokens: tokens drawn, the closing fence and the token that ends the answer included.
        finish: ``fence`` (the prompt's fence was closed), ``eos`` (the model ended its turn or the
            text) or ``length`` (`max_new_tokens` were drawn).
    """

    problem: str
    index: int
    seed: int
    text: str
    prompt_tokens: int
    tokens: int
    finish: str


def sample_stream(problem: str, index: int) -> tuple[str, str, int]:
    """Return purpose and ids of a sample's random stream."""
    return "sample", problem, index


@dataclass(frozen=True)
class Prompt:
    """A prompt in tokens.

    Attributes:
        name: its name, a problem's or an item's.
        ids: its tokens.
        fenced: it ends in an opened fence, whose end ends the answer.
    """

    name: str
    ids: list[int]
    fenced: bool


@dataclass
class Answer:
    """An answer that is being drawn.

    Attributes:
        prompt: what it answers.
        index: its number among the prompt's, from 0.
        knobs: how it is drawn.
        seed: seed of its random stream.
        uniforms: a number in [0, 1) for each token that it may have, in their order.
        seen: its distinct tokens, the prompt's included.
        tokens: what was drawn so far.
        backticks: how many the text ends with.
        finish: why it is done, as in `Sample`; None while it is not.
    """

    prompt: Prompt
    index: int
    knobs: Knobs
    seed: int
    uniforms: list[float]
    seen: dict[int, None]
    tokens: list[int] = field(default_factory=list)
    backticks: int = 0
    finish: str | None = None


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
        self._fence = FenceTokens(tokenizer)
        ends = model.generation_config.eos_token_id
        # Adapters are trained to end with the tokenizer's, which a checkpoint may not list.
        self._ends = frozenset(
            [*(ends if isinstance(ends, list) else [ends]), tokenizer.eos_token_id]
        )

    def encode(self, name: str, text: str, max_new_tokens: int) -> Prompt:
        """Return a prompt in tokens.

        Raises:
            CoralError: it and an answer of that length do not fit the model.
        """
        ids: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        if len(ids) + max_new_tokens > self._context:
            raise CoralError(
                f"the prompt of {name} and its answer do not fit the base model",
                field="sampling.max_new_tokens",
                found=max_new_tokens,
                expected=f"at most {self._context - len(ids)}: the prompt has {len(ids)} "
                f"tokens and the model attends to {self._context}",
            )
        return Prompt(name, ids, text.endswith(FENCE))

    def begin(
        self, prompt: Prompt, index: int, knobs: Knobs, seed: int, max_new_tokens: int
    ) -> Answer:
        """Return an answer of no token, `seed` being the run's."""
        stream = sample_stream(prompt.name, index)
        return Answer(
            prompt,
            index,
            knobs,
            derive_seed(seed, *stream),
            generator(seed, *stream).random(max_new_tokens).tolist(),
            dict.fromkeys(prompt.ids),
        )

    def take(self, answer: Answer, token: int) -> None:
        """Let an answer go on with `token`."""
        answer.tokens.append(token)
        answer.seen[token] = None
        if answer.prompt.fenced:
            answer.backticks = self._fence.run(answer.backticks, token)
        if answer.backticks == FenceTokens.CLOSED:
            answer.finish = "fence"
        elif token in self._ends:
            answer.finish = "eos"
        elif len(answer.tokens) == len(answer.uniforms):
            answer.finish = "length"

    def sample(self, answer: Answer) -> Sample:
        """Return an answer that is done."""
        text = str(
            self._tokenizer.decode(
                answer.tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False
            )
        )
        return Sample(
            answer.prompt.name,
            answer.index,
            answer.seed,
            FENCE + text if answer.prompt.fenced else text,
            len(answer.prompt.ids),
            len(answer.tokens),
            answer.finish or "",
        )
