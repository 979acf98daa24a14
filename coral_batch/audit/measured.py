"""What was measured, in the place of what measures it: recorded adapters, answers and verdicts.

Each class here stands where a stage has training, decoding or the jail. Rows are found by their
key; where only keys were changed, by their place.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from coral_batch import lake
from coral_batch.audit.comparison import only_renamed
from coral_batch.audit.recorded import Key, Recorded, Row
from coral_batch.lake import seals
from coral_batch.lake.schemas import row_key, validator
from coral_batch.lake.store import key_of
from coral_batch.models.base.checkpoint import load_tokenizer, read_card
from coral_batch.models.decoding.drawing import Drawing, Work
from coral_batch.models.decoding.engine import Sample, sample_stream
from coral_batch.models.prompts.examples import examples_sha256
from coral_batch.models.training.obtain import Adapter, Wanted
from coral_batch.models.training.training import TrainingCurve
from coral_batch.records.example import Example
from coral_batch.records.items import Dropped, Item, ItemTests
from coral_batch.records.rows import REFERENCE, DurationRow
from coral_batch.records.settings import Automata, Calibration, Training
from coral_batch.records.verdict import Kind, Program, Verdict
from coral_batch.seeding import derive_seed
from coral_batch.verdicts.cases import test_names

_UNTRAINED = TrainingCurve((), (), (), False)


def found_by(
    recorded: Recorded, table: str, part: str | None, expected: Sequence[Key]
) -> dict[Key, Row]:
    """Return the recorded row of each key of a table that has one."""
    columns = seals.key_columns(validator(lake.SCHEMAS.get(table, table)).schema)
    rows = recorded.raw(table, part)
    keys = [row_key(row, columns) for row in rows]
    if only_renamed(keys, expected):
        return dict(zip(expected, rows, strict=True))
    return dict(zip(keys, rows, strict=True))


class RecordedAdapters:
    """Stands for `coral_batch.models.training.obtain.obtain_adapters`."""

    def __init__(self, recorded: Recorded, part: str) -> None:
        self._recorded = recorded
        self._part = part

    def __call__(
        self,
        base: Path,
        examples: Sequence[Example],
        wanted: Iterable[Wanted],
        training: Training,
        *_: object,
    ) -> dict[Wanted, Adapter]:
        common = {
            "base": read_card(base).sha256,
            "examples": examples_sha256(examples),
            "training": lake.plain(training),
        }
        distinct = list(dict.fromkeys(wanted))
        place = ("adapter_cards", self._part)
        cards = self._recorded.attempt(place, lambda: lake.read_raw(*place))
        by_asked = {_asked(card["determinants"]): card for card in reversed(cards)}
        adapters = {}
        for number, (configuration, seed) in enumerate(distinct):
            known = {**common, "configuration": lake.plain(configuration), "seed": seed}
            card = by_asked.get(_asked(known))
            if card is None and len(cards) == len(distinct):
                card = cards[number]
            adapters[configuration, seed] = _adapter(card, known)
        return adapters


def _adapter(card: Row | None, known: dict[str, Any]) -> Adapter:
    if card is None:
        return Adapter(key_of(known), known, Path(), {}, _UNTRAINED, False, 0.0)
    schema = validator("adapter_cards").schema
    determinants = {**card["determinants"], **known}
    broken = seals.broken("adapter_cards", schema, [card["key"]], card)
    # With all columns broken, the key that they are sealed with is what was changed. Where the
    # determinants are not those of the lake, they are named, and not the key as well.
    same = key_of(card["determinants"]) == card["key"]
    key = card["key"] if same or broken == ["determinants"] else key_of(determinants)
    return Adapter(key, determinants, Path(), card["files"], _UNTRAINED, False, 0.0)


def _asked(determinants: Mapping[str, Any]) -> str:
    return json.dumps([determinants.get("seed"), determinants.get("configuration")], sort_keys=True)


class RecordedAnswers:
    """Stands for `coral_batch.models.decoding.drawing.draw`.

    Args:
        recorded: the lake.
        table: `samples` or `linteval_samples`.
        part: its part.
    """

    def __init__(self, recorded: Recorded, table: str, part: str) -> None:
        self._recorded = recorded
        self._table = table
        self._part = part

    def __call__(
        self, works: Sequence[Work], drawing: Drawing, base: Path, *_: object, **__: object
    ) -> tuple[list[list[Sample]], list[DurationRow]]:
        tokenizer = load_tokenizer(base)
        names = [
            [
                (work.name, prompt, index)
                for prompt in work.prompts
                for index in range(drawing.samples)
            ]
            for work in works
        ]
        keys = [self._key(name) for names_ in names for name in names_]
        rows = found_by(self._recorded, self._table, self._part, keys)
        lengths = {
            name: len(tokenizer(prompt, add_special_tokens=False)["input_ids"])
            for work in works
            for name, prompt in work.prompts.items()
        }
        answers = [
            [
                self._sample(name, lengths[name[1]], drawing.seed, rows.get(self._key(name)))
                for name in names_
            ]
            for names_ in names
        ]
        return answers, [DurationRow(work.name, 0.0, False) for work in works]

    def _key(self, name: tuple[str, str, int]) -> Key:
        """Return the key of an answer's row; CodeLinterEval's has no genome, and numbers items."""
        return name if self._table == "samples" else (int(name[1]), name[2])

    @staticmethod
    def _sample(name: tuple[str, str, int], length: int, seed: int, row: Row | None) -> Sample:
        _, prompt, index = name
        drawn = row or {"raw": "", "new_tokens": 0, "finish": "eos"}
        own = derive_seed(seed, *sample_stream(prompt, index))
        return Sample(
            prompt, index, own, drawn["raw"], length, drawn["new_tokens"], drawn["finish"]
        )


class RecordedVerdicts:
    """Stands for `coral_batch.verdicts`, the jail.

    Args:
        recorded: the lake.
        table: `verdicts` or `linteval_verdicts`.
        part: its part.
    """

    def __init__(self, recorded: Recorded, table: str, part: str) -> None:
        self._recorded = recorded
        self._table = table
        self._part = part

    def judge(self, programs: Sequence[Program], *_: object, **__: object) -> list[list[Verdict]]:
        tests = [tests_of(program) for program in programs]
        keys = [
            (*_name(program), case)
            for program, names in zip(programs, tests, strict=True)
            for case in range(len(names))
        ]
        own = [key for key in keys if key[0] != REFERENCE]
        rows = found_by(self._recorded, self._table, self._part, own)
        return [
            [
                _verdict(case, test, rows.get((*_name(program), case)), program)
                for case, test in enumerate(names)
            ]
            for program, names in zip(programs, tests, strict=True)
        ]

    def layers_in_force(self, _: object) -> tuple[str, ...]:
        """Return none: the layers are measured, and sealed in each row."""
        return ()


def _name(program: Program) -> Key:
    """Return the key that a program's name stands for."""
    *words, number = program.id.split("/")
    return (*(int(word) if word.isdecimal() else word for word in words), int(number))


