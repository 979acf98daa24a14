"""The decoding engine: many samples of many genomes in one batch over one base model.

A fixed number of rows decodes together; a row that finishes is given to the next sample at once.
Each prompt is prefilled once for an adapter, whatever the knobs of the genomes that share it, and
its keys and values are copied to their samples of it; the layers below all adapters read it once
for all genomes. Where answers must change a program, the pass reads the program's copy as well, and
each sample begins with its own part of it (see `changes`); one that changed nothing is drawn again
in its row. Rows of different genomes share each pass over the base weights (see `linear`).

When fewer samples are left than rows, idle rows read ahead: a guess of a sample's next tokens
(see `guessing`) is read in the same step, and each token that is then drawn where the guess had it
saves a step. A guess decides when a token is drawn, never which: every token is drawn from its own
logits with its own random number.

A sample is a function of the base, its adapter, its prompt, its knobs, its stream, the machine
and the engine's own settings, never of the other samples: every matrix product of a step has the
same shape however many rows are alive. That is what lets a stored sample stand for one drawn again
in other company.

The engine neither trains nor merges, and it does not extract code. It decodes on one device.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor
from transformers import (
    DynamicCache,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from coral_batch.models.decoding.answer import (
    Draft,
    Drawn,
    Prompt,
    Sample,
    Unit,
    Writing,
    gathered,
)
from coral_batch.models.decoding.cache import AHEAD
from coral_batch.models.decoding.changes import FirstChanges, Look, Original
from coral_batch.models.decoding.decoder import Decoder
from coral_batch.models.decoding.guessing import Text
from coral_batch.models.decoding.sampling import next_tokens


@dataclass
class Timings:
    """What the engine spent so far, since it was made.

    Attributes:
        prefill_seconds: reading prompts and adapters.
        decode_seconds: drawing tokens.
        prompt_tokens: tokens read.
        shared_tokens: those of them that the layers below all adapters had read before.
        tokens: tokens drawn.
        steps: passes over the base weights; read ahead, a sample gets several tokens in one.
    """

    prefill_seconds: float = 0.0
    decode_seconds: float = 0.0
    prompt_tokens: int = 0
    shared_tokens: int = 0
    tokens: int = 0
    steps: int = 0


@dataclass
class _Begun:
    """A prefilled prompt: what each of its samples begins with.

    Attributes:
        slot: its unit's adapter.
        cache: keys and values of its tokens, and of those of the program's copy; None once all of
            its samples have begun.
        first: the (1, vocabulary) logits of a first token, or the first changes of the copy.
    """

    slot: int
    cache: DynamicCache | None
    first: Tensor | FirstChanges


@dataclass
class _Prompt:
    """A unit's prompt: the samples still to begin and, once prefilled, what they begin with."""

    unit: int
    prompt: Prompt
    waiting: deque[int]
    begun: _Begun | None = None


@dataclass
class _Row:
    """A sample being drawn, its unit's number, what it began with and its text, prompt first."""

    answer: Draft
    unit: int
    begun: _Begun
    text: Text

    @property
    def length(self) -> int:
        """Tokens whose keys and values the row holds: all but the last one drawn."""
        return len(self.answer.prompt.ids) + len(self.answer.tokens) - 1


