"""The decoding engine: many samples of many genomes in one batch over one base model.

A fixed number of rows decodes together; when a row finishes, the next sample takes it. Each prompt
is prefilled once per adapter, whatever the knobs of the genomes that share it, and its KV cache is
copied to all their samples. The layers below all adapters process it once for all genomes. If
answers must change a program, prefill includes the program's copy, and each sample begins with its
own part of it (see `changes`). A sample that changed nothing is retried in its row. Rows of
different genomes share each pass over the base weights (see `linear`).

Idle rows of a matrix product do speculative decoding: guesses of a sample's next
tokens (see `guessing`) are processed in the same step, and each correct guess saves a step. Guesses
never affect which token is sampled: each comes from its own logits with its own random number.

A sample depends on the base, its adapter, prompt, knobs and seed, the machine and the engine's
settings, never on the other samples: every matrix product of a step has the same shape, however
many rows are live. So stored samples stay valid when others are sampled with them.

The engine decodes on one device.
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
from coral_batch.work.progress import progress


class Engine:
    """Decodes with one base model; see the module's docstring.

    Attributes:
        tokenizer: the model's own.
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
        """Take over the model: its linear layers are replaced in place.

        `rows`, `adapters`, `rank` and torch's number of threads affect samples through rounding.

        Args:
            model: a causal language model with full attention in every layer.
            tokenizer: the model's own.
            rows: samples decoded together, >= 1.
            adapters: adapters applied together, >= 1.
            rank: maximum rank of an adapter, >= 1.
        """
        self.tokenizer = tokenizer
        self.decoder = Decoder(model.eval(), rows=rows, adapters=adapters, rank=rank)
        self.writing = Writing(model, tokenizer, self.decoder.context)

    def generate(
        self, units: Sequence[Unit], *, samples: int, max_new_tokens: int, seed: int
    ) -> Iterator[tuple[Unit, Drawn]]:
        """Sample `samples` answers to every prompt of every unit.

        Args:
            units: the units.
            samples: answers per prompt, >= 1.
            max_new_tokens: maximum tokens of an answer, >= 1; see `Writing.encode`.
            seed: the run's seed. Sample i of a problem uses the seed for ``("sample", problem,
                i)``, and for ``("sample", problem, i, n)`` after n retries.

        Yields:
            Each unit with its samples, in the order of its prompts and then by index, and its
            looks, as soon as the last of them is finished.

        Raises:
            CoralError: a prompt and its answer exceed the context length, or an adapter cannot be
                used.
        """
        found = [Drawn([], []) for _ in units]
        left = [
            samples * (len(unit.prompts) - len(unit.read))
            + len(unit.prompts.keys() & unit.originals.keys())
            for unit in units
        ]
        results = self.results(units, samples=samples, max_new_tokens=max_new_tokens, seed=seed)
        for number, one in progress(results, "prompts and answers", sum(left), units="done"):
            unit, drawn = units[number], found[number]
            if isinstance(one, Look):
                drawn.looks.append(one)
            else:
                drawn.samples.append(one)
            left[number] -= 1
            if not left[number]:
                yield unit, drawn.ordered(unit.prompts)

    @torch.inference_mode()
    def results(
        self, units: Sequence[Unit], *, samples: int, max_new_tokens: int, seed: int
    ) -> Generator[tuple[int, Sample | Look], None, None]:
        """Sample like `generate`, and yield each look and sample once finished, with its unit.

        Args:
            units: as in `generate`.
            samples: as in `generate`.
            max_new_tokens: as in `generate`.
            seed: as in `generate`.

        Raises:
            CoralError: as in `generate`.
        """
        yield from _Call(self, units, samples, max_new_tokens, seed).results()


@dataclass
class _Reading:
    """A prompt with an adapter, shared by all units with both.

    Attributes:
        prompt: the prompt.
        adapter: the adapter's folder; None for the base model without adapter.
        units: the numbers of the units.
        waiting: the samples not yet begun: unit's number and index.
        first: after prefill, how the samples of each unit begin: the (1, vocabulary) logits of a
            first token, or the first changes of the copy.
        cache: KV cache of the prompt and of the program's copy; None before prefill, and once all
            samples have begun.
    """

    prompt: Prompt
    adapter: Path | None
    units: list[int] = field(default_factory=list)
    waiting: deque[tuple[int, int]] = field(default_factory=deque)
    first: dict[int, Tensor | FirstChanges] = field(default_factory=dict)
    cache: DynamicCache | None = None


@dataclass
class _Row:
    """A sample in progress, its unit's number and its reading."""

    answer: Draft
    unit: int
    reading: _Reading


