"""What was measured, in the place of what measures it: recorded adapters, answers and verdicts.

Rows are found by their key; where only keys were changed, by their place.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import get_args

from coral_batch import lake
from coral_batch.audit.comparison import by_name
from coral_batch.audit.recorded import Place, Recorded, Row
from coral_batch.corpus.injection.counting import HANGS, counted
from coral_batch.corpus.injection.trials import HUNG
from coral_batch.lake import seals
from coral_batch.lake.schemas import row_key, schema_of
from coral_batch.lake.store import key_of
from coral_batch.models.base.checkpoint import load_tokenizer, read_card
from coral_batch.models.decoding.answer import Drawn, Sample, sample_stream
from coral_batch.models.decoding.changes import Look, copy_of
from coral_batch.models.decoding.drawing import Drawing, Work
from coral_batch.models.prompts.examples import examples_sha256
from coral_batch.models.training.obtain import Adapter, Wanted
from coral_batch.models.training.training import TrainingCurve
from coral_batch.records.example import Example
from coral_batch.records.items import Item
from coral_batch.records.rows import REFERENCE, DurationRow
from coral_batch.records.settings import Params
from coral_batch.records.verdict import Kind, Program, Verdict
from coral_batch.seeding import derive_seed
from coral_batch.verdicts.testfiles import names_of

Verdicts = list[list[Verdict]]


class Measured:
    """What stands for what a stage measures with, by the name of the argument that it is.

    Args:
        recorded: the lake.
        settings: the run's parameters.
        place: the first table of the stage, which holds what was measured, and its part.
    """

    def __init__(self, recorded: Recorded, settings: Params, place: Place) -> None:
        self._recorded, self._settings, self._place = recorded, settings, place

    @property
    def jail(self) -> SimpleNamespace:
        """Stand for `coral_batch.verdicts.pool`; the layers of isolation are sealed in each row."""
        judges = {"bug_trials": self.trials, "linteval_items": self.failures}
        judge = judges.get(self._place[0], self.verdicts)
        return SimpleNamespace(judge=judge, layers_in_force=lambda _: ())

    def found(self, names: Sequence[str], table: str | None = None) -> dict[str, Row]:
        """Return the rows of a table, the stage's first, by name: the key joined with strokes.

        `names` are those that the rows should have, in their order.
        """
        table = table or self._place[0]
        rows, columns = self._recorded.raw(table, self._place[1]), schema_of(table)["key"]
        there = ["/".join(map(str, row_key(row, columns))) for row in rows]
        return by_name(rows, there, names)

    def obtain(
        self, base: Path, examples: Sequence[Example], wanted: Iterable[Wanted], *_: object
    ) -> dict[Wanted, Adapter]:
        """Stand for `coral_batch.models.training.obtain.obtain_adapters`."""
        common = {
            "base": read_card(base).sha256,
            "examples": examples_sha256(examples),
            "training": lake.plain(self._settings.training),
        }
        known = {
            (one, seed): {**common, "configuration": lake.plain(one), "seed": seed}
            for one, seed in wanted
        }
        asked = [_asked(determinants) for determinants in known.values()]
        cards = self._recorded.table(self._place)
        found = by_name(cards, [_asked(card["determinants"]) for card in cards], asked)
        return {one: _adapter(found.get(_asked(known[one])), known[one]) for one in known}

    def draw(
        self, works: Sequence[Work], drawing: Drawing, base: Path, *_: object, **__: object
    ) -> tuple[list[Drawn], list[DurationRow]]:
        """Stand for `coral_batch.models.decoding.drawing.draw`."""
        tokenizer, numbers = load_tokenizer(base), range(drawing.samples)
        length_of = cache(lambda text: len(tokenizer(text, add_special_tokens=False)["input_ids"]))
        line_of = cache(lambda text, original: copy_of(tokenizer, text, original).line)

        # CodeLinterEval's answers name no genome, and of its items no first look is kept.
        repairs = self._place[0] == "samples"

        def row_name(work: Work, *name: object) -> str:
            return "/".join(map(str, (work.name, *name) if repairs else name))

        pairs = [(work, name) for work in works for name in work.prompts]
        rows = self.found([row_name(*pair, number) for pair in pairs for number in numbers])
        changed = [row_name(*pair) for pair in pairs if repairs and pair[0].originals]
        looks = self.found(changed, "first_changes") if changed else {}

        def sample(work: Work, name: str, index: int) -> Sample:
            row = rows.get(row_name(work, name, index), {})
            candidate = row.get("candidate", 0)
            stream = sample_stream(name, index * drawing.best_of + candidate)
            return Sample(
                problem=name,
                index=index,
                seed=derive_seed(drawing.seed, *stream),
                text=row.get("raw", ""),
                prompt_tokens=length_of(work.prompts[name]),
                tokens=row.get("new_tokens", 0),
                copied=row.get("copied_tokens", 0),
                redrawn=row.get("redrawn", 0),
                finish=row.get("finish", "eos"),
                log_probability=row.get("log_probability", 0.0),
                drawn=row.get("drawn_tokens", 0),
                candidate=candidate,
            )

        def look(work: Work, name: str) -> Look:
            row = looks.get(row_name(work, name), {})
            lines, line = row.get("lines", ()), line_of(work.prompts[name], work.originals[name])
            return Look(name, row.get("unchanged", 0.0), tuple(lines), line, row.get("right"))

        drawn = [
            Drawn(
                [sample(work, name, number) for name in work.prompts for number in numbers],
                [look(work, name) for name in work.originals if repairs],
            )
            for work in works
        ]
        return drawn, [DurationRow(work.name, 0.0, False) for work in works]

    def calibrate(self, *_: object) -> SimpleNamespace:
        """Stand for `coral_batch.search.mapping.mapping.calibrate`."""
        bins = self._settings.calibration.bins
        document = {**self._recorded.document("calibration", dict), "bins": bins}
        return SimpleNamespace(to_plain=lambda: document)

    def verdicts(self, programs: Sequence[Program], *_: object, **__: object) -> Verdicts:
        """Return recorded verdicts; references pass."""
        tests = {program.id: list(enumerate(names_of(program))) for program in programs}
        repairs = [name for name in tests if not name.startswith(f"{REFERENCE}/")]
        rows = self.found([f"{name}/{case}" for name in repairs for case, _ in tests[name]])

        def verdict(name: str, case: int, test: str | None) -> Verdict:
            row = rows.get(f"{name}/{case}", {"kind": "PASS", "detail": ""})
            return Verdict(case, test, row["kind"], row["detail"], 0.0, 0.0)

        return [[verdict(name, *one) for one in tests[name]] for name in tests]

    def trials(self, programs: Sequence[Program], *_: object, **__: object) -> Verdicts:
        """Return what came of the candidates for bugs.

        A trial that is missing, or whose seal does not hold, comes out as the table of bugs says,
        so that no bug is missed or found for it: as the bug's, or as one that passes everything.
        """
        table, schema = self._place[0], schema_of(self._place[0])
        known = {
            f"{row['problem']}/{row['number']}": (row["outcomes"], row["effect"])
            for row in self._recorded.table(self._place).to_dicts()
            if not seals.broken(table, schema, (row["problem"], row["number"]), row)
        }

        def of_bug(program: Program) -> str:
            lines, problem = self._settings.injection.lines, program.id.rpartition("/")[0]
            for bug in self._recorded.raw("bugs"):
                texts = (bug["buggy"], counted(bug["buggy"], lines))
                if bug["problem"] == problem and program.code in texts:
                    return bug["outcomes"]
            return "P"

        return [_verdicts(*(known.get(one.id) or (of_bug(one), one.code))) for one in programs]

    def failures(self, programs: Sequence[Program], *_: object, **__: object) -> Verdicts:
        """Fail what failed when items were built.

        These are the dropped programs, and those of which no item or tests are there either: so a
        row that is missing is missed in its own table.
        """
        reasons = {row["source"]: row["reason"] for row in self._recorded.raw("linteval_dropped")}
        sources = {row["source"] for row in self._recorded.raw("linteval_tests")}
        items = self._recorded.rows("linteval_items", Item)
        codes = {code for one in items for code in (one.inputs.code, one.meta.canonical_code)}

        def fails(one: Program, canonical: bool) -> bool:
            if one.id in reasons:
                return canonical == (reasons[one.id] == "canonical_fails")
            return one.id not in sources and one.code not in codes

        # All programs as they are, then all of them in canonical form.
        half, failed = len(programs) // 2, [Verdict(0, None, "FAIL", "", 0.0, 0.0)]
        return [failed if fails(one, at >= half) else [] for at, one in enumerate(programs)]


def _asked(determinants: Row) -> str:
    return json.dumps([determinants.get("seed"), determinants.get("configuration")], sort_keys=True)


def _adapter(card: Row | None, known: Row) -> Adapter:
    """Return an adapter by its card, which may be missing, and what is known to determine it."""
    card = card or {"key": key_of(known), "determinants": known, "files": {}, "seal": ""}
    determinants = {**card["determinants"], **known}
    broken = seals.broken("adapter_cards", schema_of("adapter_cards"), [card["key"]], card)
    # The card's key stands where the determinants alone were changed since they were sealed, or
    # where it is the hash of those on the card, though others are known. With all columns broken,
    # the key that they are sealed with is what was changed.
    hashed = card["key"] == key_of(card["determinants"])
    stands = broken == ["determinants"] or (hashed and len(broken) <= 1)
    key = card["key"] if stands else key_of(determinants)
    untrained = TrainingCurve((), (), (), False)
    return Adapter(key, determinants, Path(), card["files"], untrained, False, 0.0)


def _verdicts(letters: str, effect: str) -> list[Verdict]:
    """Return verdicts of these kinds whose details are the same where the effect is."""
    kinds: dict[str, Kind] = {HUNG: "ERROR", **{kind[0]: kind for kind in get_args(Kind)}}
    return [
        Verdict(case, None, kinds[letter], HANGS if letter == HUNG else effect, 0.0, 0.0)
        for case, letter in enumerate(letters)
    ]
