"""Answers by PEFT and transformers as they are: forward passes over a model that nobody changed.

It is slower than `engine`, and it needs of torch, transformers and PEFT no more than what everybody
uses of them: a way to decode where `engine` does not work. Units come one after the other, and so
do the prompts of a unit; the answers to a prompt are the rows of one batch, which need no padding.
What is drawn from the logits, with which random numbers, and where an answer ends is the same code
as the engine's.

An answer does not depend on other units, prompts or answers: every row takes part in every step of
its batch, done or not, so that how many answers there are decides the shapes, and not what they
say. Answers that must change a program (see `changes`) differ in length from the beginning, and are
drawn one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any

import torch
from peft import PeftModel
from safetensors import SafetensorError
from transformers import DynamicCache, PreTrainedModel, PreTrainedTokenizerBase

from coral_batch.errors import CoralError
from coral_batch.models.decoding.answer import (
    Draft,
    Drawn,
    Prompt,
    Sample,
    Unit,
    Writing,
    gathered,
)
from coral_batch.models.decoding.changes import FirstChanges, Look, Original
from coral_batch.models.decoding.sampling import next_tokens
from coral_batch.records.configuration import Knobs

WEIGHTS = "adapter_model.safetensors"


class PlainEngine:
    """Decodes with one base model; see the module's docstring."""

    def __init__(
        self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, *, rows: int = 64
    ) -> None:
        """Take a model, which stays as it is.

        Args:
            model: a causal language model.
            tokenizer: the model's own.
            rows: most answers decoded together, >= 1; it takes part in what determines a sample, by
                way of rounding.
        """
        self.tokenizer = tokenizer
        # Frozen, as an adapter leaves it: torch computes with what is not by other products.
        self._model, self._rows = model.eval().requires_grad_(False), rows
        context = model.config.get_text_config().max_position_embeddings
        self._writing = Writing(model, tokenizer, context)

    def generate(
        self,
        units: Sequence[Unit],
        prompts: Mapping[str, str],
        *,
        samples: int,
        max_new_tokens: int,
        seed: int,
        originals: Mapping[str, Original] | None = None,
    ) -> Iterator[tuple[Unit, Drawn]]:
        """Draw `samples` answers to every prompt of every unit, as `Engine.generate` does.

        Raises:
            CoralError: a prompt and its answer do not fit the model, or an adapter cannot be used.
        """
        results = self.results(
            units,
            prompts,
            samples=samples,
            max_new_tokens=max_new_tokens,
            seed=seed,
            originals=originals,
        )
        yield from gathered(units, tuple(prompts), samples, results)

    @torch.inference_mode()
    def results(
        self,
        units: Sequence[Unit],
        prompts: Mapping[str, str],
        *,
        samples: int,
        max_new_tokens: int,
        seed: int,
        originals: Mapping[str, Original] | None = None,
    ) -> Generator[tuple[int, Sample | Look], None, None]:
        """Yield each look and sample, as it is done, with its unit, as `Engine.results` does.

        Raises:
            CoralError: as there.
        """
        encoded = self._writing.encode(prompts, originals, max_new_tokens)
        for number, unit in enumerate(units):
            names = tuple(encoded) if unit.prompts is None else unit.prompts
            with _adapted(self._model, unit.adapter) as model:
                for name in names:
                    prompt = encoded[name].asked(unit, max_new_tokens)
                    begin = partial(self._writing.begin, prompt, knobs=unit.knobs, seed=seed)
                    if prompt.copy is None:
                        answers = [begin(index) for index in range(samples)]
                        for start in range(0, samples, self._rows):
                            drawn = answers[start : start + self._rows]
                            self._draw(model, drawn)
                            yield from ((number, self._writing.sample(one)) for one in drawn)
                    else:
                        for one in self._change(model, prompt, unit.knobs, begin, samples):
                            yield number, one

    def _change(
        self, model: Any, prompt: Prompt, knobs: Knobs, begin: Callable[..., Draft], samples: int
    ) -> Iterator[Look | Sample]:
        """Draw the answers to a prompt whose program they must change, the look first."""
        read = model(
            input_ids=torch.tensor([prompt.read]).to(self._model.device),
            use_cache=True,
            logits_to_keep=prompt.length,
        )
        changes, look = self._writing.changes(prompt, read.logits[0], knobs, samples)
        yield look
        cache = read.past_key_values
        for index in range(samples):
            answer = self._complete(model, begin(index), changes, cache, samples)
            while self._writing.failed(answer):
                again = begin(index, attempt=answer.attempt + 1)
                answer = self._complete(model, again, changes, cache, samples)
            yield self._writing.sample(answer)

    def _complete(
        self, model: Any, answer: Draft, changes: FirstChanges, read: DynamicCache, samples: int
    ) -> Draft:
        """Draw an answer that begins with a first change to its end."""
        self._writing.change(answer, changes, samples)
        if any(read.is_sliding):
            # Layers with a window have forgotten what stands before it, and cannot go back.
            ids = torch.tensor([[*answer.prompt.ids, *answer.tokens[:-1]]])
            cache = model(
                input_ids=ids.to(self._model.device), use_cache=True, logits_to_keep=1
            ).past_key_values
        else:
            cache = deepcopy(read)
            if surplus := cache.get_seq_length() - len(answer.prompt.ids) - answer.copied:
                cache.crop(-surplus)
        self._draw(model, [answer], cache)
        return answer

    def _draw(
        self, model: Any, answers: Sequence[Draft], cache: DynamicCache | None = None
    ) -> None:
        """Draw some answers to one prompt to their ends.

        Args:
            model: what draws.
            answers: answers of no token; or one that has begun.
            cache: of that one, keys and values of all tokens but the last.
        """
        ids = torch.tensor(
            [answer.prompt.ids if cache is None else answer.tokens[-1:] for answer in answers]
        )
        while not all(answer.finish for answer in answers):
            output = model(
                input_ids=ids.to(self._model.device),
                past_key_values=cache,
                use_cache=True,
                logits_to_keep=1,
            )
            cache = output.past_key_values
            tokens, logs = next_tokens(
                output.logits[:, -1],
                [answer.knobs for answer in answers],
                [list(answer.seen) for answer in answers],
                # What a row draws whose answer is done is not taken.
                [(answer.uniforms[len(answer.tokens) :] or [0.0])[0] for answer in answers],
            )
            for answer, token, log in zip(answers, tokens, logs, strict=True):
                if not answer.finish:
                    self._writing.take(answer, token, log)
            ids = torch.tensor(tokens)[:, None]


@contextmanager
def _adapted(model: PreTrainedModel, folder: Path | None) -> Iterator[Any]:
    """Put the adapter of a PEFT folder on the model inside the block; None for none.

    Raises:
        CoralError: it cannot be read.
    """
    if folder is None:
        yield model
        return
    try:
        # Without its weights PEFT would look for pickled ones, and for the folder's name online.
        if not (folder / WEIGHTS).is_file():
            raise FileNotFoundError(f"there is no {WEIGHTS}")
        adapted = PeftModel.from_pretrained(model, str(folder)).eval()
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        raise CoralError(
            "the adapter cannot be read",
            file=folder,
            found=str(error),
            expected="a PEFT folder with adapter_config.json and adapter_model.safetensors",
        ) from error
    try:
        yield adapted
    finally:
        adapted.unload()