class Engine:
    """Decodes with one base model; see the module's docstring."""

    def __init__(
        self,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        *,
        rows: int = 64,
        adapters: int = 4,
        rank: int = 16,
    ) -> None:
        """Take the model over: its linear layers are replaced in place.

        `rows`, `adapters`, `rank` and torch's number of threads take part in what determines a
        sample, by way of rounding.

        Args:
            model: a causal language model with full attention in every layer.
            tokenizer: the model's own.
            rows: samples decoded together, >= 1.
            adapters: adapters applied together, >= 1.
            rank: greatest rank of an adapter, >= 1.
        """
        self.tokenizer = tokenizer
        self.timings = Timings()
        self._decoder = Decoder(model.eval(), rows=rows, adapters=adapters, rank=rank)
        self._writing = Writing(model, tokenizer, self._decoder.context)

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
        """Draw `samples` answers to every prompt of every unit.

        Args:
            units: what to draw with.
            prompts: problem name -> text to continue, as `prompt.chat_prompt` or
                `prompt.free_prompt` makes it. The answer to one that ends in an opening fence is
                done when that fence is closed.
            samples: answers a prompt, >= 1.
            max_new_tokens: most tokens of an answer, >= 1; see `Writing.encode`.
            seed: the run's seed; sample i of a problem uses stream ``("sample", problem, i)``, and
                ``("sample", problem, i, n)`` once it was thrown away n times.
            originals: problem name -> the program that answers must change, for units that say so.

        Yields:
            Each unit with its samples, by problem in the order of its prompts and then by index,
            and its looks, as soon as its last sample is done.

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
        """Draw as `generate` does, and yield each look and sample, as it is done, with its unit.

        Args:
            units: as there, like all others.
            prompts: likewise.
            samples: likewise.
            max_new_tokens: likewise.
            seed: likewise.
            originals: likewise.

        Raises:
            CoralError: as there.
        """
        encoded = self._writing.encode(prompts, originals, max_new_tokens)
        names = [tuple(encoded) if unit.prompts is None else unit.prompts for unit in units]
        waiting = deque(
            _Prompt(
                number, encoded[name].asked(units[number], max_new_tokens), deque(range(samples))
            )
            for number, name in _in_turn(units, names, tuple(encoded))
        )
        left = [samples * len(one) for one in names]
        looks: list[tuple[int, Look]] = []
        live: list[_Row] = []
        longest = max(len(prompt.ids) + prompt.limit for prompt in encoded.values())
        pairs = [(unit, name) for unit, own in zip(units, names, strict=True) for name in own]
        readers = Counter((name, unit.change) for unit, name in pairs)
        alike = Counter((unit.adapter, name, unit.change) for unit, name in pairs)
        common = _Common(units, samples, seed, readers, alike)
        self._decoder.reserve(longest + AHEAD)
        slots = _AdapterSlots(self._decoder)
        try:
            while waiting or live:
                finished = self._admit(common, waiting, live, slots, looks)
                yield from looks
                looks.clear()
                finished += self._step(common, live) if live else []
                for row in finished:
                    left[row.unit] -= 1
                    if not left[row.unit]:
                        slots.leave(units[row.unit], row.unit)
                for row in finished:
                    yield row.unit, self._writing.sample(row.answer)
        finally:
            slots.close()
            self._decoder.release()

    def _admit(
        self,
        common: _Common,
        waiting: deque[_Prompt],
        live: list[_Row],
        slots: _AdapterSlots,
        looks: list[tuple[int, Look]],
    ) -> list[_Row]:
        """Begin samples while rows are free; return those that are done at once, add the looks."""
        start = time.perf_counter()
        finished = []
        while waiting and len(live) < self._decoder.rows:
            prompt = waiting[0]
            unit = common.units[prompt.unit]
            if prompt.begun is None:
                slot = slots.enter(unit, prompt.unit)
                if slot is None:
                    break
                prompt.begun, look = self._read(common, prompt.prompt, unit, slot)
                if look is not None:
                    looks.append((prompt.unit, look))
            index = prompt.waiting.popleft()
            row = self._begin(common, prompt.prompt, prompt.unit, prompt.begun, index, 0)
            if row.answer.finish:
                finished.append(row)
            else:
                self._fill(common, len(live), row)
                live.append(row)
            if not prompt.waiting:
                # Rows that are drawn again are few: to read a prompt again costs less than to keep
                # every prompt that rows have begun with.
                prompt.begun.cache = None
                prompt.begun = None
                waiting.popleft()
        self.timings.prefill_seconds += time.perf_counter() - start
        return finished

    def _read(
        self, common: _Common, prompt: Prompt, unit: Unit, slot: int
    ) -> tuple[_Begun, Look | None]:
        """Read a prompt, and the program in it that answers must change."""
        common.readers[prompt.name, unit.change] -= 1
        key = unit.adapter, prompt.name, unit.change
        common.alike[key] -= 1
        if common.read is None or common.read[0] != key:
            common.read = None
            again = common.readers[prompt.name, unit.change] > common.alike[key]
            common.read = key, *self._prefill(prompt, slot, max(prompt.length, 1), again)
        _, cache, logits = common.read
        if not common.alike[key]:
            common.read = None
        if prompt.copy is None:
            return _Begun(slot, cache, logits), None
        changes, look = self._writing.changes(prompt, logits, unit.knobs, common.samples)
        return _Begun(slot, cache, changes), look

    def _prefill(
        self, prompt: Prompt, slot: int, keep: int, again: bool
    ) -> tuple[DynamicCache, Tensor]:
        found = self._decoder.prefill(prompt.read, slot, keep, again=again)
        self.timings.prompt_tokens += len(prompt.read)
        self.timings.shared_tokens = self._decoder.shared
        return found

    def _begin(
        self, common: _Common, prompt: Prompt, unit: int, begun: _Begun, index: int, attempt: int
    ) -> _Row:
        """Begin a sample with its first token or change; one that then changes nothing, anew."""
        while True:
            answer = self._writing.begin(
                prompt, index, common.units[unit].knobs, common.seed, attempt
            )
            row = _Row(answer, unit, begun, Text(prompt.ids))
            if isinstance(begun.first, Tensor):
                self._take(row, *self._draw([(row, [])], begun.first.clone())[0])
            else:
                self._writing.change(answer, begun.first, common.samples)
                for token in answer.tokens:
                    row.text.append(token)
                self.timings.tokens += 1
            if not answer.finish or not self._writing.failed(answer):
                return row
            attempt += 1

    def _fill(self, common: _Common, place: int, row: _Row) -> None:
        """Put what a sample that has begun was begun with into the row at `place`."""
        cache, prompt = row.begun.cache, row.answer.prompt
        if cache is None:
            again = common.readers[prompt.name, common.units[row.unit].change] > 0
            cache, _ = self._prefill(prompt, row.begun.slot, 1, again)
        self._decoder.fill(place, cache, row.length)

    def _step(self, common: _Common, live: list[_Row]) -> list[_Row]:
        """Draw at least a token of every live row; return the finished and free their places."""
        start = time.perf_counter()
        lines, longest = len(live), max(row.length for row in live)
        ahead = min(AHEAD, self._decoder.context - 1 - longest)
        busy = min(self._decoder.rows, lines * (1 + ahead))
        guesses = [row.text.guess(ahead) if busy > lines else [] for row in live]
        reading = [
            (live[row % lines], guesses[row % lines][: row // lines], row // lines)
            for row in range(busy)
        ]
        logits = self._decoder.step(
            [guess[-1] if guess else row.answer.tokens[-1] for row, guess, _ in reading],
            [row.length + depth for row, _, depth in reading],
            [row.begun.slot for row, _, _ in reading],
            lines,
        )
        drawn = self._draw([(row, guess) for row, guess, _ in reading], logits)
        for place, row in enumerate(live):
            # The row behind holds when this one's token is what it read.
            for at, guessed in zip(
                range(place, busy, lines), [*guesses[place], None], strict=False
            ):
                self._take(row, *drawn[at])
                if row.answer.finish or drawn[at][0] != guessed:
                    break
        for place, row in enumerate(live):
            answer = row.answer
            if answer.finish and self._writing.failed(answer):
                live[place] = again = self._begin(
                    common, answer.prompt, row.unit, row.begun, answer.index, answer.attempt + 1
                )
                # Up to its change the one before was the same program's copy.
                if not again.answer.finish and again.answer.copied > answer.copied:
                    self._fill(common, place, again)
        finished = [row for row in live if row.answer.finish]
        for place in reversed(range(len(live))):
            if live[place].answer.finish:
                last = live.pop()
                if place < len(live):
                    self._decoder.move(len(live), place, last.length)
                    live[place] = last
        self.timings.steps += 1
        self.timings.decode_seconds += time.perf_counter() - start
        return finished

    def _draw(self, rows: list[tuple[_Row, list[int]]], logits: Tensor) -> list[tuple[int, float]]:
        """Draw the next token of each row's sample, were it to go on with the guessed ones.

        Returns:
            Token and log-probability of each, as `next_tokens` has them.
        """
        answers = [(row.answer, guess) for row, guess in rows]
        tokens, logs = next_tokens(
            logits,
            [answer.knobs for answer, _ in answers],
            [
                list(answer.seen | dict.fromkeys(guess))
                if answer.knobs.repetition_penalty != 1
                else []
                for answer, guess in answers
            ],
            # Behind the last token that may be drawn nothing is taken, whatever it is drawn with.
            [
                answer.uniforms[min(len(answer.tokens) + len(guess), len(answer.uniforms) - 1)]
                for answer, guess in answers
            ],
        )
        return list(zip(tokens, logs, strict=True))

    def _take(self, row: _Row, token: int, log_probability: float) -> None:
        """Let a sample go on with `token`, which the model gives a probability."""
        self._writing.take(row.answer, token, log_probability)
        row.text.append(token)
        self.timings.tokens += 1


_Reading = tuple[Path | None, str, bool]
"""A prompt as an adapter reads it: the adapter, the prompt's name, whether with its copy."""


