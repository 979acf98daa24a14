"""What was measured, in the place of what measures it: recorded adapters, answers and verdicts.

Each function here returns what stands where a stage has training, decoding or the jail. Rows are
found by their key; where only keys were changed, by their place.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

from coral_batch import lake
from coral_batch.audit.comparison import only_renamed
from coral_batch.audit.recorded import Key, Recorded, Row
from coral_batch.corpus.injection.counting import HANGS, counted
from coral_batch.corpus.injection.trials import HUNG
from coral_batch.lake import seals
from coral_batch.lake.schemas import row_key, validator
from coral_batch.lake.store import key_of
from coral_batch.models.base.checkpoint import load_tokenizer, read_card
from coral_batch.models.decoding.answer import Drawn, Sample, sample_stream
from coral_batch.models.decoding.changes import Copy, Look, copy_of
from coral_batch.models.decoding.drawing import Drawing, Work
from coral_batch.models.prompts.examples import examples_sha256
from coral_batch.models.training.obtain import Adapter, Wanted
from coral_batch.models.training.training import TrainingCurve
from coral_batch.records.example import Example
from coral_batch.records.items import Dropped, Item, ItemTests
from coral_batch.records.rows import REFERENCE, DurationRow
from coral_batch.records.settings import Automata, Calibration, Training
from coral_batch.records.verdict import Kind, Program, Verdict
from coral_batch.seeding import derive_seed
from coral_batch.verdicts.twins import names_of

Answers = tuple[list[Drawn], list[DurationRow]]

_UNTRAINED = TrainingCurve((), (), (), False)
_NOTHING: Row = {
    "raw": "",
    "new_tokens": 0,
    "copied_tokens": 0,
    "redrawn": 0,
    "finish": "eos",
}
_NO_LOOK: Row = {"unchanged": 0.0, "lines": [], "right": None}


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


def adapters(recorded: Recorded, part: str) -> Callable[..., dict[Wanted, Adapter]]:
    """Return what stands for `coral_batch.models.training.obtain.obtain_adapters`."""

    def obtain(
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
        place = ("adapter_cards", part)
        cards = recorded.attempt(place, lambda: lake.read_raw(*place))
        by_asked = {_asked(card["determinants"]): card for card in reversed(cards)}
        obtained = {}
        for number, (configuration, seed) in enumerate(distinct):
            known = {**common, "configuration": lake.plain(configuration), "seed": seed}
            card = by_asked.get(_asked(known))
            if card is None and len(cards) == len(distinct):
                card = cards[number]
            obtained[configuration, seed] = _adapter(card, known)
        return obtained

    return obtain


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


def answers(recorded: Recorded, table: str, part: str) -> Callable[..., Answers]:
    """Return what stands for `coral_batch.models.decoding.drawing.draw`.

    Args:
        recorded: the lake.
        table: `samples` or `linteval_samples`.
        part: its part.
    """

    def key(work: str, prompt: str, index: int) -> Key:
        """Return the key of an answer's row; CodeLinterEval's has no genome, and numbers items."""
        return (work, prompt, index) if table == "samples" else (int(prompt), index)

    def draw(
        works: Sequence[Work], drawing: Drawing, base: Path, *_: object, **__: object
    ) -> Answers:
        tokenizer = load_tokenizer(base)
        numbers = range(drawing.samples)
        keys = [key(one.name, name, n) for one in works for name in one.prompts for n in numbers]
        rows = found_by(recorded, table, part, keys)
        looks = _looks(recorded, part, works) if any(one.originals for one in works) else {}
        drawn = []
        for work in works:
            samples = []
            for name, prompt in work.prompts.items():
                length = len(tokenizer(prompt, add_special_tokens=False)["input_ids"])
                for index in numbers:
                    row = rows.get(key(work.name, name, index), _NOTHING)
                    seed = derive_seed(drawing.seed, *sample_stream(name, index))
                    samples.append(
                        Sample(
                            name,
                            index,
                            seed,
                            row["raw"],
                            length,
                            row["new_tokens"],
                            row.get("copied_tokens", 0),
                            row.get("redrawn", 0),
                            row["finish"],
                        )
                    )
            asked = [
                _look(
                    name,
                    copy_of(tokenizer, work.prompts[name], original),
                    looks.get((work.name, name), _NO_LOOK),
                )
                for name, original in work.originals.items()
            ]
            drawn.append(Drawn(samples, asked))
        return drawn, [DurationRow(work.name, 0.0, False) for work in works]

    return draw


def _looks(recorded: Recorded, part: str, works: Sequence[Work]) -> dict[Key, Row]:
    keys: list[Key] = [(work.name, name) for work in works for name in work.originals]
    return found_by(recorded, "first_changes", part, keys)


def _look(name: str, copy: Copy, row: Row) -> Look:
    return Look(name, row["unchanged"], tuple(row["lines"]), copy.line, row["right"])


def verdicts(recorded: Recorded, table: str, part: str) -> SimpleNamespace:
    """Return what stands for `coral_batch.verdicts`, the jail.

    Args:
        recorded: the lake.
        table: `verdicts` or `linteval_verdicts`.
        part: its part.
    """

    def judge(programs: Sequence[Program], *_: object, **__: object) -> list[list[Verdict]]:
        tests = {program.id: names_of(program) for program in programs}
        keys = [
            (*_name(program), case)
            for program in programs
            for case in range(len(tests[program.id]))
            if not _is_reference(program)
        ]
        rows = found_by(recorded, table, part, keys)
        return [
            [
                _verdict(program, case, test, rows.get((*_name(program), case)))
                for case, test in enumerate(tests[program.id])
            ]
            for program in programs
        ]

    # The layers of isolation are measured, and sealed in each row.
    return SimpleNamespace(judge=judge, layers_in_force=lambda _: ())


def _is_reference(program: Program) -> bool:
    return program.id.startswith(f"{REFERENCE}/")


def _name(program: Program) -> Key:
    """Return the key that a program's name stands for."""
    return tuple(int(word) if word.isdecimal() else word for word in program.id.split("/"))


