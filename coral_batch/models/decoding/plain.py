"""Answers by PEFT and transformers as they are: forward passes over a model that nobody changed.

It is slower than `engine`, and it needs of torch, transformers and PEFT no more than what everybody
uses of them: a way to decode where `engine` does not work. Units come one after the other, and so
do the prompts of a unit; the answers to a prompt are the rows of one batch, which need no padding.
What is drawn from the logits, with which random numbers, and where an answer ends is the same code
as the engine's.

An answer does not depend on other units, prompts or answers: every row takes part in every step of
its batch, done or not, so that how many answers there are decides the shapes, and not what they
say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from peft import PeftModel
from safetensors import SafetensorError
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from coral_batch.errors import CoralError
from coral_batch.models.decoding.answer import Answer, Sample, Unit, Writing
from coral_batch.models.decoding.sampling import next_tokens
from coral_batch.work.progress import Tell, unheard

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
        self._model, self._rows = model.eval(), rows
        context = model.config.get_text_config().max_position_embeddings
        self._writing = Writing(model, tokenizer, context)

    @torch.inference_mode()
    def generate(
        self,
        units: Sequence[Unit],
        prompts: Mapping[str, str],
        *,
        samples: int,
        max_new_tokens: int,
        seed: int,
        tell: Tell = unheard,
    ) -> Iterator[tuple[Unit, list[Sample]]]:
        """Draw `samples` answers to every prompt of every unit, as `Engine.generate` does.

        Raises:
            CoralError: a prompt and its answer do not fit the model, or an adapter cannot be used.
        """
        encoded = {
            name: self._writing.encode(name, text, max_new_tokens) for name, text in prompts.items()
        }
        tell(0.0)
        for unit in units:
            names = tuple(encoded) if unit.prompts is None else unit.prompts
            drawn: list[Sample] = []
            with _adapted(self._model, unit.adapter) as model:
                for name in names:
                    answers = [
                        self._writing.begin(encoded[name], index, unit.knobs, seed, max_new_tokens)
                        for index in range(samples)
                    ]
                    for start in range(0, samples, self._rows):
                        self._draw(model, answers[start : start + self._rows])
                    drawn += [self._writing.sample(answer) for answer in answers]
                    done = len(drawn) / (samples * len(names))
                    tell(done if done < 1 else 0.0)
            yield unit, drawn

    def _draw(self, model: Any, answers: Sequence[Answer]) -> None:
        """Draw some answers to one prompt to their ends."""
        ids, cache = torch.tensor([answer.prompt.ids for answer in answers]), None
        while not all(answer.finish for answer in answers):
            output = model(
                input_ids=ids.to(self._model.device),
                past_key_values=cache,
                use_cache=True,
                logits_to_keep=1,
            )
            cache = output.past_key_values
            tokens = next_tokens(
                output.logits[:, -1],
                [answer.knobs for answer in answers],
                [list(answer.seen) for answer in answers],
                # What a row draws whose answer is done is not taken.
                [(answer.uniforms[len(answer.tokens) :] or [0.0])[0] for answer in answers],
            )
            for answer, token in zip(answers, tokens, strict=True):
                if not answer.finish:
                    self._writing.take(answer, token)
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