@dataclass
class _Common:
    """What one call of `Engine.generate` asks for, and how far it is.

    Attributes:
        readers: by how many units each prompt is still to be read, asked for a change or not.
        alike: by how many of them with one adapter.
        read: what was read last, its keys and values and its logits, while another unit wants it.
    """

    units: Sequence[Unit]
    samples: int
    seed: int
    readers: Counter[tuple[str, bool]]
    alike: Counter[_Reading]
    read: tuple[_Reading, DynamicCache, Tensor] | None = None


def _in_turn(
    units: Sequence[Unit], names: Sequence[Sequence[str]], prompts: Sequence[str]
) -> list[tuple[int, str]]:
    """Return each unit's number with each of its prompts; with one adapter, prompt by prompt."""
    adapters = [unit.adapter for unit in units]
    order = {name: place for place, name in enumerate(prompts)}
    pairs = [(number, name) for number, own in enumerate(names) for name in own]
    return sorted(pairs, key=lambda pair: (adapters.index(adapters[pair[0]]), order[pair[1]]))


class _AdapterSlots:
    """Which adapter is in which of the decoder's slots; units with one adapter share its slot."""

    def __init__(self, decoder: Decoder) -> None:
        self._decoder = decoder
        self._free = list(range(decoder.adapters))
        self._taken: dict[Path, tuple[int, set[int]]] = {}

    def enter(self, unit: Unit, number: int) -> int | None:
        """Return the slot of the unit's adapter, or None when there is none to be had yet."""
        if unit.adapter is None:
            return self._decoder.adapters
        if unit.adapter not in self._taken:
            if not self._free:
                return None
            slot = self._free.pop(0)
            self._taken[unit.adapter] = (slot, set())
            self._decoder.put_adapter(slot, unit.adapter)
        slot, users = self._taken[unit.adapter]
        users.add(number)
        return slot

    def leave(self, unit: Unit, number: int) -> None:
        """Say that a unit is done."""
        if unit.adapter is None:
            return
        slot, users = self._taken[unit.adapter]
        users.discard(number)
        if not users:
            del self._taken[unit.adapter]
            self._decoder.clear_adapter(slot)
            self._free.append(slot)

    def close(self) -> None:
        """Empty every slot."""
        for slot, _ in self._taken.values():
            self._decoder.clear_adapter(slot)
