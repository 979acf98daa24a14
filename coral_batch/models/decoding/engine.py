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

from collections import Counter, deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

import torch
from torch import Tensor
from transformers import DynamicCache, PreTrainedModel, PreTrainedTokenizerBase

from coral_batch.models.decoding.answer import Draft, Drawn, Prompt, Sample, Unit, Writing
from coral_batch.models.decoding.cache import AHEAD, RowCache
from coral_batch.models.decoding.changes import FirstChanges, Look, first_look
from coral_batch.models.decoding.decoder import Decoder
from coral_batch.models.decoding.sampling import next_tokens


class Engine:
    """Decodes with one base model; see the module's docstring.

    Attributes:
        tokenizer: the model's own.
        counts: what it did since it was made: ``prompt_tokens`` read; ``shared_tokens``, those of
            them that the layers below all adapters had read before; ``tokens`` drawn; ``steps``,
            passes over the base weights, in which a sample that is read ahead gets several tokens.
    """

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
        self.counts: Counter[str] = Counter()
        self.decoder = Decoder(model.eval(), rows=rows, adapters=adapters, rank=rank)
        self.writing = Writing(model, tokenizer, self.decoder.context)

    def generate(
        self, units: Sequence[Unit], *, samples: int, max_new_tokens: int, seed: int
    ) -> Iterator[tuple[Unit, Drawn]]:
        """Draw `samples` answers to every prompt of every unit.

        Args:
            units: what to draw with.
            samples: answers a prompt, >= 1.
            max_new_tokens: most tokens of an answer, >= 1; see `Writing.encode`.
            seed: the run's seed; sample i of a problem uses stream ``("sample", problem, i)``, and
                ``("sample", problem, i, n)`` once it was thrown away n times.

        Yields:
            Each unit with its samples, by problem in the order of its prompts and then by index,
            and its looks, as soon as the last of them is done.

        Raises:
            CoralError: a prompt and its answer do not fit the model, or an adapter cannot be used.
        """
        found = [Drawn([], []) for _ in units]
        results = self.results(units, samples=samples, max_new_tokens=max_new_tokens, seed=seed)
        for number, one in results:
            unit, drawn = units[number], found[number]
            if isinstance(one, Look):
                drawn.looks.append(one)
            else:
                drawn.samples.append(one)
            answers = samples * (len(unit.prompts) - len(unit.read))
            looks = len(unit.prompts.keys() & unit.originals.keys())
            if (len(drawn.samples), len(drawn.looks)) == (answers, looks):
                yield unit, drawn.ordered(unit.prompts)

    @torch.inference_mode()
    def results(
        self, units: Sequence[Unit], *, samples: int, max_new_tokens: int, seed: int
    ) -> Generator[tuple[int, Sample | Look], None, None]:
        """Draw as `generate` does, and yield each look and sample, as it is done, with its unit.

        Args:
            units: as there, like all others.
            samples: likewise.
            max_new_tokens: likewise.
            seed: likewise.

        Raises:
            CoralError: as there.
        """
        yield from _Call(self, units, samples, max_new_tokens, seed).results()


@dataclass
class _Reading:
    """A prompt as an adapter reads it, for all units that ask it so.

    Attributes:
        prompt: the prompt.
        adapter: the adapter's folder; None for the base model alone.
        units: the numbers of the units.
        waiting: the samples that have not begun: unit's number and index.
        first: once it is read, what the samples of each unit begin with: the (1, vocabulary) logits
            of a first token, or the first changes of the copy.
        cache: keys and values of its tokens, and of those of the program's copy; None before it is
            read, and once all samples have begun.
    """

    prompt: Prompt
    adapter: Path | None
    units: list[int] = field(default_factory=list)
    waiting: deque[tuple[int, int]] = field(default_factory=deque)
    first: dict[int, Tensor | FirstChanges] = field(default_factory=dict)
    cache: DynamicCache | None = None


@dataclass
class _Row:
    """A sample being drawn, the number of its unit and the reading that it began with."""

    answer: Draft
    unit: int
    reading: _Reading