class _Call:
    """The state of one call of `Engine.results`."""

    def __init__(
        self,
        engine: Engine,
        units: Sequence[Unit],
        samples: int,
        max_new_tokens: int,
        seed: int,
    ) -> None:
        self._decoder, self._writing = engine.decoder, engine.writing
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
        """Return the prompts to prefill, adapter by adapter."""
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
        """Yield each look and sample once finished, with its unit's number."""
        try:
            while self._waiting or self._live:
                yield from self._admit()
                if self._live:
                    self._step()
                yield from self._given()
        finally:
            for slot in range(self._decoder.adapters):
                self._decoder.clear_adapter(slot)
            self._decoder.forget()

    def _given(self) -> Iterator[tuple[int, Sample | Look]]:
        yield from self._done
        self._done.clear()

    def _admit(self) -> Iterator[tuple[int, Sample | Look]]:
        """Begin samples while rows are free; yield the looks at their prompts at once."""
        while self._waiting and len(self._live) < self._decoder.rows:
            reading = self._waiting[0]
            if reading.cache is None:
                if not self._enter(reading.adapter):
                    return
                self._read(reading)
                yield from self._given()
            if reading.waiting:
                row = self._begin(reading, *reading.waiting.popleft(), 0)
                if row.answer.finish:
                    self._finish(row)
                else:
                    self._fill(len(self._live), row)
                    self._live.append(row)
            if not reading.waiting:
                # Retries are rare, so prefilling a prompt again is cheaper than keeping the caches
                # of all prompts.
                reading.cache = None
                self._waiting.popleft()
                self._leave(reading.adapter)

    def _enter(self, adapter: Path | None) -> bool:
        """Put an adapter into a slot if it is in none; return whether it is in one."""
        if adapter is not None and adapter not in self._slots:
            if not self._free:
                return False
            self._slots[adapter] = self._free.pop(0)
            self._decoder.put_adapter(self._slots[adapter], adapter)
        return True

    def _finish(self, row: _Row) -> None:
        """Yield a finished sample."""
        self._done.append((row.unit, self._writing.sample(row.answer)))
        self._leave(row.reading.adapter)

    def _leave(self, adapter: Path | None) -> None:
        """Count finished work of an adapter; empty its slot if nothing is left."""
        self._left[adapter] -= 1
        if adapter is not None and not self._left[adapter]:
            slot = self._slots.pop(adapter)
            self._decoder.clear_adapter(slot)
            self._free.append(slot)

    def _read(self, reading: _Reading) -> None:
        """Prefill a prompt, and the program in it that answers must change."""
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
        return self._decoder.prefill(ids, slot, keep, again=again)

    def _begin(self, reading: _Reading, unit: int, index: int, attempt: int) -> _Row:
        """Begin a sample with its first token or change; retry if it then changes nothing."""
        knobs, first = self._units[unit].knobs, reading.first[unit]
        while True:
            answer = self._writing.begin(reading.prompt, index, knobs, self._seed, attempt)
            if isinstance(first, Tensor):
                self._writing.take(answer, *self._draw([(answer, [])], first)[0])
            else:
                self._writing.change(answer, first, self._samples)
            if not answer.finish or not self._writing.failed(answer):
                return _Row(answer, unit, reading)
            attempt += 1

    def _fill(self, place: int, row: _Row) -> None:
        """Copy the KV cache of a begun sample into the row at `place`."""
        held = row.reading.cache
        if held is None:
            held, _ = self._prefill(row.reading, 1)
        if self._rows is None:
            self._rows = RowCache(self._decoder.rows, self._capacity, like=held)
        self._rows.fill(place, held, row.answer.length)

    def _step(self) -> None:
        """Sample at least one token per live row; yield finished samples and free their rows."""
        live, rows = self._live, self._rows
        assert rows is not None  # a row that lives was filled
        answers = [row.answer for row in live]
        lines, longest = len(live), max(answer.length for answer in answers)
        ahead = min(AHEAD, self._decoder.context - 1 - longest)
        room = lines + -lines % self._decoder.block
        busy = min(room, lines * (1 + ahead))
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
        drawn = self._draw([(answer, guess) for answer, guess, _ in reading], logits)
        for place, answer in enumerate(answers):
            # The row that reads ahead is valid if this token equals the one it processed.
            for at, guessed in zip(
                range(place, busy, lines), [*guesses[place], None], strict=False
            ):
                self._writing.take(answer, *drawn[at])
                if answer.finish or drawn[at][0] != guessed:
                    break
        for place, row in enumerate(live):
            answer = row.answer
            if answer.finish and self._writing.failed(answer):
                live[place] = again = self._begin(
                    row.reading, row.unit, answer.index, answer.attempt + 1
                )
                # Up to its change, the previous answer was a copy of the same program.
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
        """Sample the next token of each row, assuming that the guesses before it are right.

        Returns:
            Token and log-probability of each, as in `next_tokens`.
        """
        tokens, logs = next_tokens(
            logits,
            [answer.knobs for answer, _ in rows],
            [[*answer.text.tokens, *guess] for answer, guess in rows],
            # Beyond the token limit, nothing is used, so any random number will do.
            [
                answer.uniforms[min(len(answer.tokens) + len(guess), len(answer.uniforms) - 1)]
                for answer, guess in rows
            ],
        )
        return list(zip(tokens, logs, strict=True))