def _verdict(case: int, test: str | None, row: Row | None, program: Program) -> Verdict:
    of_reference = program.id.startswith(f"{REFERENCE}/")
    kind: Kind = "PASS" if of_reference else "ERROR" if row is None else row["kind"]
    return Verdict(case, test, kind, "" if row is None else row["detail"], 0.0, 0.0)


def tests_of(program: Program) -> list[str | None]:
    """Return the name of the test of each case; None for a JSON case."""
    if program.cases:
        return [None] * len(program.cases)
    return list(test_names(program))


class RecordedDrops:
    """Stands for the jail where items are built: fails those programs which failed then.

    These are the dropped ones, and those of which no item or tests are there either: so a row that
    is missing is missed in its own table.
    """

    def __init__(
        self, items: Sequence[Item], tests: Sequence[ItemTests], dropped: Sequence[Dropped]
    ) -> None:
        self._reasons = {drop.source: drop.reason for drop in dropped}
        self._sources = {one.source for one in tests}
        self._codes = {item.inputs.code for item in items}

    def judge(self, programs: Sequence[Program], *_: object, **__: object) -> list[list[Verdict]]:
        # All programs as they are, then all of them in canonical form.
        half = len(programs) // 2
        failed = {
            one.id
            for one in programs[:half]
            if one.id in self._reasons
            or (one.id not in self._sources and one.code not in self._codes)
        }
        canonical = "canonical_fails"
        return [
            [Verdict(0, None, "FAIL", "", 0.0, 0.0)]
            if one.id in failed and (self._reasons.get(one.id) == canonical) == (number >= half)
            else []
            for number, one in enumerate(programs)
        ]


class RecordedCalibration:
    """Stands for `coral_batch.search.mapping.mapping.calibrate`."""

    def __init__(self, recorded: Recorded) -> None:
        self._recorded = recorded

    def __call__(self, _: Automata, calibration: Calibration, __: int) -> RecordedCalibration:
        self._bins = calibration.bins
        return self

    def to_plain(self) -> dict[str, Any]:
        """Return the document, with the bins that params.yaml asks for."""
        return {**self._recorded.document("calibration", dict), "bins": self._bins}