def _verdict(program: Program, case: int, test: str | None, row: Row | None) -> Verdict:
    kind: Kind = "PASS" if _is_reference(program) else "ERROR" if row is None else row["kind"]
    return Verdict(case, test, kind, "" if row is None else row["detail"], 0.0, 0.0)


def trials(recorded: Recorded, lines: int) -> SimpleNamespace:
    """Return what stands for the jail where bugs are put into programs: it gives the trials.

    A trial that is missing, or whose seal does not hold, comes out as the table of bugs says, so
    that no bug is missed or found for it: as the bug's, or as one that passes everything.

    Args:
        recorded: the lake.
        lines: how many lines a program is given.
    """
    place = ("bug_trials", None)
    schema = validator(place[0]).schema
    columns = seals.key_columns(schema)
    known = {
        row_key(row, columns): row
        for row in recorded.attempt(place, lambda: lake.read_raw(*place))
        if not seals.broken(place[0], schema, row_key(row, columns), row)
    }

    def tried(program: Program) -> list[Verdict]:
        problem, _, number = program.id.rpartition("/")
        row = known.get((problem, int(number)))
        if row is not None:
            return _verdicts(row["outcomes"], row["effect"])
        for bug in recorded.raw("bugs"):
            if bug["problem"] == problem and counted(bug["buggy"], lines) == program.code:
                return _verdicts(bug["outcomes"], program.code)
        return _verdicts("P", program.code)

    def judge(programs: Sequence[Program], *_: object, **__: object) -> list[list[Verdict]]:
        return [tried(program) for program in programs]

    return SimpleNamespace(judge=judge, layers_in_force=lambda _: ())


def _verdicts(letters: str, effect: str) -> list[Verdict]:
    """Return verdicts of these kinds whose details are the same where the effect is."""
    kinds: dict[str, Kind] = {kind[0]: kind for kind in get_args(Kind)}
    return [
        Verdict(case, None, "ERROR", HANGS, 0.0, 0.0)
        if letter == HUNG
        else Verdict(case, None, kinds[letter], effect, 0.0, 0.0)
        for case, letter in enumerate(letters)
    ]


def failures(
    items: Sequence[Item], tests: Sequence[ItemTests], dropped: Sequence[Dropped]
) -> SimpleNamespace:
    """Return what stands for the jail where items are built: it fails what failed then.

    These are the dropped programs, and those of which no item or tests are there either: so a row
    that is missing is missed in its own table.
    """
    reasons = {drop.source: drop.reason for drop in dropped}
    sources, codes = {one.source for one in tests}, {item.inputs.code for item in items}

    def judge(programs: Sequence[Program], *_: object, **__: object) -> list[list[Verdict]]:
        # All programs as they are, then all of them in canonical form.
        half = len(programs) // 2
        failed = {
            one.id
            for one in programs[:half]
            if one.id in reasons or (one.id not in sources and one.code not in codes)
        }
        return [
            [Verdict(0, None, "FAIL", "", 0.0, 0.0)]
            if one.id in failed and (reasons.get(one.id) == "canonical_fails") == (number >= half)
            else []
            for number, one in enumerate(programs)
        ]

    return SimpleNamespace(judge=judge)


def calibration(recorded: Recorded) -> Callable[..., SimpleNamespace]:
    """Return what stands for `coral_batch.search.mapping.mapping.calibrate`."""

    def calibrate(_: Automata, settings: Calibration, __: int) -> SimpleNamespace:
        document = recorded.document("calibration", dict)
        return SimpleNamespace(to_plain=lambda: {**document, "bins": settings.bins})

    return calibrate