class _Call:
    """One call of `Engine.results`: what it asks for, and how far it is."""

    def __init__(
        self,
        engine: Engine,
        units: Sequence[Unit],
        samples: int,
        max_new_tokens: int,
        seed: int,
    ) -> None:
        self._decoder, self._writing, self._counts = engine.decoder, engine.writing, engine.counts
        self._units, self._samples, self._seed = units, samples, seed
        self._waiting = deque(self._readings(max_new_tokens))
        self._readers = Counter(reading.prompt for reading in self._waiting)
        self._left: Counter[Path | None] = Counter()
        for reading in self._waiting:
            self._left[reading.adapter] += 1 + len(reading.waiting)
        self._live: list[_Row] = []
        self._done: list[tuple[int, Sample | Look]] = []
        self._free = list(range(self._decoder.adapters))
        self._slots: dict[Path | None, int] = {None: self._decoder.adapters}
        longest = max(len(one.prompt.ids) + one.prompt.limit for one in self._waiting)
        self._capacity = longest + AHEAD
        self._rows: RowCache | None = None

    def _readings(self, max_new_tokens: int) -> list[_Reading]:
        """Return what is to be read, adapter by adapter."""
        encode = cache(partial(self._writing.encode, max_new_tokens))
        adapters = [unit.adapter for unit in self._units]
        order = sorted(range(len(adapters)), key=lambda number: adapters.index(adapters[number]))
        found: dict[tuple[Path | None, Prompt], _Reading] = {}
        for number in order:
            unit = self._units[number]
            for name, text in unit.prompts.items():
                prompt = encode(name, text, unit.originals.get(name))
                reading = found.setdefault((unit.adapter, prompt), _Reading(prompt, unit.adapter))
                reading.units.append(number)
                answers = 0 if name in unit.read else self._samples
                reading.waiting.extend((number, index) for index in range(answers))
        return list(found.values())

    def results(self) -> Iterator[tuple[int, Sample | Look]]:
        """Yield each look and sample, as it is done, with its unit's number."""
        try:
            while self._waiting or self._live:
                self._admit()
                if self._live:
                    self._step()
                yield from self._done
                self._done.clear()
        finally:
            for slot in range(self._decoder.adapters):
                self._decoder.clear_adapter(slot)
            self._decoder.forget()

    def _admit(self) -> None:
        """Begin samples while rows are free."""
        while self._waiting and len(self._live) < self._decoder.rows:
            reading = self._waiting[0]
            if reading.cache is None:
                if not self._enter(reading.adapter):
                    return
                self._read(reading)
            if reading.waiting:
                row = self._begin(reading, *reading.waiting.popleft(), 0)
                if row.answer.finish:
                    self._finish(row)
                else:
                    self._fill(len(self._live), row)
                    self._live.append(row)
            if not reading.waiting:
                # Rows that are drawn again are few: to read a prompt again costs less than to keep
                # every prompt that rows have begun with.
                reading.cache = None
                self._waiting.popleft()
                self._leave(reading.adapter)

    def _enter(self, adapter: Path | None) -> bool:
        """Put an adapter into a slot unless it is in one; say whether it is."""
        if adapter is not None and adapter not in self._slots:
            if not self._free:
                return False
            self._slots[adapter] = self._free.pop(0)
            self._decoder.put_adapter(self._slots[adapter], adapter)
        return True

    def _finish(self, row: _Row) -> None:
        """Hand a sample out."""
        self._done.append((row.unit, self._writing.sample(row.answer)))
        self._leave(row.reading.adapter)

    def _leave(self, adapter: Path | None) -> None:
        """Count what is done with an adapter; empty its slot when nothing is left."""
        self._left[adapter] -= 1
        if adapter is not None and not self._left[adapter]:
            slot = self._slots.pop(adapter)
            self._decoder.clear_adapter(slot)
            self._free.append(slot)

    def _read(self, reading: _Reading) -> None:
        """Read a prompt, and the program in it that answers must change."""
        prompt = reading.prompt
        self._readers[prompt] -= 1
        reading.cache, logits = self._prefill(reading, max(prompt.length, 1))
        answered = dict.fromkeys(number for number, _ in reading.waiting)
        if prompt.copy is None:
            reading.first = dict.fromkeys(answered, logits)
            return
        look, stays = first_look(prompt.name, prompt.copy, logits)
        self._done += [(number, look) for number in reading.units]
        for number in answered:
            knobs = self._units[number].knobs
            changes = self._writing.changes(prompt, logits, stays, knobs, self._samples)
            reading.first[number] = changes

    def _prefill(self, reading: _Reading, keep: int) -> tuple[DynamicCache, Tensor]:
        ids, slot = reading.prompt.read, self._slots[reading.adapter]
        again = self._readers[reading.prompt] > 0
        found = self._decoder.prefill(ids, slot, keep, again=again)
        self._counts["prompt_tokens"] += len(ids)
        self._counts["shared_tokens"] = self._decoder.shared
        return found

    def _begin(self, reading: _Reading, unit: int, index: int, attempt: int) -> _Row:
        """Begin a sample with its first token or change; one that then changes nothing, anew."""
        knobs, first = self._units[unit].knobs, reading.first[unit]
        while True:
            answer = self._writing.begin(reading.prompt, index, knobs, self._seed, attempt)
            if isinstance(first, Tensor):
                self._take(answer, *self._draw([(answer, [])], first)[0])
            else:
                self._writing.change(answer, first, self._samples)
                self._counts["tokens"] += 1
            if not answer.finish or not self._writing.failed(answer):
                return _Row(answer, unit, reading)
            attempt += 1

    def _fill(self, place: int, row: _Row) -> None:
        """Put what a sample that has begun was begun with into the row at `place`."""
        held = row.reading.cache
        if held is None:
            held, _ = self._prefill(row.reading, 1)
        if self._rows is None:
            self._rows = RowCache(self._decoder.rows, self._capacity, like=held)
        self._rows.fill(place, held, row.answer.length)

    def _step(self) -> None:
        """Draw at least a token of every live row; hand out the finished and free their places."""
        live, rows = self._live, self._rows
        assert rows is not None  # a row that lives was filled
        answers = [row.answer for row in live]
        lines, longest = len(live), max(answer.length for answer in answers)
        ahead = min(AHEAD, self._decoder.context - 1 - longest)
        busy = min(self._decoder.rows, lines * (1 + ahead))
        guesses = [answer.text.guess(ahead) if busy > lines else [] for answer in answers]
        reading = [
            (answers[row % lines], guesses[row % lines][: row // lines], row // lines)
            for row in range(busy)
        ]
        logits = self._decoder.step(
            rows,
            [guess[-1] if guess else answer.tokens[-1] for answer, guess, _ in reading],
            [answer.length + depth for answer, _, depth in reading],
            [self._slots[live[row % lines].reading.adapter] for row in range(busy)],
            lines,
        )
        self._counts["steps"] += 1
        drawn = self._draw([(answer, guess) for answer, guess, _ in reading], logits)
        for place, answer in enumerate(answers):
            # The row behind holds when this one's token is what it read.
            for at, guessed in zip(
                range(place, busy, lines), [*guesses[place], None], strict=False
            ):
                self._take(answer, *drawn[at])
                if answer.finish or drawn[at][0] != guessed:
                    break
        for place, row in enumerate(live):
            answer = row.answer
            if answer.finish and self._writing.failed(answer):
                live[place] = again = self._begin(
                    row.reading, row.unit, answer.index, answer.attempt + 1
                )
                # Up to its change the one before was the same program's copy.
                if not again.answer.finish and again.answer.copied > answer.copied:
                    self._fill(place, again)
        for row in live:
            if row.answer.finish:
                self._finish(row)
        for place in reversed(range(len(live))):
            if live[place].answer.finish:
                last = live.pop()
                if place < len(live):
                    rows.move(len(live), place, last.answer.length)
                    live[place] = last

    def _draw(self, rows: list[tuple[Draft, list[int]]], logits: Tensor) -> list[tuple[int, float]]:
        """Draw the next token of each row's sample, were it to go on with the guessed ones.

        Returns:
            Token and log-probability of each, as `next_tokens` has them.
        """
        tokens, logs = next_tokens(
            logits,
            [answer.knobs for answer, _ in rows],
            [[*answer.text.tokens, *guess] for answer, guess in rows],
            # Behind the last token that may be drawn nothing is taken, whatever it is drawn with.
            [
                answer.uniforms[min(len(answer.tokens) + len(guess), len(answer.uniforms) - 1)]
                for answer, guess in rows
            ],
        )
        return list(zip(tokens, logs, strict=True))

    def _take(self, answer: Draft, token: int, log_probability: float) -> None:
        """Let a sample go on with `token`, which the model gives a probability."""
        self._writing.take(answer, token, log_probability)
        self._counts["tokens"] += 1
